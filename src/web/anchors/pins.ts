import type { CommentRow } from '../api/comments.ts';
import type { CommentAnchor } from '../rest/types.ts';

/** A point on a page, in per cent of its width and height. */
export interface Pin {
  readonly x: number;
  readonly y: number;
}

/** A point as a W3C selector: a media fragment without extent. */
export function pinAnchor({ x, y }: Pin): CommentAnchor {
  return {
    type: 'FragmentSelector',
    conformsTo: 'http://www.w3.org/TR/media-frags/',
    value: `xywh=percent:${rounded(x)},${rounded(y)},0,0`,
  };
}

function rounded(share: number): string {
  return String(Math.round(Math.min(100, Math.max(0, share)) * 100) / 100);
}

/** The point that a comment is pinned to; undefined if it is not pinned. */
export function pinOf({ id, anchor }: CommentRow): (Pin & { readonly id: string }) | undefined {
  const value: unknown = anchor?.['value'];
  if (anchor?.['type'] !== 'FragmentSelector' || typeof value !== 'string') return undefined;
  const [, x, y] = /^xywh=percent:([\d.]+),([\d.]+)(?:,|$)/.exec(value) ?? [];
  const point = { x: Number(x), y: Number(y) };
  return Number.isFinite(point.x) && Number.isFinite(point.y) ? { id, ...point } : undefined;
}
