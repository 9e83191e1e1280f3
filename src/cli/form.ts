import { randomToken } from '../ids.ts';

const boundaryBytes = 18;

/** A form (`multipart/form-data`) with one file, sent piece by piece as it is read. */
export function formOf(
  filename: string,
  bytes: Iterable<Uint8Array>,
): { readonly type: string; readonly body: Iterable<Uint8Array> } {
  const boundary = `planner-${randomToken(boundaryBytes)}`;
  const name = filename.replace(/["\r\n\\]/g, '_');
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/json\r\n\r\n`;
  function* pieces(): Generator<Uint8Array> {
    yield Buffer.from(head);
    yield* bytes;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: pieces() };
}
