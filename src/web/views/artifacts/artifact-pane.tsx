import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useTagged } from '../../api/documents.ts';
import { ConflictView } from '../../drafts/conflict-view.tsx';
import { DraftBadge } from '../../drafts/draft-badge.tsx';
import { artifactFields } from '../../drafts/sources.ts';
import type { ArtifactFields } from '../../drafts/sources.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { useQuery } from '../../shell/query-state.ts';
import { useOpened } from '../../shell/recent.ts';
import { useTitle } from '../../shell/title.ts';
import { Badge } from '../../ui/badge.tsx';
import { LazyMarkdownEditor } from '../../ui/markdown/lazy.tsx';
import { OpenHead } from '../../ui/open-head.tsx';
import { DeletedNotice } from '../../ui/deleted-notice.tsx';
import { isDeleted } from '../../ui/is-deleted.ts';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { Annotated } from './annotated.tsx';
import type { Artifact } from './artifact.ts';
import { ArtifactMenu } from './artifact-menu.tsx';
import styles from './artifacts.module.css';

/** One artifact: rendered and annotated, or its source in an editor. */
export function ArtifactPane({
  projectId,
  artifactId,
}: {
  readonly projectId: string;
  readonly artifactId: string;
}): ReactElement {
  const { answer, tag } = useTagged('get_artifact', { project_id: projectId, artifact_id: artifactId });
  return (
    <Loaded of={answer}>
      {(artifact) => <OpenArtifact artifact={artifact} tag={tag} deleted={isDeleted(answer)} />}
    </Loaded>
  );
}

function OpenArtifact({
  artifact,
  tag,
  deleted,
}: {
  readonly artifact: Artifact;
  readonly tag: string;
  readonly deleted: boolean;
}): ReactElement {
  const { id, project_id: projectId, kind, prototype_id: prototype, updated_at } = artifact;
  const known = useMemo(() => ({ fields: artifactFields(artifact), tag }), [artifact, tag]);
  const draft = useDraft<ArtifactFields>({ type: 'artifact', projectId, id }, known);
  const { fields, state } = draft;
  const [params, changeQuery] = useQuery();
  const shown = params.get('show') === 'source' ? 'source' : 'page';
  useTitle(fields.title, 'Artifacts');
  useOpened(projectId, 'artifact', id, fields.title);
  if (deleted) {
    const texts = [
      { name: 'Your unsaved source', text: fields.content === artifact.content ? '' : fields.content },
      { name: 'Source', text: artifact.content ?? '' },
    ];
    return <DeletedNotice projectId={projectId} kind="artifact" id={id} title={artifact.title} texts={texts} />;
  }
  const put = (next: 'page' | 'source'): void => changeQuery((now) => now.set('show', next));
  return (
    <div className={styles['pane']}>
      <OpenHead
        title={fields.title}
        onTitle={(title) => draft.change({ title })}
        onBlur={draft.save}
        about={
          <>
            <Badge>{kind === 'html' ? 'HTML' : 'Markdown'}</Badge>
            {prototype === null ? null : (
              <Link to={`/projects/${projectId}/prototypes/${prototype}`}>A screen of a prototype</Link>
            )}
            <DraftBadge state={state} onRetry={draft.save} />
            <span>
              Changed <Ago time={updated_at} />
            </span>
          </>
        }
        actions={
          <>
            <div className={styles['modes']} role="group" aria-label="Show">
              {(['page', 'source'] as const).map((each) => (
                <button key={each} type="button" aria-pressed={shown === each} onClick={() => put(each)}>
                  {each === 'page' ? 'Page' : 'Source'}
                </button>
              ))}
            </div>
            <ArtifactMenu artifact={artifact} />
          </>
        }
      />
      {state.kind === 'conflict' ? (
        <ConflictView pieces={state.pieces} names={{ title: 'Title', content: 'Content' }} onResolve={draft.resolve} />
      ) : null}
      {shown === 'page' ? (
        <Annotated key={id} artifact={artifact} />
      ) : (
        <LazyMarkdownEditor
          wide={kind === 'markdown'}
          plain={kind === 'html'}
          value={fields.content}
          onChange={(content) => draft.change({ content })}
          onSave={draft.save}
          onBlur={draft.save}
          label="Source of the artifact"
          projectId={projectId}
        />
      )}
    </div>
  );
}
