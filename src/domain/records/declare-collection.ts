import type { ProjectSummary } from '../../schema/types.ts';
import type { Collection, FieldKind } from '../../store/index.ts';

/** The declaration of a collection without validation of records: merging files does not need it, and starts faster without it. */
export type UncheckedCollection = Omit<Collection, 'validate'>;

/** The declaration of a field: how files store it, how it merges, its value in a new record, which views show it. */
export interface FieldRule {
  /** The form of its value in a file. Default: `text`. */
  readonly kind?: FieldKind;
  /** The text below the front matter, or derived from the path only. Default: a key of the file. */
  readonly in?: 'body' | 'path';
  /** The value if the file has no such key, and for a new record without a given value. Default: null. */
  readonly absent?: unknown;
  /** Written even if it equals `absent`. */
  readonly always?: true;
  /** Another key that Markdown files of other tools have for it. */
  readonly alias?: string;
  /** The values that terms of other tools mean in Markdown files. The keys are terms as `foldTerm` returns them. */
  readonly synonyms?: ReadonlyMap<string, string>;
  /** Further keys of Markdown files for links, each a plain list of the targets of links with this label. */
  readonly lists?: Readonly<Record<string, string | undefined>>;
  /** Required when a record is created; `absent` is then the value in files only. */
  readonly given?: true;
  /**
   * A change of it creates a revision. The number is its position in the hash that identifies a revision: an assigned number is neither
   * changed nor reused.
   */
  readonly versioned?: number;
  /** As a set, line by line, or member by member. Default: as one value. */
  readonly merge?: 'set' | 'lines' | 'members';
  /** A path below the directory of `.planner`; a path through a symbolic link is rejected. */
  readonly path?: true;
  /** True if it may reference another record by id: an import replaces the id. */
  readonly reference?: true;
  /** `row`: shown in the rows of an agent's lists too; `internal`: hidden from callers. Default: shown in the resource, but not in rows. */
  readonly shown?: 'row' | 'internal';
  /** The view computes the value for callers. Default: the record's value. */
  readonly computed?: true;
  /** Search finds the record by this field: its title, or a text that is searched with `bodies`. Default: search ignores it. */
  readonly search?: 'title' | 'text';
}

/**
 * The comments that records of a collection have. `record`: on existing records; `any`: on any file, by an id or path.
 */
export type Commented = 'record' | 'any';

/** The members of a project's summary that count records. */
export type CountName = Exclude<keyof ProjectSummary, 'problems' | 'awaiting_review'>;

/**
 * The count of a collection in a project's summary: the number of its records, of its records with one key of an index,
 * or by key.
 */
export interface Counted<A extends CountName = CountName> {
  readonly as: A;
  readonly index?: string;
  /** One key, or the keys of an object of numbers. */
  readonly keys?: string | readonly string[];
}

/** The fields that every record has. */
type Kept = 'id' | 'created_at' | 'updated_at';

/** A rule for a field of this type: a field that cannot be null has a default or is required for a new record. */
type RuleOf<T> = null extends T
  ? FieldRule & { readonly absent?: T }
  : FieldRule & ({ readonly absent: T } | { readonly given: true });

/** The types of a resource: the whole, and a row of an agent's list. */
interface Views {
  readonly details: object;
  readonly row: object;
}

type RequiredKey<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];

/** The places that show field K, as the types of its resource require or permit. */
type ShownRule<K, V extends Views> =
  K extends RequiredKey<V['row']>
    ? { readonly shown: 'row' }
    : K extends keyof V['details']
      ? K extends keyof V['row']
        ? { readonly shown?: 'row' }
        : { readonly shown?: never }
      : { readonly shown: 'internal' };

/** A field is computed if its resource has a member of the same name and another type. */
type ComputedRule<T, K, D> = K extends keyof D
  ? T extends D[K]
    ? { readonly computed?: true }
    : { readonly computed: true }
  : { readonly computed?: never };

