import { lazyHash } from '../../store/index.ts';
import type { StoredRecord } from '../../store/index.ts';

/** A text whose hash may be known without reading it: one that is kept in a file is read only where it was not rendered before. */
export interface SourceText {
  readonly body: string;
  /** SHA-256 of its UTF-8 form, hexadecimal. */
  readonly sha256?: string | undefined;
}

/** The text of a record's field. Long ones are in files: this one is read when it is asked for, each time. */
export function sourceText<F extends string>(of: StoredRecord & Readonly<Record<F, string>>, field: F): SourceText {
  return {
    get body() {
      return of[field];
    },
    sha256: lazyHash(of, field),
  };
}
