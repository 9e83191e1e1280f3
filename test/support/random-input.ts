import type { Random } from './random.ts';
import { nastyText, oneLine } from './nasty-texts.ts';

/** A self-contained JSON Schema as the catalogue's inputs are: with Planner's own keywords still in it. */
export interface InputSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
  readonly anyOf?: readonly InputSchema[];
  readonly oneOf?: readonly InputSchema[];
  readonly allOf?: readonly InputSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxBytes?: number;
  readonly notBlank?: boolean;
  readonly oneLine?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly additionalProperties?: unknown;
}

/** Ids that are there, by the member that takes them (`task_id`). */
export type Pool = ReadonlyMap<string, readonly string[]>;

/** Texts that a random generator would not produce, by the pattern or format that requires them. */
const formed: readonly (readonly [form: RegExp, texts: readonly string[]])[] = [
  [/^date$/, ['2030-01-31', '1999-12-31']],
  [/^date-time$/, ['2030-01-31T10:00:00.000Z']],
  [/\{6\}/, ['#00aa7f']],
  [/\{64\}/, ['0123456789abcdef'.repeat(4)]],
  [/\{0,99\}/, ['rev_0000000000000000']],

  [/0-9a-fA-F|0-9a-f/, ['4f2c9d1', '0123456789abcdef0123456789abcdef01234567']],
];

/** Members whose form is the domain's to check, by their names. */
const byName: Readonly<Record<string, readonly string[]>> = {
  expires: ['1h', '24h', '30d'],
  repo_url: ['https://example.org/garden.git', 'git@example.org:garden.git'],
  folder_path: ['src', 'src/garden'],
  format: ['planner-export-v1'],
  mime: ['image/png', 'text/plain', 'image/svg+xml'],
  session: ['tab-4f2c9d1'],
};

/** Draws values that fit a schema, as far as a schema determines that. */
export class RandomInput {
  readonly #random: Random;
  readonly #pool: Pool;

  readonly #nasty: number;

  /** `nasty`: the share of texts that are hard to keep as they are. */
  constructor(random: Random, pool: Pool, nasty = 0) {
    this.#random = random;
    this.#pool = pool;
    this.#nasty = nasty;
  }

  /** An object's members: all that are required or `needed`, others with a chance of `optional`. */
  members(schema: InputSchema, optional: number, needed: Iterable<string> = []): Record<string, unknown> {
    const required = new Set([...(schema.required ?? []), ...needed]);
    const drawn = Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name) || this.#random.chance(optional))
      .map(([name, member]) => [name, this.value(member, name)]);
    return Object.fromEntries(drawn) as Record<string, unknown>;
  }

  value(schema: InputSchema, name = '', depth = 0): unknown {
    const random = this.#random;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return random.pick(schema.enum);
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices !== undefined) {
      const { oneOf: _, anyOf: __, ...beside } = schema;
      return this.value({ ...beside, ...random.pick(choices) }, name, depth);
    }
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object']);
    switch (random.pick(types)) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return random.integer(
          schema.minimum ?? -1000,
          Math.min(schema.maximum ?? 1000, (schema.minimum ?? -1000) + 50),
        );
      case 'array':
        return this.#array(schema, name, depth);
      case 'string':
        return this.#text(schema, name);
      default:
        return depth > 6 ? {} : this.#object(schema, depth);
    }
  }

  #object(schema: InputSchema, depth: number): unknown {
    const required = new Set(schema.required ?? []);
    const drawn = Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name) || this.#random.chance(0.4))
      .map(([name, member]) => [name, this.value(member, name, depth + 1)]);
    return Object.fromEntries(drawn);
  }

  #array(schema: InputSchema, name: string, depth: number): unknown {
    const least = schema.minItems ?? 0;
    const length = this.#random.integer(least, Math.min(schema.maxItems ?? 3, least + 3));
    // `document_ids` holds what `document_id` takes.
    const item = name.replace(/s$/, '');
    return Array.from({ length }, () => this.value(schema.items ?? { type: 'string' }, item, depth + 1));
  }

  #text(schema: InputSchema, name: string): string {
    const random = this.#random;
    const ids = this.#pool.get(name);
    if (ids !== undefined && ids.length > 0 && !random.chance(this.#nasty / 10)) return random.pick(ids);
    const known = byName[name];
    if (known !== undefined && !random.chance(this.#nasty / 2)) return random.pick(known);
    const form = schema.format ?? schema.pattern;
    const texts = form === undefined ? undefined : formed.find(([pattern]) => pattern.test(form))?.[1];
    if (texts !== undefined) return random.pick(texts);
    if (name === 'content_base64') return Buffer.from(nastyText(random)).toString('base64');
    const text = random.chance(this.#nasty) ? nastyText(random) : `Text ${random.integer(1, 1_000_000)}`;
    const allowed = schema.oneLine === true ? oneLine(text) : text;
    const short = [...allowed].slice(0, Math.min(schema.maxLength ?? 2000, 2000)).join('');
    if (schema.notBlank !== true && (schema.minLength ?? 0) === 0) return short;
    return short.trim() === '' ? `Text ${random.integer(1, 1_000_000)}` : short;
  }
}

/** One thing wrong with an otherwise sound input. */
export interface Broken {
  /** `missing label`, for the message of a failure. */
  readonly what: string;
  /** The member in question. */
  readonly member: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The types that a schema admits at its top. */
function typesOf(schema: InputSchema): ReadonlySet<string> {
  const own = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const listed = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])].map((value) =>
    value === null ? 'null' : typeof value,
  );
  const nested = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((inner) => [
    ...typesOf(inner),
  ]);
  return new Set([...own, ...listed, ...nested]);
}

const samples: readonly (readonly [type: string, value: unknown])[] = [
  ['number', 12.5],
  ['boolean', true],
  ['array', ['x', 'y']],
  ['object', { odd: 1 }],
  ['string', 'surprise'],
];

function admits(types: ReadonlySet<string>, type: string): boolean {
  return types.size === 0 || types.has(type) || (type === 'number' && types.has('integer'));
}

/** Every way in which one member of a sound input is wrong: missing, blank, over-long, of a wrong type, not of its list; and one unknown member. */
export function* brokenInputs(schema: InputSchema, sound: Readonly<Record<string, unknown>>): Generator<Broken> {
  for (const member of schema.required ?? []) {
    const { [member]: _, ...input } = sound;
    yield { what: `missing ${member}`, member, input };
  }
  for (const [member, of] of Object.entries(schema.properties ?? {})) {
    const broken = (what: string, value: unknown): Broken => ({
      what: `${what} ${member}`,
      member,
      input: { ...sound, [member]: value },
    });
    if (of.notBlank === true || (of.minLength ?? 0) > 0) yield broken('blank', of.notBlank === true ? ' \n\t ' : '');
    const longest = of.maxBytes ?? of.maxLength;
    if (longest !== undefined) yield broken('over-long', 'x'.repeat(longest + 1));
    const types = typesOf(of);
    for (const [type, value] of samples) if (!admits(types, type)) yield broken(`of type ${type}:`, value);
    if (of.enum !== undefined && types.has('string')) yield broken('unlisted', 'surprise');
  }
  yield { what: 'unknown surprise', member: 'surprise', input: { ...sound, surprise: 1 } };
}