/** A rule for each field of a record, in the order of a file's keys; `id` and the times declare their positions. */
export type FieldsOf<R, V extends Views> = {
  readonly [K in Exclude<keyof R, Kept>]-?: RuleOf<R[K]> & ShownRule<K, V> & ComputedRule<R[K], K, V['details']>;
} & {
  readonly [K in Kept]?: { readonly always?: true };
};

type FieldWith<F, Rule> = { [K in keyof F]: F[K] extends Rule ? K : never }[keyof F];

/** The properties of a collection in its type. */
interface Known<R, F, L, C, A> {
  readonly record: R;
  /** The fields that are required for a new record. */
  readonly given: FieldWith<F, { readonly given: true }>;
  /** True if there is a history, that is, if a field is versioned. */
  readonly history: [FieldWith<F, { readonly versioned: number }>] extends [never] ? false : true;
  readonly title: FieldWith<F, { readonly search: 'title' }>;
  readonly text: FieldWith<F, { readonly search: 'text' }>;
  readonly list: L;
  readonly comments: C;
  readonly counted: A;
}

/** A collection with its properties outside the store. */
export interface Declared<N extends string, T> extends UncheckedCollection {
  readonly name: N;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** The name of its list in an export. Absent: exports contain it in another form. */
  readonly list?: string;
  readonly comments?: Commented;
  readonly counted?: Counted;
  /** A member for types only. */
  readonly types?: T;
}

type Options<N, L, C, A extends CountName> = Pick<
  UncheckedCollection,
  'id' | 'location' | 'whole' | 'bytes' | 'fileBytesMax' | 'indexes' | 'linkable' | 'rebuilt'
> &
  Pick<Collection['shape'], 'format' | 'alternative'> & {
    readonly name: N;
    readonly list?: L;
    /** Absent: they have no comments. */
    readonly comments?: C;
    /** Absent: the summary of a project does not count them. */
    readonly counted?: Counted<A>;
  };

/**
 * Declares a collection of records of type R, with the views V for callers. The store, the views, search, comments, counts, restoring and
 * exports use only these rules of its fields.
 */
export function declare<R, V extends Views = Views>() {
  return <
    const N extends string,
    const F extends FieldsOf<R, V>,
    const L extends string = never,
    const C extends Commented = never,
    const A extends CountName = never,
  >({
    fields,
    format,
    alternative,
    ...options
  }: Options<N, L, C, A> & { readonly fields: F }): Declared<N, Known<R, F, L, C, A>> => {
    const rules = Object.entries<FieldRule>(fields);
    const named = (chosen: (rule: FieldRule) => boolean): string[] =>
      rules.filter(([, rule]) => chosen(rule)).map(([name]) => name);
    const [body] = named((rule) => rule.in === 'body');
    const inBody = (name: string): number => Number(name !== body);
    const members = named(({ merge }) => merge === 'members');
    const paths = named(({ path }) => path === true);
    return {
      ...options,
      fields,
      shape: {
        format,
        ...(body === undefined ? undefined : { body }),
        fields: rules
          .filter(([, rule]) => rule.in === undefined)
          .map(([name, { kind = 'text', absent = null, always, alias, synonyms, lists }]) => ({
            ...{ name, kind, absent },
            ...(always && { always }),
            ...(alias !== undefined && { alias }),
            ...(synonyms && { synonyms }),
            ...(lists && { lists }),
          })),
        ...(alternative && { alternative }),
      },
      versioned: named(({ versioned }) => versioned !== undefined).sort(
        (a, b) =>
          (fields as Record<string, FieldRule>)[a]!.versioned! - (fields as Record<string, FieldRule>)[b]!.versioned!,
      ),
      sets: named(({ merge }) => merge === 'set'),
      texts: named(({ merge }) => merge === 'lines').sort((a, b) => inBody(a) - inBody(b)),
      ...(members.length > 0 && { members }),
      ...(paths.length > 0 && { paths }),
    };
  };
}
