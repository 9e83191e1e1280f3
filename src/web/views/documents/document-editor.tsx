import type { EditorView } from '@codemirror/view';
import { MessageSquarePlus } from '../../ui/icons.ts';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import {
  quotesOf,
  placesIn,
  selectedIn,
  showPassage,
  usePassages,
  useSelectionIn,
} from '../../anchors/use-passages.ts';
import type { Selected } from '../../anchors/use-passages.ts';
import { soFar } from '../../api/cache.ts';
import { useChange } from '../../api/change.ts';
import { isResolved, useComments } from '../../api/comments.ts';
import type { CommentRow } from '../../api/comments.ts';
import { ConflictView } from '../../drafts/conflict-view.tsx';
import { useShownRecord } from '../../live/use-presence.ts';
import { setOne, useQuery } from '../../shell/query-state.ts';
import { Button } from '../../ui/button.tsx';
import { MarkdownEditor } from '../../ui/markdown/markdown-editor.tsx';
import type { EditorMode } from '../../ui/markdown/markdown-editor.tsx';
import { passageMarks, setPassages, showMark } from '../../ui/markdown/passage-marks.ts';
import { DocumentHead } from './document-head.tsx';
import { DocumentMargin } from './document-margin.tsx';
import type { OpenDocumentProps } from './open-document.ts';
import styles from './documents.module.css';

const modes: readonly string[] = ['write', 'beside', 'preview'] satisfies EditorMode[];

/** A document in an editor, with its comments next to it. */
export function DocumentEditor({ document, tree, draft }: OpenDocumentProps): ReactElement {
  const { id, project_id: projectId } = document;
  const { fields, state } = draft;
  const [params, changeQuery] = useQuery();
  const chosen = params.get('comment') ?? undefined;
  const requestedMode = params.get('mode') ?? '';
  const mode = modes.includes(requestedMode) ? (requestedMode as EditorMode) : fields.body === '' ? 'write' : 'preview';
  const [view, setView] = useState<EditorView | null>(null);
  const [preview, setPreview] = useState<HTMLElement | null>(null);
  const [selected, setSelected] = useState<Selected | undefined>(undefined);
  const [place, setPlace] = useState<Selected | undefined>(undefined);
  const put = useCallback(
    (name: string, value: string | undefined) => changeQuery((now) => setOne(now, name, value)),
    [changeQuery],
  );
  const choose = useCallback((comment: string) => put('comment', comment), [put]);

  const { data: comments } = useComments({ projectId, targetType: 'document', targetId: id });
  const quotes = useMemo(() => quotesOf(soFar(comments).filter((one) => !isResolved(one))), [comments]);
  usePassages(preview, quotes, chosen, choose);
  useSelectionIn(preview, setSelected);
  const marks = useMemo(() => passageMarks(choose), [choose]);
  useEffect(() => view?.dispatch({ effects: setPassages.of({ quotes, chosen }) }), [view, quotes, chosen]);
  const body = useDeferredValue(fields.body);
  const found = useMemo(() => new Set(placesIn(body, quotes).map((one) => one.id)), [body, quotes]);

  const link = useChange('update_document', {
    shownBy: ['get_document', 'get_canvas', 'list_task_backlinks'],
    failed: 'The link was written, but its edge could not be created',
  });
  const onInput = useShownRecord(projectId, id);
  const comment = (): void => {
    const chosenNow = selectionOf(view) ?? selected;
    if (chosenNow !== undefined) setPlace(chosenNow);
    setSelected(undefined);
  };
  const show = (one: CommentRow): void => {
    choose(one.id);
    const quoted = quotes.find((quote) => quote.id === one.id);
    if (preview !== null && quoted !== undefined) showPassage(preview, quoted);
    if (view !== null) showMark(view, one.id);
  };
  return (
    <div
      className={styles['pane']}
      onInput={onInput}
      onKeyDown={(event) => {
        if (event.code !== 'KeyM' || !event.altKey || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        comment();
      }}
      onMouseUp={() => setSelected((former) => selectionOf(view) ?? (view?.hasFocus === true ? undefined : former))}
    >
      <DocumentHead document={document} tree={tree} draft={draft} />
      {state.kind === 'conflict' ? (
        <ConflictView pieces={state.pieces} names={fieldNames} onResolve={draft.resolve} />
      ) : null}
      <div className={styles['writing']}>
        <MarkdownEditor
          className={styles['editor']}
          wide
          mode={mode}
          onMode={(next) => put('mode', next)}
          value={fields.body}
          onChange={(text) => draft.change({ body: text })}
          onSave={draft.save}
          onBlur={draft.save}
          onLink={({ kind, id: target }) => {
            if (kind !== 'note' && target !== id)
              link.mutate({ project_id: projectId, document_id: id, link_to: target });
          }}
          label="Text of the document"
          placeholder="Write Markdown. [[ links to a document or task."
          projectId={projectId}
          extension={marks}
          onView={setView}
          onPreview={setPreview}
          tools={
            <Button small look="ghost" onMouseDown={(event) => event.preventDefault()} onClick={comment}>
              <MessageSquarePlus size={14} aria-hidden /> Comment
            </Button>
          }
        />
        <DocumentMargin
          document={document}
          place={place}
          onPlaceDone={() => setPlace(undefined)}
          onShow={show}
          isFound={(one) => isResolved(one) || found.has(one.id)}
          chosen={chosen}
        />
      </div>
      {selected === undefined || place !== undefined ? null : <Bubble selected={selected} onComment={comment} />}
    </div>
  );
}

const fieldNames = { title: 'Title', body: 'Text', status: 'Status' };

/** The selection in the editor. */
function selectionOf(view: EditorView | null): Selected | undefined {
  if (view === null || !view.hasFocus) return undefined;
  const { from, to } = view.state.selection.main;
  if (from === to) return undefined;
  const at = view.coordsAtPos(from);
  const box = at === null ? undefined : new DOMRect(at.left, at.top, 1, at.bottom - at.top);
  return selectedIn(view.state.doc.toString(), { from, to }, box);
}

/** A button at the selection. */
function Bubble({
  selected,
  onComment,
}: {
  readonly selected: Selected;
  readonly onComment: () => void;
}): ReactElement {
  const { left, top, bottom } = selected.box;
  const above = top > 120;
  return (
    <div
      className={styles['bubble']}
      style={{ left: Math.max(8, Math.min(left, window.innerWidth - 140)), top: above ? top - 40 : bottom + 8 }}
    >
      <Button small onMouseDown={(event) => event.preventDefault()} onClick={onComment}>
        <MessageSquarePlus size={14} aria-hidden /> Comment
      </Button>
    </div>
  );
}
