import { startTransition, useEffect, useRef, useState } from 'react';
import { wholeCharactersMax } from './blocks.ts';
import { MarkdownParser } from './markdown-tree.ts';
import type { MarkdownNode } from './markdown-tree.ts';
import { patchApart, keepWorker } from './parse-apart.ts';
import { patchBetween, patched } from './tree-patch.ts';
import type { TreePatch } from './tree-patch.ts';

/** What takes longer to parse waits for a pause in typing, in milliseconds: the keys need the processor. */
const quickMsMax = 60;
const pauseMsMax = 500;

export interface MarkdownTree {
  /** The text that is shown. */
  readonly text: string;
  readonly nodes: readonly MarkdownNode[];
}

/**
 * A text with its nodes; those that a change leaves as they are stay the same objects. While a text is typed (`live`), its nodes follow after
 * the typed letter is drawn, and a long text is parsed in a worker.
 */
export function useMarkdownTree(text: string, live: boolean): MarkdownTree {
  const [shown, setShown] = useState<MarkdownTree>(() => changed({ text: '', nodes: [] }, text));
  const now = live || shown.text === text ? shown : changed(shown, text);
  if (now !== shown) setShown(now);
  const asked = useRef({ isWaiting: false, pauseMs: 0 });
  useEffect(() => (live ? keepWorker() : undefined), [live]);
  useEffect(() => {
    const { current } = asked;
    if (!live || shown.text === text || current.isWaiting) return;
    const show = (next: (former: MarkdownTree) => MarkdownTree): void =>
      startTransition(() => setShown((former) => (former === shown ? next(former) : former)));
    const parse = (): void => show((former) => changed(former, text));
    if (text.length < wholeCharactersMax) return parse();
    const ask = (): void => {
      current.isWaiting = true;
      void patchApart(shown.text, text)
        .then(({ patch, tookMs }) => {
          current.pauseMs = tookMs < quickMsMax ? 0 : Math.min(tookMs, pauseMsMax);
          show((former) => applied(former, text, patch));
        }, parse)
        .finally(() => (current.isWaiting = false));
    };
    const timer = setTimeout(ask, current.pauseMs);
    return () => clearTimeout(timer);
  }, [live, shown, text]);
  return now;
}

function applied({ nodes }: MarkdownTree, text: string, patch: TreePatch | undefined): MarkdownTree {
  return { text, nodes: patch === undefined ? nodes : patched(nodes, patch) };
}

function changed(former: MarkdownTree, text: string): MarkdownTree {
  return applied(former, text, patchBetween(former.nodes, new MarkdownParser().parse(text)));
}
