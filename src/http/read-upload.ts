import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { MulterError, StorageEngine } from 'multer';
import { invalid, PlannerError } from '../base/errors.ts';
import type { Upload } from '../operations/declaration/operation.ts';
import { requireIdentity } from './read-json.ts';

/** The text fields of a form. */
export type UploadFields = Readonly<Record<string, unknown>>;

export interface UploadOptions {
  /** Maximum size of the file, or of all files, in bytes. */
  readonly bytesMax: number;
  /** Maximum number of files. Default: one. Of several the names are paths. */
  readonly filesMax?: number;
}

/** The fields of a form are short and precede its files. */
const fieldBytesMax = 64 * 1024;
const fieldsMax = 20;
/** Maximum size of everything in a form but its file. */
const aroundBytesMax = 2 * 1024 * 1024;

/** Returns whether a request has the content type of a form with files. */
export function isUpload({ headers }: IncomingMessage): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Reads a form (`multipart/form-data`) with a file and streams its bytes to `use`: the file is neither buffered in memory nor written to
 * disk. Further files, if they are allowed, follow it in the same way. Resolves with the result of `use`. Throws `invalid_argument` for any other or a truncated form, `payload_too_large` for a larger file.
 */
export async function readUpload<T>(
  request: IncomingMessage,
  response: ServerResponse,
  { bytesMax, filesMax = 1 }: UploadOptions,
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
    const files = new FormFiles(bytesMax, filesMax > 1 ? undefined : whole.promise);
    const storage: StorageEngine = {
      _handleFile: (form, { originalname, mimetype, stream }, done) => {
        stream.once('end', () => done(null));
        const file = files.add(originalname, mimetype, stream);
        if (before !== undefined) return;
        const fields = { ...(form.body as UploadFields) };
        before = Object.keys(fields).length;
        use(fields, filesMax > 1 ? { ...file, further: files.further(whole.promise) } : file)
          .then(resolve, reject)
          .finally(() => files.discard());
      },
      _removeFile: (_request, _file, done) => done(null),
    };
    const limits = { files: filesMax, fields: fieldsMax, fieldSize: fieldBytesMax, parts: fieldsMax + filesMax };
    multer({ storage, limits, defParamCharset: 'utf8', preservePath: filesMax > 1 }).any()(
      request as Request,
      response as Response,
      (error: unknown) => {
        const behind = Object.keys((request as Request).body as UploadFields)[before ?? 0];
        if (error) whole.reject(refusal(error));
        else if (behind !== undefined) whole.reject(late(behind));
        else whole.resolve();
        files.end();
        if (before === undefined) reject(error ? refusal(error) : noFile());
      },
    );
  });
}

/** The files of a form in their order. The next one is parsed only when the one before it has been read or discarded. */
class FormFiles {
  readonly #bytesMax: number;
  readonly #whole: Promise<void> | undefined;
  readonly #streams: NodeJS.ReadableStream[] = [];
  /** Files after the first one that were not taken yet. */
  readonly #waiting: Upload[] = [];
  #length = 0;
  #isDiscarding = false;
  #hasEnded = false;
  #changed = Promise.withResolvers<void>();

  /** `whole` rejects if the form is truncated; given if the file that is added is the last part of its form. */
  constructor(bytesMax: number, whole: Promise<void> | undefined) {
    this.#bytesMax = bytesMax;
    this.#whole = whole;
  }

  add(filename: string, type: string, stream: NodeJS.ReadableStream): Upload {
    const file = { filename, type, bytes: this.#bytesOf(stream) };
    if (this.#isDiscarding) stream.resume();
    else if (this.#streams.push(stream) > 1) this.#waiting.push(file);
    this.#notify();
    return file;
  }

  /** The files after the first one. Throws at the end if the form is truncated. */
  async *further(whole: Promise<void>): AsyncIterableIterator<Upload> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#hasEnded) return void (await whole);
      else await this.#changed.promise;
    }
  }

  end(): void {
    this.#hasEnded = true;
    this.#notify();
  }

  /** Discards the unread rest, so that the form ends. */
  discard(): void {
    this.#isDiscarding = true;
    for (const stream of this.#streams) stream.resume();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  async *#bytesOf(stream: NodeJS.ReadableStream): AsyncIterableIterator<Uint8Array> {
    try {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        this.#length += piece.length;
        if (this.#length > this.#bytesMax) throw tooLarge(this.#bytesMax);
        yield piece;
      }
    } catch (error) {
      throw error instanceof PlannerError ? error : broken();
    }
    await this.#whole;
  }
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
  return invalid(error.field ?? 'file', `The form is invalid: ${error.message}. Send the fields first, then the file.`);
}

function isOfMulter(error: unknown): error is MulterError {
  return error instanceof Error && error.name === 'MulterError';
}
