import { autocompletion, completionKeymap, pickedCompletion } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import type { EditorView } from '@codemirror/view';
import { call } from '../../api/client.ts';
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

/** Completes `[[` and some letters with the project's titles. Choosing one inserts an ordinary Markdown link. */
export function linkCompletion(projectId: string, onLink: (link: CompletedLink) => void): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(/\[\[[^[\]\n]{0,100}/);
    if (typed === null) return null;
    const query = typed.text.slice(2).trim();
    try {
      const all = query === '' ? await lately(projectId) : await titled(projectId, query);
      return { from: typed.from, filter: false, options: all.map((one) => option(one, onLink)) };
    } catch {
      // Without the service there are no completions; the typed text is unchanged.
      return null;
    }
  };
  return [
    autocompletion({ override: [source], activateOnTyping: true, icons: false, aboveCursor: false }),
    keymap.of(completionKeymap),
  ];
}

const kindNames = { document: 'Document', task: 'Task', note: 'Note' } as const;

function option(link: Found, onLink: (link: CompletedLink) => void): Completion {
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
