import { StateEffect, StateField } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';
import { placesIn } from '../../anchors/use-passages.ts';
import type { Quoted } from '../../anchors/use-passages.ts';

interface Marks {
  readonly quotes: readonly Quoted[];
  readonly chosen: string | undefined;
}

/** Highlights the passages of comments; they move with the text while it is edited. */
export const setPassages = StateEffect.define<Marks>();

export function passageMarks(onChoose: (id: string) => void): Extension {
  return [
    marks,
    EditorView.domEventHandlers({
      click: (event, view) => {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at === null || !view.state.selection.main.empty) return false;
        const id = passageAt(view, at);
        if (id !== undefined) onChoose(id);
        return false;
      },
    }),
  ];
}

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (former, transaction) => {
    let next = former.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(setPassages)) next = made(transaction.state.doc.toString(), effect.value);
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function made(text: string, { quotes, chosen }: Marks): DecorationSet {
  const places = placesIn(text, quotes).filter(({ from, to }) => to > from);
  return Decoration.set(
    places.map(({ id, from, to }) =>
      Decoration.mark({ class: id === chosen ? 'cm-passage cm-passage-chosen' : 'cm-passage', id }).range(from, to),
    ),
    true,
  );
}

function passageAt(view: EditorView, at: number): string | undefined {
  let found: string | undefined;
  view.state.field(marks).between(at, at, (_, __, mark) => {
    found ??= (mark.spec as { readonly id: string }).id;
  });
  return found;
}

/** Scrolls to the passage of a comment. */
export function showMark(view: EditorView, id: string): boolean {
  const cursor = view.state.field(marks).iter();
  for (; cursor.value !== null; cursor.next()) {
    if ((cursor.value.spec as { readonly id: string }).id !== id) continue;
    view.dispatch({ effects: EditorView.scrollIntoView(cursor.from, { y: 'center' }) });
    return true;
  }
  return false;
}
