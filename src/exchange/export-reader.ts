import { TokenParser, Tokenizer, TokenType } from '@streamparser/json';
import { draftOf, requireFormat } from '../domain/exchange/draft-of.ts';
import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { isTurnSpent, nextTurn, slice } from '../base/slices.ts';
import { conflictMessage } from '../store/files/codec/conflict-markers.ts';
import type { ImportInProgress } from './import-in-progress.ts';

/** Removes a file's content from its record, and returns the record that replaces it. */
export type TakeFile = (file: Fields, path: string) => Promise<Fields>;

const lineFeed = 0x0a;

/** Texts longer than this are collected as bytes: the texts of files have millions of characters. */
const stringBufferBytes = 64 * 1024;

/**
 * Reads an export as a stream: one of its files at a time is in memory. Throws `invalid_argument` for invalid JSON and for JSON that is not
 * an export. A newer version is rejected before anything else is read, if `format` comes first, as in our own exports.
 */
export async function readExport(
  pieces: AsyncIterable<Uint8Array>,
  takeFile: TakeFile,
  running?: Pick<ImportInProgress, 'hold'>,
): Promise<Draft> {
  const reader = new ExportReader();
  let conflict: PossibleConflict | undefined;
  for await (const piece of pieces) {
    // Chunks that arrived together are read without a turn of the event loop in between.
    if (isTurnSpent()) await nextTurn();
    if (conflict === undefined) conflict = reader.write(piece);
    else conflict.bytes.push(piece);
    if (conflict !== undefined && sizeOf(conflict.bytes) > conflictBytesMax) break;
    await reader.takeFiles(takeFile);
    reader.requireWithinLimit();
    running?.hold(reader.bytes);
  }
  if (conflict !== undefined) throw errorOf(conflict);
  return reader.end();
}

/** A file that is not JSON at a `<`, as at the first marker of a conflict of git. */
interface PossibleConflict {
  readonly error: PlannerError;
  /** The file from the piece with the error on. */
  readonly bytes: Uint8Array[];
  readonly linesBefore: number;
}

/** Conflicts are looked for in this many bytes after the first error. */
const conflictBytesMax = 16 * 1024 * 1024;

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function errorOf({ error, bytes, linesBefore }: PossibleConflict): PlannerError {
  const message = conflictMessage(Buffer.concat(bytes).toString(), linesBefore);
  return message === undefined ? error : invalid('file', message);
}

class ExportReader {
  readonly #document: Record<string, unknown> = empty();
  readonly #tokens = new TokenParser({ paths: ['$.format', '$.*.*'], keepStack: false });
  readonly #tokenizer = new Tokenizer({ stringBufferSize: stringBufferBytes });
  #depth = 0;
  #section: string | undefined;
  #ended = false;
  /** Read so far, without the contents of files. */
  bytes = 0;
  #lines = 0;
  /** Files that were read completely and not removed yet, by index in the list. */
  #files: number[] = [];

  constructor() {
    this.#tokens.onValue = ({ value, key, stack }) => this.#value(stack[1]?.key ?? key, key, value, stack.length);
    this.#tokenizer.onToken = (parsed) => {
      this.#follow(parsed.token, parsed.value);
      this.#tokens.write(parsed);
    };
    this.#tokens.onEnd = () => (this.#ended = true);
  }

  /** Throws `invalid_argument` for invalid JSON, unless the error is at a `<`. */
  write(piece: Uint8Array): PossibleConflict | undefined {
    this.bytes += piece.length;
    try {
      slice('import_project', () => this.#tokenizer.write(piece));
    } catch (thrown) {
      const error = notJson(thrown);
      if (!error.message.includes('Unexpected "<"')) throw error;
      return { error, bytes: [piece], linesBefore: this.#lines };
    }
    for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, at + 1)) this.#lines++;
    return undefined;
  }

  async takeFiles(takeFile: TakeFile): Promise<void> {
    const files = this.#document['files'] as Fields[];
    for (const at of this.#files) {
      const { content_base64: content } = files[at]!;
      if (typeof content === 'string') this.bytes -= content.length;
      files[at] = await takeFile(files[at]!, `files[${at}]`);
    }
    this.#files = [];
  }

  /** Everything except files' contents is held in memory, and becomes one journal entry. */
  requireWithinLimit(): void {
    const { importRecordsBytesMax: most } = limits;
    if (this.bytes <= most) return;
    throw new PlannerError(
      'payload_too_large',
      `The records of the export, without its files, are over ${most} bytes.`,
      {
        bytes_max: most,
      },
    );
  }

  end(): Draft {
    if (!this.#ended) throw invalid('file', 'The file ends before its JSON does: it is incomplete.');
    return draftOf(this.#document);
  }

  /** Tracks the member of the document that is being read: the parser emits no value for members that are neither list nor object. */
  #follow(token: TokenType, value: unknown): void {
    if (this.#depth === 0 && token !== TokenType.LEFT_BRACE) {
      throw invalid('file', 'The file contains no JSON object and is not an export.');
    }
    if (this.#depth === 1) this.#member(token, value);
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) this.#depth++;
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) this.#depth--;
  }

  /** A token of the document's own object. */
  #member(token: TokenType, value: unknown): void {
    if (token === TokenType.COMMA) this.#section = undefined;
    else if (token === TokenType.COLON || token === TokenType.RIGHT_BRACE) return;
    else if (this.#section === undefined) this.#section = value as string;
    // The parser emits no members for an empty list or object.
    else if (token === TokenType.LEFT_BRACE) this.#document[this.#section] = empty();
    else if (token === TokenType.LEFT_BRACKET) this.#document[this.#section] = [];
    else {
      if (this.#section === 'format') requireFormat(value);
      this.#document[this.#section] = value;
    }
  }

  #value(section: unknown, key: unknown, value: unknown, depth: number): void {
    if (depth < 2) return;
    const holder = this.#document[String(section)] as Record<string, unknown> | unknown[];
    if (!Array.isArray(holder)) holder[String(key)] = value;
    else {
      if (section === 'files') this.#files.push(holder.length);
      holder.push(value);
    }
  }
}

/** An object in which `__proto__` is a name like any other. */
function empty(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function notJson(error: unknown): PlannerError {
  if (error instanceof PlannerError) return error;
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read';
  return invalid('file', `The file is not JSON: ${reason}.`);
}
