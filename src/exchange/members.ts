import type { Fields } from '../domain/exchange/draft.ts';
import { isObject } from '../base/is-object.ts';

/** A plain object; undefined for anything else. */
export function objectOf(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined;
}

/** A list, in the form of GraphQL as well (`{nodes: […]}`, `{edges: [{node}]}`); undefined for anything else. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as unknown[];
  const { nodes, edges } = objectOf(value) ?? {};
  if (Array.isArray(nodes)) return nodes as unknown[];
  const isEdges = Array.isArray(edges) && edges.every((edge) => edge === null || 'node' in (objectOf(edge) ?? {}));
  return isEdges ? edges.map((edge) => objectOf(edge)?.['node'] ?? null) : undefined;
}

/** The plain objects of a list; empty for any other value. */
export function objectsIn(value: unknown): Fields[] {
  return (listOf(value) ?? []).filter((item): item is Fields => objectOf(item) !== undefined);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Members with a value. */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** A value in a report or text: a text as it is, anything else as JSON. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
