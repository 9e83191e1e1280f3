import type { Fields } from '../domain/exchange/draft.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import { conflictMessage } from '../store/files/codec/conflict-markers.ts';
import { conflictInTable } from './csv-rows.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { objectOf } from './members.ts';
import { parseJson } from './parse-json.ts';
import { decodedText } from './plan-files.ts';
import type { PlanFiles, PlanTree } from './plan-files.ts';
import type { DecodedText } from './text-encoding.ts';

export interface ReadOptions {
  /** The project's name if the plan does not contain one. */
  readonly name: string;
  /** True if records that the tool has marked as deleted are read as well. */
  readonly withDeleted: boolean;
}

interface DeclaredFormat {
  /** The value for `--from`: `beads`. */
  readonly name: string;
  /** Where its plans are, relative to a repository or to one of the tool's directories in it. */
  readonly places: readonly string[];
}

/** A format whose plan is one file. */
export interface FileFormat extends DeclaredFormat {
  readonly kind: 'file';
  /** Detects the format from the content; the name of the file may contribute. Never throws. */
  readonly detects: (file: PlanFile) => boolean;
  /** Throws `invalid_argument`, with the line or the path in the file, for a file of another format. */
  readonly read: (file: PlanFile, options: ReadOptions) => ImportedPlan;
}

/** A format whose plan is a directory. */
export interface DirectoryFormat extends DeclaredFormat {
  readonly kind: 'directory';
  /** Detects the format from the content. Never throws. `directory` may be a whole repository: look at few of its files. */
  readonly detects: (tree: PlanTree, directory: string) => boolean;
  readonly read: (files: PlanFiles, options: ReadOptions) => ImportedPlan;
}

export type PlanFormat = FileFormat | DirectoryFormat;

/** A file that may be a plan. Its content is decoded and parsed once, for all formats that look at it. */
export class PlanFile {
  /** Its path below the directory that is imported; its name if it is imported alone. */
  readonly path: string;
  readonly bytes: Uint8Array;
  #decoded: DecodedText | undefined;
  #unreadable: { readonly message: string | undefined } | undefined;
  #json: { readonly value: unknown } | { readonly reason: string } | undefined;

  constructor(path: string, bytes: Uint8Array) {
    this.path = path;
    this.bytes = bytes;
  }

  /** Without a byte order mark, with LF line endings. */
  get text(): string {
    return this.#decode().text;
  }

  /** The encoding that the text was read in, if nothing in the file says so. */
  get assumedEncoding(): string | undefined {
    return this.#decode().assumed;
  }

  /**
   * The problem of a file that is in no known encoding, or has conflicts of git, with the lines of each; undefined if
   * it can be read.
   */
  get unreadable(): string | undefined {
    const conflictIn = /\.[ct]sv$/i.test(this.path) ? conflictInTable : conflictMessage;
    this.#unreadable ??= { message: this.#decode().problem ?? conflictIn(this.text) };
    return this.#unreadable.message;
  }

  /** The value of a JSON text, or undefined. */
  get json(): unknown {
    const parsed = this.#parsed();
    return 'value' in parsed ? parsed.value : undefined;
  }

  /** The JSON object that the file contains; undefined for any other content. */
  get object(): Fields | undefined {
    return objectOf(this.json);
  }

  /** Why the file is not JSON; undefined if it is. */
  get notJson(): string | undefined {
    const parsed = this.#parsed();
    return 'reason' in parsed ? parsed.reason : undefined;
  }

  #decode(): DecodedText {
    return (this.#decoded ??= decodedText(this.bytes));
  }

  #parsed(): { readonly value: unknown } | { readonly reason: string } {
    return (this.#json ??= parse(this.text));
  }
}

/** The JSON object that a file contains. Throws `invalid_argument` for any other content. */
export function requireObject(file: PlanFile): Fields {
  if (file.object !== undefined) return file.object;
  throw invalid(
    'file',
    file.notJson === undefined ? 'The file contains no JSON object.' : `The file is not JSON: ${file.notJson}.`,
  );
}

function parse(text: string): { readonly value: unknown } | { readonly reason: string } {
  // A text that cannot be JSON is not parsed: most files that are looked at are Markdown or tables.
  if (!/^\s*[[{]/.test(text)) return { reason: 'it begins with neither { nor [' };
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (error instanceof PlannerError) throw error;
    return { reason: (error as Error).message };
  }
}
