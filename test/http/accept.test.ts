import { expect } from 'chai';
import { accepts, prefersEventStream, wantsEventStream } from '../../src/http/event-stream.ts';

describe('An Accept header [D13.accept]', () => {
  const both = (accept: string | undefined): boolean =>
    accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');

  it('follows its most specific range, in any letter case and with parameters', () => {
    for (const accept of [
      undefined,
      '',
      '*/*',
      '*/*;q=0.1',
      'application/*, text/*',
      'Application/JSON, Text/Event-Stream',
      'application/json;charset=utf-8, text/event-stream; q=0.5',
      'text/event-stream,application/json;q=0.001',
      'text/html, */*; Q=0.8',
      'application/json;q=1.0;v=2 , */*',
      'application/json;profile="a, text/event-stream;q=0", text/event-stream',
    ])
      expect(both(accept), accept).to.equal(true);
    for (const accept of [
      'application/json',
      'text/event-stream',
      'application/*',
      'application/json, text/event-stream;q=0',
      'application/json, text/event-stream; q=0.000',
      '*/*, application/json;q=0',
      'text/*;q=0, */*',
      'application/jsonp, text/event-streams',
      'application/json-seq, text/event-stream',
      'application/json;profile="a, text/event-stream"',
    ])
      expect(both(accept), accept).to.equal(false);
  });

  it('asks for a stream only by its name', () => {
    for (const accept of ['text/event-stream', 'TEXT/Event-Stream;q=0.9', 'application/json, text/event-stream'])
      expect(wantsEventStream(accept), accept).to.equal(true);
    for (const accept of [undefined, '*/*', 'text/*', 'text/event-stream;q=0', 'text/event-streams'])
      expect(wantsEventStream(accept), accept).to.equal(false);
  });

  it('gets a stream instead of JSON if it names it and likes JSON no better', () => {
    for (const accept of [
      'text/event-stream',
      'TEXT/Event-Stream;q=0.2',
      'application/json, text/event-stream',
      'application/json;q=0.5, text/event-stream;q=0.6',
      'application/json;q=0, */*, text/event-stream;q=0.1',
      'text/event-stream, */*;q=0.1',
    ])
      expect(prefersEventStream(accept), accept).to.equal(true);
    for (const accept of [
      undefined,
      '',
      '*/*',
      'text/*',
      'application/json',
      'text/event-stream;q=0',
      'application/json, text/event-stream;q=0.9',
      'application/*;q=0.5, text/event-stream;q=0.4',
      'text/event-stream;q=0.5, */*',
    ])
      expect(prefersEventStream(accept), accept).to.equal(false);
  });
});
