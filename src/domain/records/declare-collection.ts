import type { Collection, FieldKind } from '../../store/index.ts';

/** The declaration of a collection without validation of records: merging files needs no more, and starts faster without it. */
export type UncheckedCollection = Omit<Collection, 'validate'>;

/** The declaration of a field: how files store it, how it merges, its value in a new record. */
export interface FieldRule {
  /** The form of its value in a file. Default: `text`. */
  readonly kind?: FieldKind;
  /** The text below the front matter, or derived from the path only. Default: a key of the file. */
  readonly in?: 'body' | 'path';
  /** The value if the file has no such key, and of a new record without another one. Default: null. */
  readonly absent?: unknown;
  /** Written even if it equals `absent`. */
  readonly always?: true;
  /** Required when a record is created; `absent` is then the value in files only. */
  readonly given?: true;
  /**
   * A change of it creates a revision. The number is its position in the hash that identifies a revision: an assigned number is neither
   * changed nor reused.
   */
  readonly versioned?: number;
  /** As a set, line by line, or member by member. Default: as one value. */
  readonly merge?: 'set' | 'lines' | 'members';
  /** A path below the directory of `.planner`: one that leads through a symbolic link is rejected. */
  readonly path?: true;
  /** It may reference another record by id: an import replaces the id. */
  readonly reference?: true;
}

/** Fields that every record has. */
type Kept = 'id' | 'created_at' | 'updated_at';

/** A rule for a field of this type: one that cannot be null has a default, or is given. */
type RuleOf<T> = null extends T
  ? FieldRule & { readonly absent?: T }
  : FieldRule & ({ readonly absent: T } | { readonly given: true });

/** A rule for each field of a record, in the order of a file's keys: `id` and the times declare their positions among them. */
export type FieldsOf<R> = { readonly [K in Exclude<keyof R, Kept>]-?: RuleOf<R[K]> } & {
  readonly [K in Kept]?: { readonly always?: true };
};

type Given<F> = { [K in keyof F]: F[K] extends { readonly given: true } ? K : never }[keyof F];

/** Whether the collection has a history: true if a field is versioned. */
type HasHistory<F> = [Extract<F[keyof F], { readonly versioned: number }>] extends [never] ? false : true;

/** A collection with what is known of its fields beside the store. */
export interface Declared<N extends string, R, G extends PropertyKey, H extends boolean> extends UncheckedCollection {
  readonly name: N;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** What its list in an export is called; absent: exports hold it otherwise. */
  readonly list?: string;
  /** Types alone: the record, the fields that are given for a new one, whether there is a history. */
  readonly types?: { readonly record: R; readonly given: G; readonly history: H };
}

type Options<N> = Pick<UncheckedCollection, 'id' | 'location' | 'whole' | 'bytes' | 'fileBytesMax' | 'indexes'> &
  Pick<Collection['shape'], 'format' | 'alternative'> & { readonly name: N; readonly list?: string };

/** Declares a collection of records of type R. All that the store asks about its fields is derived from the rules. */
export function declare<R>() {
  return <const N extends string, const F extends FieldsOf<R>>({
    fields,
    format,
    alternative,
    ...options
  }: Options<N> & { readonly fields: F }): Declared<N, R, Given<F>, HasHistory<F>> => {
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
          .map(([name, { kind = 'text', absent = null, always }]) => ({
            ...{ name, kind, absent },
            ...(always && { always }),
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
