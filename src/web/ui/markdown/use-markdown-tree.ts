import { startTransition, useEffect, useRef, useState } from 'react';
import { wholeCharactersMax } from './blocks.ts';
import { MarkdownParser } from './markdown-tree.ts';
import type { MarkdownNode } from './markdown-tree.ts';
import { patchApart, keepWorker } from './parse-apart.ts';
import { patchBetween, patched } from './tree-patch.ts';
import type { TreePatch } from './tree-patch.ts';

/** The preview waits for a pause in typing, in milliseconds: the longer the text, and the longer it takes to parse. */
function pauseMs(text: string, tookMs: number): number {
  return Math.min(500, Math.max(text.length / 1000, tookMs < 60 ? 0 : tookMs));
}

/** The tree is updated at least this often while the typing does not pause, in milliseconds. */
const waitMsMax = 1500;

export interface MarkdownTree {
  /** The text that is shown. */
  readonly text: string;
  readonly nodes: readonly MarkdownNode[];
}

interface Asked {
  /**
   * The tree from which the worker was asked to continue. It is asked again once a newer tree is drawn: a tree that has
   * arrived is drawn later than the next letter, and a continuation of the former tree would not fit it.
   */
  from: MarkdownTree | undefined;
  /** The time that the last text took to parse, in milliseconds. */
  tookMs: number;
  /** The time of the first change that is not asked for. */
  since: number | undefined;
}

/**
 * A text with its nodes; nodes that a change does not affect remain the same objects. While a text is typed (`live`),
 * its nodes follow after the typed letter is drawn, and a long text is parsed in a worker.
 */
export function useMarkdownTree(text: string, live: boolean): MarkdownTree {
  const [parser] = useState(() => new MarkdownParser());
  const [shown, setShown] = useState<MarkdownTree>(() => changed(parser, { text: '', nodes: [] }, text));
  const now = live || shown.text === text ? shown : changed(parser, shown, text);
  if (now !== shown) setShown(now);
  const asked = useRef<Asked>({ from: undefined, tookMs: 0, since: undefined });
  useEffect(() => (live ? keepWorker() : undefined), [live]);
  useEffect(() => {
    const { current } = asked;
    if (!live || shown.text === text || current.from === shown) return;
    const show = (next: (former: MarkdownTree) => MarkdownTree): void =>
      startTransition(() => setShown((former) => (former === shown ? next(former) : former)));
    const parse = (): void => show((former) => changed(parser, former, text));
    if (text.length < wholeCharactersMax) return parse();
    const ask = (): void => {
      current.from = shown;
      current.since = undefined;
      void patchApart(shown.text, text).then(({ patch, tookMs }) => {
        current.tookMs = tookMs;
        show((former) => applied(former, text, patch));
      }, parse);
    };
    const time = performance.now();
    current.since ??= time;
    const timer = setTimeout(ask, Math.min(pauseMs(text, current.tookMs), current.since + waitMsMax - time));
    return () => clearTimeout(timer);
  }, [live, parser, shown, text]);
  return now;
}

function applied({ nodes }: MarkdownTree, text: string, patch: TreePatch | undefined): MarkdownTree {
  return { text, nodes: patch === undefined ? nodes : patched(nodes, patch) };
}

function changed(parser: MarkdownParser, former: MarkdownTree, text: string): MarkdownTree {
  return applied(former, text, patchBetween(former.nodes, parser.parse(text)));
}
