import { useState } from 'react';
import type { ReactElement } from 'react';
import { contractFields, useCreateGoal, useUpdateGoal } from '../../api/goals.ts';
import type { ContractField, GoalDetail } from '../../api/goals.ts';
import type { ServiceError } from '../../rest/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import styles from './goals.module.css';
import { draftOf, SurfaceFields, surfaceOf } from './surface-editor.tsx';

interface GoalFormProps {
  readonly projectId: string;
  /** The goal to change; absent to create one. */
  readonly goal?: GoalDetail;
  readonly onClose: () => void;
  readonly onMade?: (id: string) => void;
}

type Field = 'name' | 'objective' | ContractField;
type Texts = Readonly<Record<Field, string>>;
/** The typed text, and the field's value when typing began. Other fields follow the goal. */
type Typed = Readonly<Partial<Record<Field, { readonly from: string; readonly text: string }>>>;

/** The form of a new or existing goal. */
export function GoalForm({ projectId, goal, onClose, onMade }: GoalFormProps): ReactElement {
  const [typed, setTyped] = useState<Typed>({});
  const [surface, setSurface] = useState(() => draftOf(null));
  // Five empty fields are no good start: they are open only if the goal has one of them.
  const [hasContract] = useState(() => contractFields.some(({ field }) => (goal?.[field] ?? '') !== ''));
  const create = useCreateGoal();
  const update = useUpdateGoal();
  const error = create.error ?? update.error;
  const present = textsOf(goal);
  const texts = { ...present, ...Object.fromEntries(Object.entries(typed).map(([name, { text }]) => [name, text])) };
  const set =
    (field: Field) =>
    (text: string): void =>
      setTyped((now) => ({ ...now, [field]: { from: now[field]?.from ?? present[field], text } }));
  const problem = (field: Field): string | undefined =>
    at(error, field) ?? changedMeanwhile(typed[field], present[field]);
  const verified = surfaceOf(surface);
  const ready = texts.objective.trim() !== '' && (goal !== undefined || verified !== undefined);
  const save = async (): Promise<void> => {
    if (!ready) return;
    if (goal === undefined) {
      const made = await create
        .mutateAsync({
          project_id: projectId,
          ...changed(texts, present),
          objective: texts.objective,
          ...(verified === undefined ? {} : { verification_surface: verified }),
        })
        .catch(() => undefined);
      if (made === undefined) return;
      onClose();
      onMade?.(made.id);
    } else {
      const saved = await update
        .mutateAsync({ project_id: projectId, goal_id: goal.id, ...changed(texts, present) })
        .catch(() => undefined);
      if (saved !== undefined) onClose();
    }
  };
  return (
    <Dialog open onClose={onClose} title={goal === undefined ? 'New goal' : 'Edit goal'} wide>
      <form
        className={styles['stack']}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          value={texts.name}
          onChange={set('name')}
          maxLength={500}
          autoFocus
          error={problem('name')}
        />
        <TextArea
          label="Objective"
          value={texts.objective}
          onChange={set('objective')}
          hint="The objective, in Markdown."
          required
          error={problem('objective')}
        />
        {goal === undefined ? (
          <SurfaceFields draft={surface} onChange={setSurface} error={at(error, 'verification_surface')} />
        ) : null}
        <details className={styles['optional']} open={hasContract}>
          <summary>Contract (optional)</summary>
          <div className={styles['stack']}>
            {contractFields.map(({ field, name, about }) => (
              <TextArea
                key={field}
                label={name}
                hint={about}
                value={texts[field]}
                onChange={set(field)}
                error={problem(field)}
                rows={2}
              />
            ))}
          </div>
        </details>
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!ready || create.isPending || update.isPending}>
            {goal === undefined ? 'Create goal' : 'Save'}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

function textsOf(goal: GoalDetail | undefined): Texts {
  const contract = Object.fromEntries(contractFields.map(({ field }) => [field, goal?.[field] ?? '']));
  return { name: goal?.name ?? '', objective: goal?.objective ?? '', ...(contract as Record<ContractField, string>) };
}

/** A warning that saving overwrites a change by another user since typing began. */
function changedMeanwhile(typed: Typed[Field], present: string): string | undefined {
  if (typed === undefined || present === typed.from || present === typed.text) return undefined;
  const theirs =
    present.trim() === '' ? 'Another user has cleared this' : `Another user has changed this to “${present}”`;
  return `${theirs}. Saving replaces it with your text.`;
}

/** The changed fields as input: empty ones are null. */
function changed(texts: Texts, former: Texts): Record<string, string | null> {
  const fields = Object.entries(texts).filter(([name, text]) => text !== former[name as Field]);
  return Object.fromEntries(fields.map(([name, text]) => [name, text.trim() === '' ? null : text]));
}

function at(error: ServiceError | null, field: string): string | undefined {
  return error?.field?.startsWith(field) === true ? error.message : undefined;
}
