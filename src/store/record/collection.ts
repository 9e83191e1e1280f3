import type { IdKind } from '../../ids.ts';

/** How a field's value stands in a file. `text` takes its YAML scalar's source, so that `label: 2026` is a label. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'json' | 'texts' | 'links';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** The value of an absent key; a field that holds it is not written (unless `always`). */
  readonly absent: unknown;
  /** Written even when it equals `absent`. */
  readonly always?: boolean;
}

export type Format = 'markdown' | 'json' | 'html';

/** How a record looks as a file: which keys in which order, and which field is the body. Knows nothing of the record's meaning. */
export interface Shape {
  readonly format: Format;
  /** Key order on disk. `texts` and `links` fields come last, one item a line, sorted. */
  readonly fields: readonly Field[];
  /** The field that is the text below the front matter (Markdown), or behind the record's line (HTML). */
  readonly body?: string;
  /** Records whose `field` holds `value` are files of another format, whose ending says so. */
  readonly alternative?: { readonly field: string; readonly value: string; readonly format: Format };
  /** Of an alternative: the value that the ending stands for, and the format of records with another one. */
  readonly implied?: { readonly field: string; readonly value: string; readonly otherwise: Format };
}

/** Where a collection's files lie inside the project's directory. */
export type CollectionLocation =
  /** One record in one file, whose id is the project's or fixed: `project.json`, `canvas.json`. */
  | { readonly kind: 'single'; readonly file: string }
  /** `<directory>/<slug of title>.<id>.<ext>`, or `<directory>/<id>.<ext>` without a title field. */
  | { readonly kind: 'slug'; readonly directory: string; readonly title?: string }
  /** `<directory>/<title>.<last 4 of id>.md`. */
  | { readonly kind: 'title'; readonly directory: string; readonly title: string }
  /** `<directory>/<folders>/<title>.<last 4 of id>.md`; `folder` is the field with the folder's id, kept by the path alone. */
  | {
      readonly kind: 'tree';
      readonly directory: string;
      readonly title: string;
      readonly folder: string;
      readonly folders: string;
    }
  /** The directories of a tree; `parent` is the field with the parent's id. Name and parent are kept by the path. */
  | { readonly kind: 'folder'; readonly directory: string; readonly parent: string }
  /** `<directory>/<folded key>.json`; the id is derived from the folded key. `former` is the field with keys that it had before. */
  | { readonly kind: 'key'; readonly directory: string; readonly key: string; readonly former?: string }
  /** `<directory>/<value of group>/<id>.json`. */
  | { readonly kind: 'grouped'; readonly directory: string; readonly group: string };

/** A violation of a record's schema: where in the record, and what would be right. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** Maps that merge as one value: members of them belong together. */
export interface WholeMembers {
  /** Where both sides have all members of one of these lists: `['x', 'y']`. */
  readonly together: readonly (readonly string[])[];
  /** Where one of these says another kind of thing than before. */
  readonly kinds: readonly string[];
}

/** All that the store knows of a collection. */
export interface Collection {
  readonly name: string;
  readonly id: IdKind;
  readonly location: CollectionLocation;
  readonly shape: Shape;
  /** Fields whose change makes a revision (and sets updated_at). Empty: no history, `updated_at` is stored in the file if the shape has it. */
  readonly versioned: readonly string[];
  /** Fields that merge as sets; `links` always does. */
  readonly sets: readonly string[];
  /** Fields that merge line by line as texts. */
  readonly texts: readonly string[];
  /** Fields of kind `json` that merge member by member. Any other is one value. */
  readonly members?: readonly string[];
  /** Where those are merged: what is one value all the same. */
  readonly whole?: WholeMembers;
  /** Fields that hold a path below the directory of `.planner`: one that leads through a symbolic link is refused. */
  readonly paths?: readonly string[];
  /** Records that bytes belong to, which lie in a file beside the record's own: the fields with their hash, their number and the name that says the ending. */
  readonly bytes?: { readonly sha256: string; readonly size: string; readonly name: string };
  /** A file over this is listed and not read; absent: the limit of every record file. */
  readonly fileBytesMax?: number;
  /** Equality indexes: the key or keys of a record, undefined for none. */
  readonly indexes?: Readonly<Record<string, (record: never) => string | readonly string[] | undefined>>;
  /** Checks a record read from disk, and one about to be written. Empty when it is right. */
  readonly validate: (record: unknown) => readonly Violation[];
}
