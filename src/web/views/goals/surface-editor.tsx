import { ArrowDown, ArrowUp, Plus, X } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Input } from '../../rest/client.ts';
import { surfaceIn, useUpdateGoal } from '../../api/goals.ts';
import type { GoalDetail, VerificationSurface } from '../../api/goals.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './goals.module.css';

type Kind = VerificationSurface['kind'] | 'none';

/** An item with its own React key, so that a field keeps the cursor while items move. */
interface DraftItem {
  readonly key: number;
  readonly id?: string;
  readonly criterion: string;
}

/** The draft of a surface: each kind keeps its text until it is saved. */
export interface SurfaceDraft {
  readonly kind: Kind;
  readonly command: string;
  readonly items: readonly DraftItem[];
}

const kinds: readonly { readonly kind: Kind; readonly name: string }[] = [
  { kind: 'none', name: 'Nothing: done when its tasks are done' },
  { kind: 'acceptance_checklist', name: 'An acceptance checklist' },
  { kind: 'gate_command', name: 'A command that exits with 0' },
  { kind: 'human_sign_off', name: 'A person’s sign-off' },
];

let keys = 0;
const newItem = (item: { readonly id?: string; readonly criterion: string }): DraftItem => ({ ...item, key: keys++ });

export function draftOf(surface: VerificationSurface | null): SurfaceDraft {
  return {
    kind: surface?.kind ?? 'none',
    command: surface?.kind === 'gate_command' ? surface.command : '',
    items: surface?.kind === 'acceptance_checklist' ? surface.items.map(newItem) : [newItem({ criterion: '' })],
  };
}

/** The surface of a draft; undefined if it is incomplete. Blank items are left out. */
export function surfaceOf({ kind, command, items }: SurfaceDraft): Input<'update_goal'>['verification_surface'] {
  if (kind === 'none') return null;
  if (kind === 'human_sign_off') return { kind };
  if (kind === 'gate_command') return command.trim() === '' ? undefined : { kind, command: command.trim() };
  const written = items.filter(({ criterion }) => criterion.trim() !== '');
  if (written.length === 0) return undefined;
  return { kind, items: written.map(({ key: _, criterion, ...item }) => ({ ...item, criterion: criterion.trim() })) };
}

/** Changes the verification surface of a goal. */
export function SurfaceEditor({
  projectId,
  goal,
  onClose,
}: {
  readonly projectId: string;
  readonly goal: GoalDetail;
  readonly onClose: () => void;
}): ReactElement {
  const [draft, setDraft] = useState(() => draftOf(surfaceIn(goal)));
  const present = goal.verification_surface;
  const [began, setBegan] = useState(present);
  const update = useUpdateGoal();
  const surface = surfaceOf(draft);
  const save = async (): Promise<void> => {
    if (surface === undefined) return;
    const input = { project_id: projectId, goal_id: goal.id, verification_surface: surface };
    const saved = await update.mutateAsync(input).catch(() => undefined);
    if (saved !== undefined) onClose();
  };
  return (
    <Dialog open onClose={onClose} title="How is this goal verified?">
      <form
        className={styles['stack']}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <SurfaceFields draft={draft} onChange={setDraft} error={update.error?.message} />
        {present === began ? null : (
          <p role="alert" className={styles['meanwhile']}>
            Another user has changed this in the meantime. Saving replaces it with yours.{' '}
            <Button
              small
              onClick={() => {
                setDraft(draftOf(surfaceIn(goal)));
                setBegan(present);
              }}
            >
              Show theirs
            </Button>
          </p>
        )}
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={surface === undefined || update.isPending}>
            Save
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

/** The kind and its fields. */
export function SurfaceFields({
  draft,
  onChange,
  error,
}: {
  readonly draft: SurfaceDraft;
  readonly onChange: (draft: SurfaceDraft) => void;
  readonly error?: string | undefined;
}): ReactElement {
  return (
    <>
      <fieldset className={styles['kinds']}>
        <legend>Verification</legend>
        {kinds.map(({ kind, name }) => (
          <label key={kind} className={styles['check']}>
            <input
              type="radio"
              name="kind"
              checked={draft.kind === kind}
              onChange={() => onChange({ ...draft, kind })}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {draft.kind === 'gate_command' ? (
        <TextField
          label="Command"
          value={draft.command}
          onChange={(command) => onChange({ ...draft, command })}
          placeholder="npm test"
          hint="The agent or person who works on the goal runs it, by planner verify or by hand. The service never runs it."
          spellCheck={false}
          autoComplete="off"
        />
      ) : null}
      {draft.kind === 'acceptance_checklist' ? (
        <ItemFields items={draft.items} onChange={(items) => onChange({ ...draft, items })} />
      ) : null}
      {error === undefined ? null : (
        <p role="alert" style={{ color: 'var(--danger)' }}>
          {error}
        </p>
      )}
    </>
  );
}

function ItemFields({
  items,
  onChange,
}: {
  readonly items: readonly DraftItem[];
  readonly onChange: (items: readonly DraftItem[]) => void;
}): ReactElement {
  // The last added item: its field gets the focus.
  const [added, setAdded] = useState<number | undefined>(undefined);
  const add = (at: number): void => {
    const item = newItem({ criterion: '' });
    setAdded(item.key);
    onChange(items.toSpliced(at, 0, item));
  };
  const move = (at: number, to: number): void => onChange(items.toSpliced(at, 1).toSpliced(to, 0, items[at]!));
  return (
    <div className={styles['items']}>
      {items.map((item, at) => (
        <div key={item.key} className={styles['item']}>
          <TextField
            label={`Item ${at + 1}`}
            hideLabel
            value={item.criterion}
            placeholder="What must be true"
            autoFocus={item.key === added}
            maxLength={2000}
            onChange={(criterion) => onChange(items.with(at, { ...item, criterion }))}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add(at + 1);
            }}
          />
          <IconButton
            label={`Move item ${at + 1} up`}
            icon={<ArrowUp size={14} />}
            disabled={at === 0}
            onClick={() => move(at, at - 1)}
          />
          <IconButton
            label={`Move item ${at + 1} down`}
            icon={<ArrowDown size={14} />}
            disabled={at === items.length - 1}
            onClick={() => move(at, at + 1)}
          />
          <IconButton
            label={`Remove item ${at + 1}`}
            icon={<X size={14} />}
            disabled={items.length === 1}
            onClick={() => onChange(items.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div>
        <Button small onClick={() => add(items.length)}>
          <Plus size={14} aria-hidden /> Add an item
        </Button>
      </div>
    </div>
  );
}
