import { MarkdownParser } from './markdown-tree.ts';
import { patchBetween } from './tree-patch.ts';
import type { TreePatch } from './tree-patch.ts';

/** A text that is shown and the one that is to be shown. */
export interface ParseRequest {
  readonly number: number;
  readonly from: string;
  readonly to: string;
}

export interface ParseResponse {
  readonly number: number;
  /** The time that parsing took, in milliseconds. */
  readonly tookMs: number;
  /** Absent if both texts have the same nodes. */
  readonly patch: TreePatch | undefined;
}

const parser = new MarkdownParser();
let parsed = { text: '', nodes: parser.parse('') };

addEventListener('message', ({ data: { number, from, to } }: MessageEvent<ParseRequest>) => {
  if (parsed.text !== from) parsed = { text: from, nodes: parser.parse(from) };
  const begun = performance.now();
  const next = { text: to, nodes: parser.parse(to) };
  const patch = patchBetween(parsed.nodes, next.nodes);
  postMessage({ number, tookMs: performance.now() - begun, patch } satisfies ParseResponse);
  parsed = next;
});
