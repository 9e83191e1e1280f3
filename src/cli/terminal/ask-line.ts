import type { Readable, Writable } from 'node:stream';

/**
 * Returns a function that asks for a line on a terminal, which echoes and edits it; undefined if the input is no terminal. The function
 * resolves with undefined if the input ends.
 */
export function linePrompt(
  input: Readable & { readonly isTTY?: boolean },
  output: Writable,
): ((question: string) => Promise<string | undefined>) | undefined {
  if (input.isTTY !== true) return undefined;
  // Lines that were typed ahead.
  let typed = '';
  return (question) => {
    output.write(question);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const take = (isEnd: boolean): void => {
      const end = typed.indexOf('\n');
      if (end === -1 && !isEnd) return;
      const line = end === -1 ? undefined : typed.slice(0, end);
      typed = typed.slice(end + 1);
      // At once: a line in the same turn belongs to the next question.
      input.off('data', onData);
      input.off('end', onEnd);
      input.pause();
      resolve(line?.replace(/\r$/, ''));
    };
    const onData = (chunk: Buffer | string): void => {
      typed += chunk.toString();
      take(false);
    };
    const onEnd = (): void => take(true);
    input.on('data', onData);
    input.on('end', onEnd);
    input.resume();
    take(input.readableEnded);
    return promise;
  };
}
