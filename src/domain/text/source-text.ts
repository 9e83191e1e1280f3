import { lazyHash } from '../../store/index.ts';
import type { StoredRecord } from '../../store/index.ts';

/** A text whose hash may be known without reading it: a text in a file is read only if it is not rendered yet. */
export interface SourceText {
  readonly body: string;
  /** SHA-256 of its UTF-8 form, hexadecimal. */
  readonly sha256?: string | undefined;
}

/** The text of a record's field. Long ones are in files and are read on each access. */
export function sourceText<F extends string>(of: StoredRecord & Readonly<Record<F, string>>, field: F): SourceText {
  return {
    get body() {
      return of[field];
    },
    sha256: lazyHash(of, field),
  };
}
