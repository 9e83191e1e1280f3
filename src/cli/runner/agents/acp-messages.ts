import { StringDecoder } from 'node:string_decoder';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { isObject } from '../../../base/is-object.ts';

/** A message that is longer ends the conversation. */
const messageCharactersMax = 32 * 1024 * 1024;

/** The streams of an agent. */
export interface AgentStreams {
  readonly output: AsyncIterable<Buffer>;
  /** Writes a line. Resolves when there is room for more. */
  readonly write: (line: string) => Promise<void>;
  /** Called with each line that is no message. */
  readonly onNoise: (line: string) => void;
}

/**
 * The messages that an agent and its client exchange, a line of JSON each. What an agent prints beside them, such as its
 * log, is no message, and neither is an answer to no request: the library would answer it, or print it.
 */
export function messagesOf({ output, write, onNoise }: AgentStreams): Stream {
  const asked = new Set<unknown>();
  const isAnswer = (message: object): boolean => 'id' in message && asked.delete(message.id);
  const isMessage = (value: unknown): value is AnyMessage =>
    isObject(value) && value['jsonrpc'] === '2.0' && (typeof value['method'] === 'string' || isAnswer(value));
  function* read(line: string): Generator<AnyMessage> {
    const value = parsed(line);
    if (isMessage(value)) yield value;
    else if (line.trim() !== '') onNoise(line);
  }
  async function* readAll(): AsyncGenerator<AnyMessage> {
    for await (const line of linesOf(output)) yield* read(line);
  }
  const readable = ReadableStream.from<AnyMessage>(readAll());
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      if ('method' in message && 'id' in message) asked.add(message.id);
      return write(`${JSON.stringify(message)}\n`);
    },
  });
  return { readable, writable };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function* linesOf(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder();
  let line = '';
  for await (const chunk of output) {
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    line += first;
    if (line.length > messageCharactersMax) throw new Error('Its message is too long.');
    for (const next of rest) {
      yield line;
      line = next;
    }
  }
  if (line !== '') yield line;
}
