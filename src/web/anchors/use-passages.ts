import { useEffect, useMemo, useState } from 'react';
import type { CommentRow } from '../api/comments.ts';
import { offsetAt, rangeIn, stretchIn, textIn } from './dom-text.ts';
import { findQuote, lettersOf, passageOf, quoteIn, quoteOf } from './text-quote.ts';
import type { Stretch, TextQuote } from './text-quote.ts';

/** The passage of a comment, as a quote. */
export interface Quoted {
  readonly id: string;
  readonly quote: TextQuote;
}

export function quotesOf(comments: readonly CommentRow[]): readonly Quoted[] {
  return comments.flatMap(({ id, anchor, passage }) => {
    const quote = quoteIn(anchor, passage);
    return quote === undefined ? [] : [{ id, quote }];
  });
}

export interface Placed extends Stretch {
  readonly id: string;
}

/** The ranges of the quotes that are found in a text. */
export function placesIn(text: string, quotes: readonly Quoted[]): readonly Placed[] {
  if (quotes.length === 0) return [];
  const letters = lettersOf(text);
  return quotes.flatMap(({ id, quote }) => {
    const found = findQuote(letters, quote);
    return found === undefined ? [] : [{ id, ...found }];
  });
}

/** The selection as an anchor of a comment, and its position in the window. */
export interface Selected {
  readonly passage: string;
  readonly anchor: TextQuote;
  readonly box: { readonly left: number; readonly top: number; readonly bottom: number };
}

export function selectedIn(text: string, stretch: Stretch, box: DOMRect | undefined): Selected | undefined {
  const anchor = quoteOf(text, stretch);
  const passage = passageOf(text, stretch);
  if (anchor === undefined || passage === '') return undefined;
  const { left = 0, top = 0, bottom = 0 } = box ?? {};
  return { passage, anchor, box: { left, top, bottom } };
}

/** Observes the selection in a rendered text. */
export function useSelectionIn(root: HTMLElement | null, onSelected: (selected: Selected | undefined) => void): void {
  useEffect(() => {
    if (root === null) return;
    const look = (): void => {
      const selection = document.getSelection();
      if (selection === null || selection.rangeCount === 0) return;
      const range = selection.getRangeAt(0);
      const stretch = stretchIn(root, range);
      if (stretch === undefined) return;
      onSelected(range.collapsed ? undefined : selectedIn(textIn(root), stretch, range.getBoundingClientRect()));
    };
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, [root, onSelected]);
}

/** Highlights the passages of comments in a rendered text, and reports which one was clicked and which are not found. */
export function usePassages(
  root: HTMLElement | null,
  quotes: readonly Quoted[],
  chosen: string | undefined,
  onChoose: (id: string) => void,
  onLost?: (ids: ReadonlySet<string>) => void,
): void {
  const version = useTextVersion(root);
  const places = useMemo(
    // The version changes with the text.
    () => (root === null || version < 0 ? [] : placesIn(textIn(root), quotes)),
    [root, quotes, version],
  );
  useEffect(() => {
    if (root === null || !('highlights' in CSS)) return;
    const ranges = (of: (place: Placed) => boolean): Range[] =>
      places.filter(of).flatMap((place) => rangeIn(root, place) ?? []);
    CSS.highlights.set('planner-passage', new Highlight(...ranges(({ id }) => id !== chosen)));
    CSS.highlights.set('planner-passage-chosen', new Highlight(...ranges(({ id }) => id === chosen)));
    return () => {
      CSS.highlights.delete('planner-passage');
      CSS.highlights.delete('planner-passage-chosen');
    };
  }, [root, places, chosen]);
  useEffect(() => {
    if (root === null) return;
    const press = (event: MouseEvent): void => {
      if (!(document.getSelection()?.isCollapsed ?? true)) return;
      const at = offsetAt(root, event.clientX, event.clientY);
      const place = places.find(({ from, to }) => at !== undefined && from <= at && at < to);
      if (place !== undefined) onChoose(place.id);
    };
    root.addEventListener('click', press);
    return () => root.removeEventListener('click', press);
  }, [root, places, onChoose]);
  useEffect(() => {
    // An empty text has not been rendered yet: no passage is lost.
    if (root === null || textIn(root) === '') return;
    const found = new Set(places.map(({ id }) => id));
    onLost?.(new Set(quotes.map(({ id }) => id).filter((id) => !found.has(id))));
  }, [root, places, quotes, onLost]);
}

/** Scrolls to a passage in a rendered text. */
export function showPassage(root: HTMLElement, { quote }: Quoted): void {
  const found = findQuote(lettersOf(textIn(root)), quote);
  const range = found === undefined ? undefined : rangeIn(root, found);
  range?.startContainer.parentElement?.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

/** The delay after a change of a text before passages are looked for, in milliseconds. Ranges that are found move with the text. */
const settledMs = 120;

/** Grows after the text of an element has changed. */
function useTextVersion(root: HTMLElement | null): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (root === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setVersion((former) => former + 1), settledMs);
    });
    observer.observe(root, { childList: true, characterData: true, subtree: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [root]);
  return version;
}
