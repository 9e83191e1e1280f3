import { Ellipsis, ExternalLink, History, SquarePen, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/change.ts';
import { addressOf } from '../../rest/client.ts';
import { IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { FilePathDialog } from '../../ui/file-path-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Artifact } from './artifact.ts';

/** The actions of an artifact. */
export function ArtifactMenu({
  artifact: { id, title, project_id: projectId },
}: {
  readonly artifact: Artifact;
}): ReactElement {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'file' | 'delete' | undefined>(undefined);
  const remove = useChange('delete_artifact', {
    shownBy: ['list_artifacts', 'get_prototype', 'get_project', 'list_revisions'],
    failed: 'The artifact could not be deleted',
  });
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton small label="More about this artifact" icon={<Ellipsis size={16} />} />}
        items={[
          {
            label: 'Open by itself',
            icon: <ExternalLink size={14} />,
            onSelect: () => void window.open(addressOf('render_artifact', { artifact_id: id }), '_blank', 'noopener'),
          },
          {
            label: 'History',
            icon: <History size={14} />,
            onSelect: () => void navigate(`/projects/${projectId}/history?type=artifact&target=${id}`),
          },
          {
            label: 'Open in your editor',
            icon: <SquarePen size={14} />,
            onSelect: () => setDialog('file'),
          },
          {
            label: 'Delete…',
            icon: <Trash2 size={14} />,
            danger: true,
            separated: true,
            onSelect: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'file' ? (
        <FilePathDialog projectId={projectId} recordId={id} onClose={() => setDialog(undefined)} />
      ) : null}
      <Confirm
        open={dialog === 'delete'}
        onClose={() => setDialog(undefined)}
        title={`Delete “${title}”?`}
        about="Its annotations are deleted with it. It can be restored from the trash."
        action="Delete"
        onConfirm={() =>
          remove.mutate(
            { project_id: projectId, artifact_id: id },
            { onSuccess: () => void navigate(`/projects/${projectId}/artifacts`) },
          )
        }
      />
    </>
  );
}
