import type { Link } from '../../record/record.ts';
import { Unreadable } from './source-text.ts';

/** A link in a file, without derived members. Members in the order in which they are written. */
export type WrittenLink = Partial<Record<keyof Link, string>> & { readonly to: string };

/** Decides whether a link's id and type follow from its other members, so that a file need not contain them. */
export interface LinkOptions {
  readonly omitLinkId?: (link: Link) => boolean;
  readonly omitLinkType?: (link: Link) => boolean;
}

export const linkMembers = ['to', 'type', 'label', 'id', 'style', 'arrow_direction', 'created_at'] as const;

/** The link as it is written. A link read from a file may have no id and type; they are then not written. */
export function writtenLink(link: Link, options: LinkOptions): WrittenLink {
  const written: Record<string, string> = {};
  for (const member of linkMembers) {
    const value: unknown = link[member];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string') throw new TypeError(`A link's ${member} is text, not ${typeof value}.`);
    if (member === 'id' && options.omitLinkId?.(link)) continue;
    if (member === 'type' && options.omitLinkType?.(link)) continue;
    written[member] = value;
  }
  return written as WrittenLink;
}

/** The key that identifies an edge among a record's entries. */
export function linkKey(link: { readonly to: string; readonly label?: string }): string {
  return `${link.to}\0${link.label ?? ''}`;
}

/** Compares by to, label; entries that are equal in both have a fixed order, too. */
export function compareWritten(a: WrittenLink, b: WrittenLink): number {
  for (const member of ['to', 'label', 'id', 'type'] as const) {
    const [left, right] = [a[member] ?? '', b[member] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Builds a link from its members as read. Unknown members belong to a person and are ignored. */
export function readLink(read: (member: string) => string | null, at: number, name: string): WrittenLink {
  const link: Record<string, string> = {};
  for (const member of linkMembers) {
    const value = read(member);
    if (value !== null) link[member] = value;
  }
  if (link['to'] === undefined || link['to'] === '')
    throw new Unreadable(at, `${name}: each link needs \`to\`, the id of what it points at.`);
  return link as WrittenLink;
}
