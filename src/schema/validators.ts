import type { ValidateFunction } from 'ajv/dist/2020.js';
import { limits } from '../limits.ts';
import type { Violation } from '../store/index.ts';
import { compiled } from './compiled.ts';
import type { Origin } from './new-ajv.ts';
import { violationsOf } from './violations.ts';

/** Checks values against one definition; empty when they are right. */
export type Validator = (value: unknown) => readonly Violation[];

const none: readonly Violation[] = [];

const known = { caller: new Map<string, Validator>(), record: new Map<string, Validator>() };

/** The validator of what callers send, by its definition in `schemas/`. Made at its first use: a process pays for what it is asked. */
export function validator(definition: string): Validator {
  return remembered('caller', definition);
}

/** What is wrong with a record, at most `limits.violationsMax` violations; the first one found comes first. */
export function validate(definition: string, value: unknown): readonly Violation[] {
  return remembered('record', definition)(value);
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
    // A list that is too long no longer is when it is cut.
    const lost = violationsOf(errors.slice(-1)).filter(() => found.length === 0 || decisive?.keyword === 'maxItems');
    const others = found.filter(({ field }) => !lost.some((one) => one.field === field));
    return [...lost, ...others].slice(0, limits.violationsMax);
  };
}

/** Of values with more members than this only the first violation is named: ajv would make an error for each of a million. */
const membersLookedAt = 10_000;

/** Whether a value has too many members to be looked at again. Lists count as far as they are looked at. */
function isWide(value: unknown): boolean {
  let members = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && members <= membersLookedAt) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const items: readonly unknown[] = Array.isArray(next) ? next.slice(0, itemsLookedAt) : Object.values(next);
    members += items.length;
    if (members <= membersLookedAt) left.push(...items);
  }
  return members > membersLookedAt;
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
