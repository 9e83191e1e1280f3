import { PlannerError } from '../../errors.ts';
import type { Tag } from '../declaration/operation.ts';

/** The strong entity tag of a resource in HTTP's syntax: `"<own>.<rest>"`, quotes included. */
export function entityTag({ own, rest }: Tag): string {
  return `"${own}.${rest}"`;
}

/** Whether an If-None-Match header names the current state of the resource. Weak comparison, as RFC 9110 requires. */
export function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((part) => part.trim().replace(/^W\//, '') === etag);
}

/**
 * Throws `precondition_failed` unless an If-Match header names the resource's own state; everything else in the response may have changed.
 * Weak tags never match.
 */
export function requireMatch(ifMatch: string, tag: Tag): void {
  const tags = ifMatch.split(',').map((part) => part.trim());
  if (tags.some((part) => part === '*' || (part.startsWith('"') && ownOf(part) === tag.own))) return;
  throw new PlannerError(
    'precondition_failed',
    'The resource changed since the state that If-Match names. Read it again and apply the change to its current state.',
    { current: entityTag(tag) },
  );
}

function ownOf(quoted: string): string {
  const dot = quoted.indexOf('.');
  return quoted.slice(1, dot === -1 ? -1 : dot);
}
