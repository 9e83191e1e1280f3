import type { ValidateFunction } from 'ajv/dist/2020.js';
import { limits } from '../base/limits.ts';
import type { Violation } from '../store/index.ts';
import { compiled } from './compiled.ts';
import type { Origin } from './new-ajv.ts';
import { violationsOf } from './violations.ts';

/** Checks values against a definition. Returns the violations; empty if a value is valid. */
export type Validator = (value: unknown) => readonly Violation[];

const none: readonly Violation[] = [];

const known = { caller: new Map<string, Validator>(), record: new Map<string, Validator>() };

/**
 * The validator of callers' input, by its definition in `schemas/`. Created at its first use, so that a process does not compile unused
 * schemas.
 */
export function validator(definition: string): Validator {
  return remembered('caller', definition);
}

/** The validator of records: at most `limits.violationsMax` violations, of which the one found first is the first. */
export function recordValidator(definition: string): Validator {
  return remembered('record', definition);
}

function remembered(origin: Origin, definition: string): Validator {
  let found = known[origin].get(definition);
  if (found === undefined) known[origin].set(definition, (found = lazily(origin, definition)));
  return found;
}

function lazily(origin: Origin, definition: string): Validator {
  let first: ValidateFunction | undefined;
  let all: ValidateFunction | undefined;
  return (value) => {
    first ??= compiled(origin, 'first', definition);
    if (first(value)) return none;
    const errors = first.errors ?? [];
    const decisive = errors.at(-1);
    if (isWide(value)) return violationsOf(errors.slice(-1));
    all ??= compiled(origin, 'all', definition);
    all(abridged(value, decisive?.instancePath.split('/').slice(1) ?? []));
    const found = violationsOf(all.errors ?? []);
    // A cut list no longer violates its maximum length.
    const lost = violationsOf(errors.slice(-1)).filter(() => found.length === 0 || decisive?.keyword === 'maxItems');
    const others = found.filter(({ field }) => !lost.some((one) => one.field === field));
    return [...lost, ...others].slice(0, limits.violationsMax);
  };
}

/**
 * Above this number of members only the first violation of a value is reported: ajv would create an error for each of a
 * million.
 */
const membersValidated = 10_000;

/**
 * Returns whether a value has too many members to be validated again. Of a list, only the items that are validated
 * count.
 */
function isWide(value: unknown): boolean {
  let members = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && members <= membersValidated) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const items: readonly unknown[] = Array.isArray(next) ? next.slice(0, itemsValidated) : Object.values(next);
    members += items.length;
    if (members <= membersValidated) left.push(...items);
  }
  return members > membersValidated;
}

/** Lists are cut here, but not before the item that is known to be invalid: ajv would report every invalid item of ten thousand. */
const itemsValidated = 100;

function abridged(value: unknown, towards: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [next, ...further] = towards;
  const along = (key: string, item: unknown): unknown => abridged(item, key === next ? further : []);
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, along(key, item)]));
  const end = Math.max(itemsValidated, next === undefined ? 0 : Number(next) + 1);
  return value.slice(0, end).map((item, at) => along(String(at), item));
}
