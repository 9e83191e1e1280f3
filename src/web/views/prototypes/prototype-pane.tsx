import { Ellipsis, History, Pencil, Play, Plus, Share2, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useResponse } from '../../api/cache.ts';
import { useCreateScreen, useDeletePrototype, useUpdatePrototype } from '../../api/prototypes.ts';
import type { PrototypeDetail } from '../../api/prototypes.ts';
import { setOne, useQuery } from '../../shell/query-state.ts';
import { useOpened } from '../../shell/recent.ts';
import { useTitle } from '../../shell/title.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ShareDialog } from '../../ui/share-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Presentation } from './presentation.tsx';
import { PrototypeDialog } from './prototype-dialog.tsx';
import styles from './prototypes.module.css';
import { ScreenCard } from './screen-card.tsx';

/** One prototype: its screens side by side, and the presentation. */
export function PrototypePane({
  projectId,
  prototypeId,
}: {
  readonly projectId: string;
  readonly prototypeId: string;
}): ReactElement {
  const answer = useResponse('get_prototype', { project_id: projectId, prototype_id: prototypeId });
  return <Loaded of={answer}>{(prototype) => <OpenPrototype prototype={prototype} />}</Loaded>;
}

const firstScreen = `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Screen</title>
<style>body { margin: 0; padding: 32px; font: 16px/1.5 system-ui, sans-serif; }</style>
<h1>A screen</h1>
<p>Link to another with <code>planner://artifact/Its title</code>.</p>
`;

function OpenPrototype({ prototype }: { readonly prototype: PrototypeDetail }): ReactElement {
  const { id, project_id: projectId, name, viewport, screens = [] } = prototype;
  const [params, changeQuery] = useQuery();
  const navigate = useNavigate();
  const presented = params.get('present') ?? undefined;
  const create = useCreateScreen();
  const present = (screen: string | undefined): void => changeQuery((now) => setOne(now, 'present', screen), {});
  const make = (): void =>
    create.mutate(
      {
        project_id: projectId,
        prototype_id: id,
        kind: 'html',
        title: `Screen ${screens.length + 1}`,
        content: firstScreen,
      },
      { onSuccess: (screen) => void navigate(`/projects/${projectId}/artifacts/${screen.id}?show=source`) },
    );
  useTitle(name, 'Prototypes');
  useOpened(projectId, 'prototype', id, name);
  return (
    <div className={styles['pane']}>
      <header className={styles['head']}>
        <h1 dir="auto">{name}</h1>
        <span className={styles['size']}>
          {viewport.width} × {viewport.height}
        </span>
        <Button look="primary" disabled={screens.length === 0} onClick={() => present(screens[0]!.id)}>
          <Play size={14} aria-hidden /> Present
        </Button>
        <Button disabled={create.isPending} onClick={make}>
          <Plus size={14} aria-hidden /> New screen
        </Button>
        <PrototypeMenu prototype={prototype} />
      </header>
      {screens.length === 0 ? (
        <Empty title="No screens yet">
          Create one here, or let an agent create them as HTML artifacts of this prototype.
        </Empty>
      ) : (
        <ul
          className={styles['screens']}
          style={{ '--screen': viewport.width > viewport.height ? '300px' : '200px' } as React.CSSProperties}
        >
          {screens.map((screen) => (
            <ScreenCard key={screen.id} prototype={prototype} screen={screen} onPresent={() => present(screen.id)} />
          ))}
        </ul>
      )}
      {presented === undefined || screens.length === 0 ? null : (
        <Presentation prototype={prototype} screens={screens} shownId={presented} onShow={present} />
      )}
    </div>
  );
}

function PrototypeMenu({ prototype }: { readonly prototype: PrototypeDetail }): ReactElement {
  const { id, project_id: projectId, name, viewport } = prototype;
  const [dialog, setDialog] = useState<'change' | 'share' | 'delete' | undefined>(undefined);
  const update = useUpdatePrototype();
  const remove = useDeletePrototype();
  const navigate = useNavigate();
  const done = (): void => setDialog(undefined);
  return (
    <>
      <IconButton label="Share" icon={<Share2 size={16} />} onClick={() => setDialog('share')} />
      <Menu
        align="end"
        trigger={<IconButton label="More about this prototype" icon={<Ellipsis size={16} />} />}
        items={[
          { label: 'Name and size', icon: <Pencil size={14} />, onSelect: () => setDialog('change') },
          {
            label: 'History',
            icon: <History size={14} />,
            onSelect: () => void navigate(`/projects/${projectId}/history?type=artifact`),
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
      {dialog === 'change' ? (
        <PrototypeDialog
          title="Name and size"
          action="Save"
          begin={{ name, viewport }}
          onClose={done}
          onDone={(fields) => update.mutate({ project_id: projectId, prototype_id: id, ...fields })}
        />
      ) : null}
      {dialog === 'share' ? (
        <ShareDialog
          operation="share_prototype"
          input={{ project_id: projectId, prototype_id: id }}
          name={name}
          onClose={done}
        />
      ) : null}
      <Confirm
        open={dialog === 'delete'}
        onClose={done}
        title={`Delete the prototype “${name}”?`}
        about="Its screens stay, as artifacts."
        action="Delete"
        typed={name}
        onConfirm={() =>
          remove.mutate(
            { project_id: projectId, prototype_id: id },
            { onSuccess: () => void navigate(`/projects/${projectId}/prototypes`) },
          )
        }
      />
    </>
  );
}
