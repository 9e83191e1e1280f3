import { Readable } from 'node:stream';
import type { FileRecord } from '../../domain/records/collections.ts';
import type { RecordBytes } from '../../store/index.ts';
import type { RawAnswer } from '../declaration/operation.ts';

/** What a file may do in a browser: be looked at. An SVG or a page that is opened by its URL runs nothing and reaches nothing. */
const policy =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; frame-ancestors 'none'";

/** A file's bytes as an answer: images are served inline, everything else as an attachment. */
export function fileAnswer({ filename, mime }: FileRecord, bytes: RecordBytes): RawAnswer {
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

/** RFC 6266: a name in ASCII for all, and the whole one for those who understand it. */
function namedInHeader(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === filename ? `filename="${plain}"` : `filename="${plain}"; filename*=UTF-8''${whole}`;
}
