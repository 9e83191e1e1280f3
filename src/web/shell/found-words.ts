import { useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Location } from 'react-router';

/** Letters without accents, in lower case: the same number of characters for most texts. */
const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

export const wordsOf = (query: string): readonly string[] => folded(query).match(/[\p{L}\p{N}]+/gu) ?? [];

/** The parts of a text: each with the word of the query that it begins with. */
export function partsOf(text: string, words: readonly string[]): readonly (readonly [part: string, word?: string])[] {
  return text.split(/([\p{L}\p{N}\p{M}]+)/u).map((part, at) => {
    const word = at % 2 === 1 ? words.find((one) => folded(part).startsWith(one)) : undefined;
    return word === undefined ? [part] : [part, word];
  });
}

/** The state of a navigation to a search result: its words, and the part of the page that has them. */
export interface Found {
  readonly words: readonly string[];
  readonly within: string;
}

const name = 'planner-found';
const block = 'p, li, td, th, dd, pre, blockquote, h1, h2, h3, h4, h5, h6, div';

/**
 * Marks the words of a search result, in texts that are drawn later too, and scrolls to the passage with the most of
 * them. Escape, typing and the next navigation end it.
 */
export function useFoundWords(): void {
  const { key, state } = useLocation() as Location<Partial<Found> | null>;
  useEffect(() => {
    const { words = [], within = '' } = state ?? {};
    if (words.length === 0 || !('highlights' in CSS)) return;
    let [most, frame] = [0, 0];
    const mark = (): void => {
      frame = 0;
      const ranges = [...document.querySelectorAll(within)].flatMap((root) => rangesIn(root, words));
      CSS.highlights.set(name, new Highlight(...ranges.map(({ range }) => range)));
      for (const { root, range, count } of ranges) {
        const { parentElement: parent } = range.startContainer;
        const beside = parent!.closest('aside, a, button, .cm-editor');
        // Lists of names and sources are next to the text.
        if (count <= most || root.contains(beside)) continue;
        most = count;
        parent!.scrollIntoView({ block: 'center' });
      }
    };
    const observer = new MutationObserver(() => (frame ||= requestAnimationFrame(mark)));
    const end = (): void => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(name);
    };
    const onKey = (event: KeyboardEvent): void => void (event.key === 'Escape' && end());
    observer.observe(document.body, { childList: true, characterData: true, subtree: true });
    document.addEventListener('keydown', onKey, true);
    document.addEventListener('input', end);
    mark();
    return () => {
      end();
      document.removeEventListener('keydown', onKey, true);
      document.removeEventListener('input', end);
    };
  }, [key, state]);
}

interface Passage {
  readonly root: Element;
  readonly range: Range;
  /** The number of different words in its block. */
  readonly count: number;
}

/** The words in an element. */
function rangesIn(root: Element, words: readonly string[]): readonly Passage[] {
  const found: Passage[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parts = partsOf(node.textContent!, words);
    if (parts.every(([, word]) => word === undefined)) continue;
    const text = node.parentElement!.closest(block)!.textContent;
    const count = new Set(partsOf(text, words).map(([, one]) => one)).size;
    let at = 0;
    for (const [part, word] of parts) {
      if (word !== undefined) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + part.length);
        found.push({ root, range, count });
      }
      at += part.length;
    }
  }
  return found;
}
