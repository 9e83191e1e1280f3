import type { Fields } from '../domain/exchange/draft.ts';

/** A plain object; undefined for anything else. */
export function objectOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The plain objects of a list; none for anything else. */
export function objectsIn(value: unknown): Fields[] {
  return (Array.isArray(value) ? value : []).filter((item): item is Fields => objectOf(item) !== undefined);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Members with a value. */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}
