import { expect } from 'chai';

/** The JSON messages of a response of Server-Sent Events, one after the other. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function* messagesOf(response: Response): AsyncGenerator<any, void> {
  expect(response.headers.get('content-type')).to.include('text/event-stream');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield JSON.parse(data) as object;
    }
  }
}
