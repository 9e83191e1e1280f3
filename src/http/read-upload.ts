import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { invalid, PlannerError } from '../errors.ts';
import type { Upload } from '../operations/declaration/operation.ts';
import { requireIdentity } from './read-json.ts';

/** The fields of a form beside its file, as texts. */
export type UploadFields = Readonly<Record<string, unknown>>;

export interface UploadOptions {
  /** Bytes of the file at most. */
  readonly bytesMax: number;
}

/** A form has one file; what it says beside it is short and stands before it. */
const fieldBytesMax = 64 * 1024;
const fieldsMax = 20;
/** What a form has around its file. */
const aroundBytesMax = 2 * 1024 * 1024;

/** Whether a request's body is a form with files. */
export function isUpload({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Reads a form (`multipart/form-data`) with one file, whose bytes `use` takes while they arrive: nothing is held in memory and nothing written.
 * Answers what `use` answers. Throws `invalid_argument` for another form and for one that breaks off, `payload_too_large` for a larger file.
 */
export async function readUpload<T>(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax }: UploadOptions,
  use: (fields: UploadFields, upload: Upload) => Promise<T>,
): Promise<T> {
  requireIdentity(request);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax + aroundBytesMax) throw tooLarge(bytesMax);
  return new Promise((resolve, reject) => {
    const whole = Promise.withResolvers<void>();
    // Nobody may be waiting for it when the file was refused before its end.
    whole.promise.catch(() => undefined);
    /** How many fields stood before the file; undefined until it came. */
    let before: number | undefined;
    const storage: multer.StorageEngine = {
      _handleFile: (form, { originalname, mimetype, stream }, done) => {
        const fields = { ...(form.body as UploadFields) };
        before = Object.keys(fields).length;
        stream.once('end', () => done(null));
        const bytes = bytesOf(stream, bytesMax, whole.promise);
        use(fields, { filename: originalname, type: mimetype, bytes })
          .then(resolve, reject)
          // What nobody read is let go unread.
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
  return new PlannerError('payload_too_large', `The file is over ${bytesMax} bytes.`, { bytes_max: bytesMax });
}

function late(field: string): PlannerError {
  return invalid(field, `${field} stands behind the file in the form: send the fields before it.`);
}

function noFile(): PlannerError {
  return invalid('file', 'The form has no file: send one, named by its filename.');
}

function broken(): PlannerError {
  return invalid('file', 'The form ended before it was complete.');
}

function refusal(error: unknown): PlannerError {
  if (!(error instanceof MulterError)) return broken();
  return invalid(
    error.field ?? 'file',
    `The form is not as it is read here: ${error.message}. Send one file, the fields before it.`,
  );
}
