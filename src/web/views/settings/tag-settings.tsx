import { Plus, Trash2 } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useCreateTag, useDeleteTag, useTags, useUpdateTag } from '../../api/tags.ts';
import type { TagRow } from '../../api/tags.ts';
import { useTasks } from '../../api/tasks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { Section } from './section.tsx';
import styles from './settings.module.css';

/** The tags of a project: create, rename, recolor, delete. */
export function TagSettings({ projectId }: { readonly projectId: string }): ReactElement {
  const tags = useTags(projectId);
  const { data: tasks } = useTasks(projectId);
  const uses = useMemo(() => {
    if (tasks === undefined) return undefined;
    const counts = new Map<string, number>();
    for (const task of tasks) for (const { id } of task.tags) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }, [tasks]);
  return (
    <div className={styles['sections']}>
      <Section
        title="Tags"
        about="Renaming a tag renames it on every task. A new tag in a task is created automatically."
      >
        <NewTag projectId={projectId} />
        <Loaded of={tags}>
          {(rows) =>
            rows.length === 0 ? (
              <None>No tag yet.</None>
            ) : (
              <ul className={styles['rows']}>
                {rows.map((tag) => (
                  <TagLine key={tag.id} tag={tag} uses={uses && (uses.get(tag.id) ?? 0)} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

function NewTag({ projectId }: { readonly projectId: string }): ReactElement {
  const [name, setName] = useState('');
  const create = useCreateTag();
  const make = async (): Promise<void> => {
    if (name.trim() === '') return;
    const made = await create.mutateAsync({ project_id: projectId, name: name.trim() }).catch(() => undefined);
    if (made !== undefined) setName('');
  };
  return (
    <form
      className={styles['adding']}
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <TextField label="New tag" hideLabel placeholder="New tag…" value={name} onChange={setName} maxLength={500} />
      <Button type="submit" disabled={name.trim() === '' || create.isPending}>
        <Plus size={14} aria-hidden /> Add
      </Button>
    </form>
  );
}

const noColor = '#8a8f9c';

/** `uses`: undefined until the tasks are known. */
function TagLine({ tag, uses }: { readonly tag: TagRow; readonly uses: number | undefined }): ReactElement {
  const tasks = uses === undefined ? 'its tasks' : uses === 1 ? '1 task' : `${uses} tasks`;
  const [name, setName] = useState<string | undefined>(undefined);
  const [deleting, setDeleting] = useState(false);
  const update = useUpdateTag();
  const remove = useDeleteTag();
  const at = { tag_id: tag.id, project_id: tag.project_id };
  const rename = (): void => {
    const text = name?.trim();
    setName(undefined);
    if (text !== undefined && text !== '' && text !== tag.name) update.mutate({ ...at, name: text });
  };
  return (
    <li className={styles['line']}>
      <ColorField tag={tag} onColor={(color) => update.mutate({ ...at, color })} />
      <span className={styles['main']}>
        <input
          className={styles['rename']}
          aria-label={`Name of ${tag.name}`}
          value={name ?? tag.name}
          maxLength={500}
          onChange={({ target }) => setName(target.value)}
          onBlur={rename}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur();
            if (event.key === 'Escape') setName(undefined);
          }}
        />
      </span>
      <small>{uses === undefined ? '…' : tasks}</small>
      {tag.color === null ? null : (
        <Button small look="ghost" onClick={() => update.mutate({ ...at, color: null })}>
          No colour
        </Button>
      )}
      <IconButton small label={`Delete ${tag.name}`} icon={<Trash2 size={14} />} onClick={() => setDeleting(true)} />
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete the tag “${tag.name}”?`}
        about={uses === 0 ? 'No task has it.' : `It is removed from ${tasks}; the tasks stay.`}
        action="Delete tag"
        onConfirm={() => remove.mutate(at)}
      />
    </li>
  );
}

/** Shows a colour while it is being chosen; saves it when the choice is made. */
function ColorField({
  tag,
  onColor,
}: {
  readonly tag: TagRow;
  readonly onColor: (color: string) => void;
}): ReactElement {
  const [color, setColor] = useState<string | undefined>(undefined);
  return (
    <input
      type="color"
      className={styles['color']}
      data-none={tag.color === null && color === undefined ? '' : undefined}
      aria-label={`Colour of ${tag.name}`}
      value={color ?? tag.color ?? noColor}
      onChange={({ target }) => setColor(target.value)}
      onBlur={() => {
        if (color !== undefined && color !== tag.color) onColor(color);
        setColor(undefined);
      }}
    />
  );
}
