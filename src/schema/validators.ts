import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { limits } from '../limits.ts';
import type { Violation } from '../store/collection.ts';
import { inlinedForUs } from './inline.ts';
import { violationsOf } from './violations.ts';

/** Checks values against one definition; empty when they are right. */
export type Validator = (value: unknown) => readonly Violation[];

const none: readonly Violation[] = [];

/** Stops at the first violation: what nearly every value goes through. */
const quick = newAjv(false);
/** Finds the others, once there is one. */
const thorough = newAjv(true);

function newAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors, verbose: true, allowUnionTypes: true, strictRequired: false });
  // The plugin is CommonJS: its default export is a member of what is imported.
  formatsPlugin.default(ajv, ['date-time', 'date']);
  ajv.addKeyword({
    keyword: 'maxBytes',
    type: 'string',
    schemaType: 'number',
    errors: false,
    validate: (max: number, text: string) => text.length * 3 <= max || Buffer.byteLength(text) <= max,
  });
  ajv.addKeyword({
    keyword: 'notBlank',
    type: 'string',
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, text: string) => !wanted || /\S/.test(text),
  });
  // Says where a member is shown; every door takes it.
  ajv.addKeyword({ keyword: 'restOnly', schemaType: 'boolean' });
  return ajv;
}

const compiled = new Map<string, Validator>();

/** The validator of a definition of `schemas/`. Compiled at its first use: a process pays for what it is asked. */
export function validator(definition: string): Validator {
  let known = compiled.get(definition);
  if (known === undefined) compiled.set(definition, (known = lazily(definition)));
  return known;
}

/** What is wrong with a value, at most `limits.violationsMax` violations; the first one found comes first. */
export function validate(definition: string, value: unknown): readonly Violation[] {
  return validator(definition)(value);
}

function lazily(definition: string): Validator {
  let first: ValidateFunction | undefined;
  let all: ValidateFunction | undefined;
  return (value) => {
    first ??= quick.compile(inlinedForUs(definition));
    if (first(value)) return none;
    const errors = first.errors ?? [];
    const decisive = errors.at(-1);
    all ??= thorough.compile(inlinedForUs(definition));
    all(abridged(value, decisive?.instancePath.split('/').slice(1) ?? []));
    const found = violationsOf(all.errors ?? []);
    // A list that is too long no longer is when it is cut.
    const lost = violationsOf(errors.slice(-1)).filter(() => found.length === 0 || decisive?.keyword === 'maxItems');
    const others = found.filter(({ field }) => !lost.some((one) => one.field === field));
    return [...lost, ...others].slice(0, limits.violationsMax);
  };
}

/** Lists are cut here, but not before the item that is known to be wrong: ajv would name every wrong item of ten thousand. */
const itemsLookedAt = 100;

function abridged(value: unknown, towards: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [next, ...further] = towards;
  const along = (key: string, item: unknown): unknown => abridged(item, key === next ? further : []);
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, along(key, item)]));
  const end = Math.max(itemsLookedAt, next === undefined ? 0 : Number(next) + 1);
  return value.slice(0, end).map((item, at) => along(String(at), item));
}
