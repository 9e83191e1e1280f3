import type { Link } from '../../record/record.ts';
import { Unreadable } from './source-text.ts';

/** A link as a file holds it: only what is not derived. Members in the order in which they are written. */
export type WrittenLink = Partial<Record<keyof Link, string>> & { readonly to: string };

/** Says of a link's id and type whether they follow from the rest, so that a file need not hold them. */
export interface LinkOptions {
  readonly omitLinkId?: (link: Link) => boolean;
  readonly omitLinkType?: (link: Link) => boolean;
}

export const linkMembers = ['to', 'type', 'label', 'id', 'style', 'arrow_direction', 'created_at'] as const;

/** The link as it is written. A link read from a file may lack id and type; it then has none to write. */
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

/** What makes two entries of one record the same edge. */
export function linkKey(link: { readonly to: string; readonly label?: string }): string {
  return `${link.to}\0${link.label ?? ''}`;
}

/** By to, label; what is equal in both keeps a fixed order too. */
export function compareWritten(a: WrittenLink, b: WrittenLink): number {
  for (const member of ['to', 'label', 'id', 'type'] as const) {
    const [left, right] = [a[member] ?? '', b[member] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** A link of named texts as they were read. Names that a link does not have are a person's own and not looked at. */
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
