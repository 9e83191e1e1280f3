import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress, type ZstdCompress } from 'node:zlib';
import { SnapshotError } from '../storage/snapshot-store.ts';

const partBytes = 1024 * 1024;
const chunkSize = 128 * 1024;

/**
 * Compresses texts, one after the other, on a thread of the pool. Each can be read without the following ones. The
 * parts have 1 MiB, the last one less.
 */
export async function* compressed(texts: readonly AsyncIterable<string>[]): AsyncGenerator<Uint8Array> {
  const zstd = createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  // An error destroys the stream: it is thrown where its output is read.
  const finished = pipeline(Readable.from(flushing(zstd, texts)), zstd).catch(() => undefined);
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of zstd as AsyncIterable<Buffer>) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    const whole = Buffer.concat(waiting);
    for (let at = 0; (bytes -= partBytes) >= 0; at += partBytes) yield whole.subarray(at, at + partBytes);
    bytes += partBytes;
    waiting = bytes === 0 ? [] : [whole.subarray(whole.length - bytes)];
  }
  await finished;
  if (bytes > 0) yield Buffer.concat(waiting);
}

/** The pieces of texts. The written part of one is flushed before the next one is begun. */
async function* flushing(zstd: ZstdCompress, texts: readonly AsyncIterable<string>[]): AsyncGenerator<string> {
  for (const [at, text] of texts.entries()) {
    if (at > 0) zstd.flush(constants.ZSTD_e_flush);
    yield* text;
  }
}

/** The lines of such a text, as many at a time as are there. Throws `SnapshotError` if they are not as they were compressed. */
export async function* linesIn(parts: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  const zstd = createZstdDecompress({ chunkSize });
  const failure: { error?: unknown } = {};
  const finished = pipeline(Readable.from(notingFailure(parts, failure)), zstd).catch(() => undefined);
  const decoder = new TextDecoder();
  let rest: string[] = [];
  try {
    for await (const chunk of zstd as AsyncIterable<Buffer>) {
      const text = decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n');
      if (end === -1) {
        rest.push(text);
        continue;
      }
      const lines = (rest.join('') + text.slice(0, end)).split('\n');
      rest = [text.slice(end + 1)];
      yield lines;
    }
  } catch (error) {
    if (failure.error === undefined) throw new SnapshotError(`it cannot be decompressed: ${(error as Error).message}`);
    throw failure.error as Error;
  }
  await finished;
  if (rest.some((text) => text !== '')) throw new SnapshotError('its last line is incomplete');
}

/** Distinguishes an error of the source from one of its content. */
async function* notingFailure(
  parts: AsyncIterable<Uint8Array>,
  failure: { error?: unknown },
): AsyncGenerator<Uint8Array> {
  try {
    yield* parts;
  } catch (error) {
    failure.error = error;
    throw error;
  }
}
