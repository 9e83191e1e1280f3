import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { MulterError, StorageEngine } from 'multer';
import { invalid, PlannerError } from '../errors.ts';
import type { Upload } from '../operations/declaration/operation.ts';
import { requireIdentity } from './read-json.ts';

/** The text fields of a form. */
export type UploadFields = Readonly<Record<string, unknown>>;

export interface UploadOptions {
  /** Maximum size of the file, in bytes. */
  readonly bytesMax: number;
}

/** A form has one file; its fields are short and precede it. */
const fieldBytesMax = 64 * 1024;
const fieldsMax = 20;
/** Maximum size of everything in a form but its file. */
const aroundBytesMax = 2 * 1024 * 1024;

/** Whether a request has the content type of a form with files. */
export function isUpload({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Reads a form (`multipart/form-data`) with one file and streams its bytes to `use`: the file is neither buffered in memory nor written to
 * disk. Resolves with the result of `use`. Throws `invalid_argument` for any other or a truncated form, `payload_too_large` for a larger file.
 */
export async function readUpload<T>(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax }: UploadOptions,
  use: (fields: UploadFields, upload: Upload) => Promise<T>,
): Promise<T> {
  requireIdentity(request);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax + aroundBytesMax) throw tooLarge(bytesMax);
  // Loaded by the first upload.
  const { default: multer } = await import('multer');
  return new Promise((resolve, reject) => {
    const whole = Promise.withResolvers<void>();
    // No consumer awaits it if the file was rejected before its end.
    whole.promise.catch(() => undefined);
    /** Number of fields before the file; undefined until the file begins. */
    let before: number | undefined;
    const storage: StorageEngine = {
      _handleFile: (form, { originalname, mimetype, stream }, done) => {
        const fields = { ...(form.body as UploadFields) };
        before = Object.keys(fields).length;
        stream.once('end', () => done(null));
        const bytes = bytesOf(stream, bytesMax, whole.promise);
        use(fields, { filename: originalname, type: mimetype, bytes })
          .then(resolve, reject)
          // Discards what `use` did not read.
          .finally(() => stream.resume());
      },
      _removeFile: (_request, _file, done) => done(null),
    };
    const limits = { files: 1, fields: fieldsMax, fieldSize: fieldBytesMax, parts: fieldsMax + 1 };
    multer({ storage, limits, defParamCharset: 'utf8' }).any()(
      request as Request,
      response as Response,
      (error: unknown) => {
        const behind = Object.keys((request as Request).body as UploadFields)[before ?? 0];
        if (error) whole.reject(refusal(error));
        else if (behind !== undefined) whole.reject(late(behind));
        else whole.resolve();
        if (before === undefined) reject(error ? refusal(error) : noFile());
      },
    );
  });
}

async function* bytesOf(
  stream: NodeJS.ReadableStream,
  bytesMax: number,
  whole: Promise<void>,
): AsyncIterableIterator<Uint8Array> {
  let length = 0;
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      yield piece;
    }
  } catch (error) {
    throw error instanceof PlannerError ? error : broken();
  }
  await whole;
}

function tooLarge(bytesMax: number): PlannerError {
  return new PlannerError('payload_too_large', `The file exceeds ${bytesMax} bytes.`, { bytes_max: bytesMax });
}

function late(field: string): PlannerError {
  return invalid(field, `The field ${field} follows the file: send the fields before the file.`);
}

function noFile(): PlannerError {
  return invalid('file', 'The form has no file: send one part with a filename.');
}

function broken(): PlannerError {
  return invalid('file', 'The form ended before it was complete.');
}

function refusal(error: unknown): PlannerError {
  if (!isOfMulter(error)) return broken();
  return invalid(
    error.field ?? 'file',
    `The form is invalid: ${error.message}. Send one file, preceded by its fields.`,
  );
}

function isOfMulter(error: unknown): error is MulterError {
  return error instanceof Error && error.name === 'MulterError';
}
