import { Unlink } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { Selected } from '../../anchors/use-passages.ts';
import { useChange } from '../../api/change.ts';
import type { DocumentDetail } from '../../api/documents.ts';
import type { CommentRow } from '../../api/comments.ts';
import { useQuery } from '../../shell/query-state.ts';
import { IconButton } from '../../ui/button.tsx';
import { placeOf } from '../../ui/target.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import styles from './documents.module.css';
import { None } from '../../ui/states.tsx';

export interface DocumentMarginProps {
  readonly document: DocumentDetail;
  readonly place: Selected | undefined;
  readonly onPlaceDone: () => void;
  readonly onShow: (comment: CommentRow) => void;
  readonly isFound: (comment: CommentRow) => boolean;
  readonly chosen: string | undefined;
}

/** The margin of a document: its comments and links. */
export function DocumentMargin({
  document,
  place,
  onPlaceDone,
  onShow,
  isFound,
  chosen,
}: DocumentMarginProps): ReactElement {
  const [params, changeQuery] = useQuery();
  const { id, project_id: projectId, links = [], backlinks = [] } = document;
  const tab = params.get('beside') === 'links' && place === undefined ? 'links' : 'comments';
  const tabs = { comments: 'Comments', links: `Links ${links.length + backlinks.length}` } as const;
  return (
    <aside className={styles['margin']} aria-label="Beside the text">
      <div className={styles['marginTabs']} role="group" aria-label="Show beside the text">
        {(['comments', 'links'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={tab === each}
            onClick={() => changeQuery((now) => now.set('beside', each))}
          >
            {tabs[each]}
          </button>
        ))}
      </div>
      {tab === 'comments' ? (
        <LazyCommentThread
          projectId={projectId}
          targetType="document"
          targetId={id}
          place={place === undefined ? undefined : { passage: place.passage, anchor: place.anchor }}
          onPlaceDone={onPlaceDone}
          onShow={onShow}
          isFound={isFound}
          chosen={chosen}
        />
      ) : (
        <>
          <Links
            name="It links to"
            none="[[ in the text links to a document or task."
            entries={links}
            document={document}
          />
          <Links name="Linked from" none="Nothing links to it." entries={backlinks} document={document} />
        </>
      )}
    </aside>
  );
}

function Links({
  name,
  none,
  entries,
  document: { project_id: projectId },
}: {
  readonly name: string;
  readonly none: string;
  readonly entries: NonNullable<DocumentDetail['links']>;
  readonly document: DocumentDetail;
}): ReactElement {
  const remove = useChange('delete_edge', {
    shownBy: ['get_document', 'get_canvas', 'list_edges', 'get_task', 'list_task_backlinks'],
    failed: 'The link could not be removed',
  });
  return (
    <section className={styles['links']}>
      <h3>{name}</h3>
      {entries.length === 0 ? <None>{none}</None> : null}
      <ul>
        {entries.map(({ edge_id, type, id, title }) => (
          <li key={edge_id}>
            <Link to={placeOf({ projectId, type, id })} dir="auto">
              {title}
            </Link>
            <span className={styles['linkKind']}>{type}</span>
            <IconButton
              small
              label={`Remove the link with ${title}`}
              icon={<Unlink size={14} />}
              disabled={remove.isPending}
              onClick={() => remove.mutate({ project_id: projectId, edge_id })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
