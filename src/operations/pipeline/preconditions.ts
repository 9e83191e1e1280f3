import { PlannerError } from '../../base/errors.ts';
import type { Tag } from '../declaration/operation.ts';

/** The strong entity tag of a resource in HTTP's syntax: `"<own>.<rest>"`, quotes included. */
export function entityTag({ own, rest }: Tag): string {
  return `"${own}.${rest}"`;
}

/**
 * Returns whether an If-None-Match header names the current state of the resource. Weak comparison, as RFC 9110
 * requires.
 */
export function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  return tagsOf(ifNoneMatch).some((part) => part === '*' || part === etag || withoutEncoding(part) === etag);
}

/**
 * Throws `precondition_failed` unless an If-Match header names the resource's own state; everything else in the
 * response may have changed. The weak form of a tag counts as the tag: proxies that compress make tags weak, and this
 * service never makes weak tags.
 */
export function requireMatch(ifMatch: string, tag: Tag): void {
  if (tagsOf(ifMatch).some((part) => part === '*' || (part.startsWith('"') && ownOf(part) === tag.own))) return;
  throw new PlannerError(
    'precondition_failed',
    'The resource changed since the state that If-Match names. Read it again and apply the change to its current state.',
    { current: entityTag(tag) },
  );
}

/** The tags of a header, each in its strong form. */
function tagsOf(header: string): string[] {
  return header.split(',').map((part) => part.trim().replace(/^W\//, ''));
}

/** A tag without what Apache and Caddy append to it when they compress: `"x.y-gzip"` is `"x.y"`. */
export function withoutEncoding(quoted: string): string {
  return quoted.replace(/-(?:gzip|br|zstd|deflate)(?="?$)/, '');
}

function ownOf(quoted: string): string {
  const dot = quoted.indexOf('.');
  return quoted.slice(1, dot === -1 ? -1 : dot);
}
