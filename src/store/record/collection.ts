import type { IdKind } from '../../base/ids.ts';
import type { StoredRecord } from './record.ts';

/**
 * The form of a field's value in a file. `text` uses the source of its YAML scalar, so that `label: 2026` is a label.
 */
export type FieldKind = 'text' | 'number' | 'boolean' | 'json' | 'texts' | 'links';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** The value of an absent key; a field that holds it is not written (unless `always`). */
  readonly absent: unknown;
  /** Written even when it equals `absent`. */
  readonly always?: boolean;
  /** Another key of Markdown files that is read, and changed in its place, if the file has no key of this name. */
  readonly alias?: string;
  /** The values that terms of other tools mean, by `foldTerm` of these: in Markdown files without an id of ours. */
  readonly synonyms?: ReadonlyMap<string, string>;
  /**
   * Further keys of Markdown files for links, each a plain list of the targets of links with this label; undefined for
   * links without a label.
   */
  readonly lists?: Readonly<Record<string, string | undefined>>;
}

export type Format = 'markdown' | 'json' | 'html';

/** The form of a record as a file: its keys, their order, and the body field. Independent of the record's meaning. */
export interface Shape {
  readonly format: Format;
  /** Key order on disk. `texts` and `links` fields come last, one item a line, sorted. */
  readonly fields: readonly Field[];
  /** The field that is the text after the front matter (Markdown), or after the record's line (HTML). */
  readonly body?: string;
  /** Records whose `field` has `value` are files of another format, which has another file extension. */
  readonly alternative?: { readonly field: string; readonly value: string; readonly format: Format };
  /** The value of an alternative: the one that the extension implies, and the format of records with another value. */
  readonly implied?: { readonly field: string; readonly value: string; readonly otherwise: Format };
}

/** The location of a collection's files inside the project's directory. */
export type CollectionLocation =
  /** One record in one file, with the project's id or a fixed one: `project.json`, `canvas.json`. */
  | { readonly kind: 'single'; readonly file: string }
  /** `<directory>/<slug of title>.<id>.<ext>`, or `<directory>/<id>.<ext>` without a title field. */
  | { readonly kind: 'slug'; readonly directory: string; readonly title?: string }
  /** `<directory>/<title>.<last 4 of id>.md`. */
  | { readonly kind: 'title'; readonly directory: string; readonly title: string }
  /**
   * `<directory>/<folders>/<title>.<last 4 of id>.md`; `folder` is the field with the folder's id, derived from the
   * path.
   */
  | {
      readonly kind: 'tree';
      readonly directory: string;
      readonly title: string;
      readonly folder: string;
      readonly folders: string;
    }
  /**
   * The directories of a tree; `parent` is the field with the parent's id. Name and parent are derived from the path.
   */
  | { readonly kind: 'folder'; readonly directory: string; readonly parent: string }
  /** `<directory>/<folded key>.json`; the id is derived from the folded key. `former` is the field with former keys. */
  | { readonly kind: 'key'; readonly directory: string; readonly key: string; readonly former?: string }
  /** `<directory>/<value of group>/<id>.json`. */
  | { readonly kind: 'grouped'; readonly directory: string; readonly group: string };

/** A schema violation: its field in the record, and the constraint. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

/** Maps that merge as one value, because their members belong together. */
export interface WholeMembers {
  /** If both sides have all members of one of these lists: `['x', 'y']`. */
  readonly together: readonly (readonly string[])[];
  /** If one of these members has changed, since it determines the kind of the map. */
  readonly kinds: readonly string[];
}

/** The remains of a project whose file is rebuilt. */
export interface RebuildSource {
  /** Its name, derived from its directory's. */
  readonly name: string;
  /** Its records of a collection, by created_at. */
  readonly list: (collection: string) => Iterable<StoredRecord>;
  readonly newId: (kind: IdKind) => string;
}

/** Everything that the store knows of a collection. */
export interface Collection {
  readonly name: string;
  readonly id: IdKind;
  readonly location: CollectionLocation;
  readonly shape: Shape;
  /**
   * Fields whose change creates a revision and sets updated_at. If empty there is no history, and `updated_at` is
   * stored in the file if the shape has it.
   */
  readonly versioned: readonly string[];
  /** Fields that merge as sets; `links` always does. */
  readonly sets: readonly string[];
  /** Fields that merge line by line as texts. */
  readonly texts: readonly string[];
  /** Fields of kind `json` that merge member by member. Any other is one value. */
  readonly members?: readonly string[];
  /** The exceptions among those: maps that merge as one value. */
  readonly whole?: WholeMembers;
  /** Fields with a path below the directory of `.planner`; a path through a symbolic link is rejected. */
  readonly paths?: readonly string[];
  /**
   * The attachments of records, which are in a separate file: the fields with their hash, their size and the name that
   * determines the extension.
   */
  readonly bytes?: { readonly sha256: string; readonly size: string; readonly name: string };
  /** A larger file is listed and not read. Default: the limit of every record file. */
  readonly fileBytesMax?: number;
  /** Equality indexes: the field with the key, or a function that returns the key or keys of a record, or undefined. */
  readonly indexes?: Readonly<Record<string, string | ((record: never) => string | readonly string[] | undefined)>>;
  /** Links may end at its records: a file may name them by their file, their title or a former title. */
  readonly linkable?: true;
  /** The fields of a project whose file is rebuilt, for the collection of projects. */
  readonly rebuilt?: (from: RebuildSource) => Readonly<Record<string, unknown>>;
  /** Validates a record read from disk, or about to be written. Empty if it is valid. */
  readonly validate: (record: unknown) => readonly Violation[];
}
