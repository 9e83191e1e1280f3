import { derivedId, idPrefixes } from '../../base/ids.ts';
import type { Link } from './record.ts';

const collectionByPrefix = new Map<string, string>(Object.entries(idPrefixes).map(([kind, prefix]) => [prefix, kind]));

/** A link as given by a caller or a file: id and type may be absent. */
export interface LooseLink extends Omit<Link, 'id' | 'type'> {
  readonly id?: string;
  readonly type?: string;
}

/** The collection that the prefix of a generated id names. */
function collectionOfId(id: string): string | undefined {
  return id.charAt(3) === '_' ? collectionByPrefix.get(id.slice(0, 3)) : undefined;
}

/** The derived id of an edge without one: the same on every clone. */
export function derivedEdgeId(code: string, from: string, to: string, label: string | undefined): string {
  return derivedId('edge', code, from, to, label ?? '');
}

/** An entry without a type whose id names no collection refers to a task. */
function linkType(link: LooseLink): string {
  return link.type ?? collectionOfId(link.to) ?? 'task';
}

/** Returns true if the type follows from the id, so that a file need not contain it. */
export function typeIsImplied(link: Link): boolean {
  return link.type === (collectionOfId(link.to) ?? 'task');
}

/**
 * Links as held in memory: with id and type, sorted by to, label; of entries with equal ends and label in one list one is kept.
 * Returns the same array if nothing changes, so that an unchanged record stays the same object.
 */
export function normaliseLinks(code: string, from: string, links: readonly LooseLink[]): readonly Link[] {
  if (links.length === 0) return links as readonly Link[];
  const kept = new Map<string, Link>();
  for (const link of links) {
    const key = `${link.to}\0${link.label ?? ''}\0${link.in ?? ''}`;
    const former = kept.get(key);
    // An entry with an explicit id has precedence over one with a derived id: callers know the edge by it.
    if (
      former !== undefined &&
      (former.id !== derivedEdgeId(code, from, former.to, former.label) || link.id === undefined)
    )
      continue;
    kept.set(key, { ...link, id: link.id ?? derivedEdgeId(code, from, link.to, link.label), type: linkType(link) });
  }
  const sorted = [...kept.values()].sort(compareLinks);
  return sorted.length === links.length && sorted.every((link, i) => sameLink(link, links[i]))
    ? (links as readonly Link[])
    : sorted;
}

function sameLink(link: Link, other: LooseLink | undefined): boolean {
  return (
    other !== undefined &&
    link.to === other.to &&
    link.label === other.label &&
    link.id === other.id &&
    link.in === other.in &&
    link.type === other.type
  );
}

export function compareLinks(a: LooseLink, b: LooseLink): number {
  if (a.to !== b.to) return a.to < b.to ? -1 : 1;
  const left = a.label ?? '';
  const right = b.label ?? '';
  if (left !== right) return left < right ? -1 : 1;
  const [list, otherList] = [a.in ?? '', b.in ?? ''];
  return list === otherList ? 0 : list < otherList ? -1 : 1;
}
