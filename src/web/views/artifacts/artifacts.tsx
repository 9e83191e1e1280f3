import { FileCode, FileText, Package, Plus } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { useResponse } from '../../api/cache.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Shelf } from '../../ui/shelf.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ArtifactPane } from './artifact-pane.tsx';
import { NewArtifact } from './new-artifact.tsx';

/** The artifacts of agents: reports, drawings, pages. */
export function Artifacts(): ReactElement {
  const projectId = useProjectId();
  const { '*': rest = '' } = useParams();
  const openId = rest.split('/', 1)[0]!;
  const artifacts = useResponse('list_artifacts', { project_id: projectId });
  const [making, setMaking] = useState(false);
  useTitle(openId === '' ? 'Artifacts' : undefined);
  return (
    <Loaded of={artifacts}>
      {({ artifacts: rows }) => (
        <Shelf
          name="Artifacts"
          address={`/projects/${projectId}/artifacts`}
          openId={openId}
          items={rows.toReversed().map(({ id, title, kind }) => ({
            id,
            title,
            icon: kind === 'html' ? <FileCode size={15} aria-hidden /> : <FileText size={15} aria-hidden />,
            detail: kind === 'html' ? 'HTML' : undefined,
          }))}
          actions={<IconButton small label="New artifact" icon={<Plus size={16} />} onClick={() => setMaking(true)} />}
        >
          {openId === '' ? (
            <Empty
              icon={Package}
              title={rows.length === 0 ? 'No artifacts yet' : 'Select an artifact'}
              actions={
                <Button look="primary" onClick={() => setMaking(true)}>
                  <Plus size={15} aria-hidden /> New artifact
                </Button>
              }
            >
              {rows.length === 0
                ? 'Agents deliver reports in Markdown, and pages and drawings in HTML. You annotate them in place.'
                : undefined}
            </Empty>
          ) : (
            <ArtifactPane key={openId} projectId={projectId} artifactId={openId} />
          )}
          {making ? <NewArtifact projectId={projectId} onClose={() => setMaking(false)} /> : null}
        </Shelf>
      )}
    </Loaded>
  );
}
