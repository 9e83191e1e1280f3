import { Readable } from 'node:stream';
import type { FileRecord } from '../../domain/records/collections.ts';
import type { RecordBytes } from '../../store/index.ts';
import type { RawResponse } from '../declaration/operation.ts';

/**
 * A browser may only display a file. An SVG or a page that is opened by its URL runs no scripts and sends no requests.
 */
const policy =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; frame-ancestors 'none'";

/** The response with a file's bytes: images inline, everything else as an attachment. */
export function fileResponse({ filename, mime }: FileRecord, bytes: RecordBytes): RawResponse {
  const disposition = mime.startsWith('image/') ? 'inline' : 'attachment';
  return {
    type: mime,
    content: Readable.from(bytes.pieces(), { objectMode: false }),
    length: bytes.size,
    headers: {
      'Content-Disposition': `${disposition}; ${namedInHeader(filename)}`,
      'Content-Security-Policy': policy,
    },
  };
}

/** RFC 6266: an ASCII name for all clients, and the full name for clients that support it. */
function namedInHeader(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === filename ? `filename="${plain}"` : `filename="${plain}"; filename*=UTF-8''${whole}`;
}
