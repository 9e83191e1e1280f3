import { EditorSelection } from '@codemirror/state';
import type { ChangeSpec } from '@codemirror/state';
import type { EditorView, KeyBinding } from '@codemirror/view';

/** Toggles marks around the selection. */
export function wrap(view: EditorView, mark: string, close = mark): boolean {
  const { state } = view;
  view.dispatch(
    state.changeByRange(({ from, to }) => {
      const around =
        state.sliceDoc(from - mark.length, from) === mark && state.sliceDoc(to, to + close.length) === close;
      if (around)
        return {
          changes: [
            { from: from - mark.length, to: from },
            { from: to, to: to + close.length },
          ],
          range: EditorSelection.range(from - mark.length, to - mark.length),
        };
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: close },
        ],
        range: EditorSelection.range(from + mark.length, to + mark.length),
      };
    }),
    { userEvent: 'input', scrollIntoView: true },
  );
  view.focus();
  return true;
}

/** Adds a prefix to each selected line, or removes it if every line has it. */
export function prefixLines(view: EditorView, sign: string, is: RegExp): boolean {
  const { state } = view;
  const lines = new Map<number, string>();
  for (const { from, to } of state.selection.ranges)
    for (let at = from; ;) {
      const line = state.doc.lineAt(at);
      lines.set(line.from, line.text);
      if (line.to >= to) break;
      at = line.to + 1;
    }
  const all = [...lines].every(([, text]) => is.test(text));
  const changes: ChangeSpec[] = [...lines].map(([from, text]) => {
    const has = is.exec(text)?.[0].length ?? 0;
    return { from, to: from + (all || has > 0 ? has : 0), insert: all ? '' : sign };
  });
  view.dispatch({ changes, userEvent: 'input', scrollIntoView: true });
  view.focus();
  return true;
}

/** Turns the selection into a link and selects its address. */
export function insertLink(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const text = view.state.sliceDoc(from, to);
  const insert = `[${text}](https://)`;
  const at = from + text.length + 3;
  view.dispatch({
    changes: { from, to, insert },
    selection: text === '' ? { anchor: from + 1 } : { anchor: at, head: at + 'https://'.length },
    userEvent: 'input',
  });
  view.focus();
  return true;
}

export const formatKeys: readonly KeyBinding[] = [
  { key: 'Mod-b', run: (view) => wrap(view, '**') },
  { key: 'Mod-i', run: (view) => wrap(view, '_') },
  { key: 'Mod-e', run: (view) => wrap(view, '`') },
  { key: 'Mod-Shift-8', run: (view) => prefixLines(view, '- ', /^[-*] (?!\[[ x]\] )/) },
  { key: 'Mod-Shift-9', run: (view) => prefixLines(view, '- [ ] ', /^[-*] \[[ xX]\] /) },
];
