import { MonitorSmartphone, Plus } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useResponse } from '../../api/cache.ts';
import { useCreatePrototype } from '../../api/prototypes.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Shelf } from '../../ui/shelf.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { PrototypeDialog } from './prototype-dialog.tsx';
import { PrototypePane } from './prototype-pane.tsx';

/** Prototypes: linked screens of one viewport. */
export function Prototypes(): ReactElement {
  const projectId = useProjectId();
  const { '*': rest = '' } = useParams();
  const openId = rest.split('/', 1)[0]!;
  const prototypes = useResponse('list_prototypes', { project_id: projectId });
  const [making, setMaking] = useState(false);
  const create = useCreatePrototype();
  const navigate = useNavigate();
  useTitle(openId === '' ? 'Prototypes' : undefined);
  return (
    <Loaded of={prototypes}>
      {({ prototypes: rows }) => (
        <Shelf
          name="Prototypes"
          address={`/projects/${projectId}/prototypes`}
          openId={openId}
          items={rows.map(({ id, name, viewport }) => ({
            id,
            title: name,
            icon: <MonitorSmartphone size={15} aria-hidden />,
            detail: `${viewport.width} × ${viewport.height}`,
          }))}
          actions={<IconButton small label="New prototype" icon={<Plus size={16} />} onClick={() => setMaking(true)} />}
        >
          {openId === '' ? (
            <Empty
              icon={MonitorSmartphone}
              title={rows.length === 0 ? 'No prototypes yet' : 'Select a prototype'}
              actions={
                <Button look="primary" onClick={() => setMaking(true)}>
                  <Plus size={15} aria-hidden /> New prototype
                </Button>
              }
            >
              {rows.length === 0
                ? 'A prototype has HTML screens of one size, linked with each other, to be clicked through before anything is built.'
                : undefined}
            </Empty>
          ) : (
            <PrototypePane key={openId} projectId={projectId} prototypeId={openId} />
          )}
          {making ? (
            <PrototypeDialog
              title="New prototype"
              action="Create"
              onClose={() => setMaking(false)}
              onDone={(fields) =>
                create.mutate(
                  { project_id: projectId, ...fields },
                  { onSuccess: ({ id }) => void navigate(`/projects/${projectId}/prototypes/${id}`) },
                )
              }
            />
          ) : null}
        </Shelf>
      )}
    </Loaded>
  );
}
