import { autocompletion, completionKeymap, pickedCompletion } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { keymap, ViewPlugin } from '@codemirror/view';
import type { EditorView } from '@codemirror/view';
import { call } from '../../rest/client.ts';
import { markdownLink } from './planner-link.ts';

/** The target of a completed link. */
export interface CompletedLink {
  readonly kind: 'document' | 'task' | 'note';
  readonly id: string;
}

interface Found extends CompletedLink {
  readonly title: string;
}

const found = 12;

const opened = /\[\[[^[\]\n]{0,100}/;

/** Completes `[[` and some letters with the project's titles. Choosing one inserts an ordinary Markdown link. */
export function linkCompletion(projectId: string, onLink: (link: CompletedLink) => void): Extension {
  let shown: readonly Option[] = [];
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(opened);
    if (typed === null) return null;
    const query = typed.text.slice(2).trim();
    try {
      const all = query === '' ? await lately(projectId) : await titled(projectId, query);
      const options = all.map((one) => option(one, onLink));
      if (!context.aborted) shown = options;
      return { from: typed.from, filter: false, options };
    } catch {
      // Without the service there are no completions; the typed text is unchanged.
      return null;
    }
  };
  return [
    autocompletion({ override: [source], activateOnTyping: true, icons: false, aboveCursor: false }),
    keymap.of(completionKeymap),
    clicksWhileSearching((index) => shown[index]),
  ];
}

/**
 * While the titles for the last letters are searched for, CodeMirror shows the former options and ignores clicks on them. Such a click chooses
 * the option that was clicked.
 */
function clicksWhileSearching(optionAt: (index: number) => Option | undefined): Extension {
  return ViewPlugin.define((view) => {
    const onMouseDown = (event: MouseEvent): void => {
      const item = (event.target as Element).closest('.cm-tooltip-autocomplete-disabled li[role=option]');
      const chosen = item && optionAt(Number(/\d+$/.exec(item.id)?.[0]));
      const { state } = view;
      const to = state.selection.main.head;
      const line = state.doc.lineAt(to);
      const at = state.sliceDoc(line.from, to).search(new RegExp(`${opened.source}$`));
      if (!chosen || at < 0) return;
      event.preventDefault();
      event.stopPropagation();
      chosen.apply(view, chosen, line.from + at, to);
    };
    view.dom.addEventListener('mousedown', onMouseDown, true);
    return { destroy: () => view.dom.removeEventListener('mousedown', onMouseDown, true) };
  });
}

const kindNames = { document: 'Document', task: 'Task', note: 'Note' } as const;

type Option = Completion & {
  readonly apply: (view: EditorView, completion: Completion, from: number, to: number) => void;
};

function option(link: Found, onLink: (link: CompletedLink) => void): Option {
  const { kind, id, title } = link;
  return {
    label: title,
    detail: kindNames[kind],
    apply: (view: EditorView, completion: Completion, from: number, to: number) => {
      const insert = markdownLink(kind, id, title);
      const closed = view.state.sliceDoc(to, to + 2) === ']]' ? 2 : 0;
      view.dispatch({
        changes: { from, to: to + closed, insert },
        selection: { anchor: from + insert.length },
        annotations: pickedCompletion.of(completion),
        userEvent: 'input.complete',
      });
      onLink({ kind, id });
    },
  };
}

async function titled(projectId: string, query: string): Promise<Found[]> {
  const { documents, tasks, notes } = await call('search', { q: query, project_id: projectId, limit: found });
  return [
    ...documents.map(({ id, title }) => ({ kind: 'document' as const, id, title })),
    ...tasks.map(({ id, label }) => ({ kind: 'task' as const, id, title: label })),
    ...notes.map(({ id, title }) => ({ kind: 'note' as const, id, title })),
  ];
}

/** Before a letter is typed: the most recently changed documents. */
async function lately(projectId: string): Promise<Found[]> {
  const all: { readonly id: string; readonly title: string; readonly updated_at: string }[] = [];
  const { documents, folders = [] } = await call('list_documents', { project_id: projectId, verbose: false });
  const open = [{ documents, folders }];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    for (const document of each.documents) if ('updated_at' in document) all.push(document);
    open.push(...each.folders);
  }
  all.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  return all.slice(0, found).map(({ id, title }) => ({ kind: 'document', id, title }));
}
