import { StateEffect, StateField } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import type { DecorationSet } from '@codemirror/view';
import { ServiceError, upload } from '../../rest/client.ts';
import { showError } from '../../rest/show-error.ts';

/** Uploads pasted or dropped files and inserts an image or a link. */
export function fileDrops(projectId: string): Extension {
  const take = (view: EditorView, data: DataTransfer | null, at: number): boolean => {
    const files = filesOf(data);
    if (files.length === 0) return false;
    void keepFiles(view, projectId, files, at);
    return true;
  };
  return [
    uploading,
    EditorView.domEventHandlers({
      paste: (event, view) => take(view, event.clipboardData, view.state.selection.main.head),
      drop: (event, view) => {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head;
        const taken = take(view, event.dataTransfer, at);
        if (taken) event.preventDefault();
        return taken;
      },
    }),
  ];
}

/** Text copied from a word processor includes a picture of itself: then the text is used. */
function filesOf(data: DataTransfer | null): File[] {
  if (data === null || data.types.includes('text/plain')) return [];
  return [...data.files];
}

/** Uploads files one after the other and inserts them. */
export async function keepFiles(
  view: EditorView,
  projectId: string,
  files: readonly File[],
  at: number,
): Promise<void> {
  for (const file of files) {
    const id = Symbol(file.name);
    view.dispatch({ effects: begun.of({ id, at: Math.min(at, view.state.doc.length), name: nameOf(file) }) });
    try {
      const kept = await upload('create_file', { project_id: projectId }, file, nameOf(file));
      const place = whereIs(view, id);
      write(view, id, place, markdownOf(kept.filename, kept.url, kept.mime));
    } catch (error) {
      view.dispatch({ effects: ended.of(id) });
      const why = error instanceof ServiceError ? error.message : String(error);
      showError(`${nameOf(file)} could not be uploaded.`, why);
    }
  }
}

/** A cursor at the position of the insertion moves after it. */
function write(view: EditorView, id: symbol, place: number | undefined, insert: string): void {
  if (place === undefined) return view.dispatch({ effects: ended.of(id) });
  const { empty, head } = view.state.selection.main;
  view.dispatch({
    effects: ended.of(id),
    changes: { from: place, insert },
    ...(empty && head === place ? { selection: { anchor: place + insert.length } } : {}),
    userEvent: 'input.paste',
  });
}

function nameOf(file: File): string {
  return file.name === '' ? `pasted.${file.type.split('/')[1] ?? 'bin'}` : file.name;
}

function markdownOf(filename: string, url: string, mime: string): string {
  const text = filename.replaceAll(/[[\]\\]/g, '\\$&');
  return `${mime.startsWith('image/') ? '!' : ''}[${text}](${url})`;
}

const begun = StateEffect.define<{ readonly id: symbol; readonly at: number; readonly name: string }>({
  map: (value, changes) => ({ ...value, at: changes.mapPos(value.at) }),
});
const ended = StateEffect.define<symbol>();

class Uploading extends WidgetType {
  readonly id: symbol;
  readonly name: string;

  constructor(id: symbol, name: string) {
    super();
    this.id = id;
    this.name = name;
  }

  override eq(other: Uploading): boolean {
    return other.id === this.id;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = 'cm-uploading';
    element.textContent = `Uploading ${this.name}…`;
    return element;
  }
}

/** Placeholders of uploads: decorations, not text, so that they are never saved. */
const uploading = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (former, transaction) => {
    let marks = former.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(begun)) {
        const { id, at, name } = effect.value;
        marks = marks.update({ add: [Decoration.widget({ widget: new Uploading(id, name), side: 1 }).range(at)] });
      } else if (effect.is(ended)) marks = marks.update({ filter: (_, __, mark) => idOf(mark) !== effect.value });
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function idOf(mark: Decoration): symbol | undefined {
  return (mark.spec as { widget?: Uploading }).widget?.id;
}

function whereIs(view: EditorView, id: symbol): number | undefined {
  const cursor = view.state.field(uploading).iter();
  for (; cursor.value !== null; cursor.next()) if (idOf(cursor.value) === id) return cursor.from;
  return undefined;
}
