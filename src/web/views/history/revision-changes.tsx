import { ArrowRight, RotateCcw } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useRestore, useRevisionDiff } from '../../api/revisions.ts';
import type { FieldChange, RevisionRow } from '../../api/revisions.ts';
import { fieldsText } from '../../ui/activity.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { UnifiedDiff } from '../../ui/unified-diff.tsx';
import styles from './history.module.css';

interface ChangesProps {
  readonly projectId: string;
  readonly revision: RevisionRow;
  readonly names: ReadonlyMap<string, string>;
}

/** The changes of one revision, with restore. */
export function RevisionChanges({ projectId, revision, names }: ChangesProps): ReactElement {
  const diff = useRevisionDiff(projectId, revision.id);
  return (
    <Loaded of={diff} parts={2}>
      {({ changes }) => (
        <>
          {changes.length === 0 ? <None>Nothing differs any more.</None> : null}
          <dl className={styles['fields']}>
            {changes.map((change) => (
              <div key={change.field}>
                <dt>{fieldsText([change.field])}</dt>
                <dd>
                  {change.unified === undefined ? (
                    <Values change={change} names={names} />
                  ) : (
                    <UnifiedDiff unified={change.unified} />
                  )}
                </dd>
              </div>
            ))}
          </dl>
          <Restore projectId={projectId} revision={revision} />
        </>
      )}
    </Loaded>
  );
}

function Values({
  change: { before, after },
  names,
}: {
  readonly change: FieldChange;
  readonly names: ReadonlyMap<string, string>;
}): ReactElement {
  return (
    <span className={styles['values']}>
      <del>{valueText(before, names)}</del>
      <ArrowRight size={13} aria-label="became" />
      <ins>{valueText(after, names)}</ins>
    </span>
  );
}

/** A value as text: ids are replaced by names. */
function valueText(value: unknown, names: ReadonlyMap<string, string>): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'string') return names.get(value) ?? value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'nothing';
    if (value.every((each) => typeof each === 'string')) return value.map((each) => names.get(each) ?? each).join(', ');
  }
  return JSON.stringify(value, undefined, 1);
}

function Restore({
  projectId,
  revision,
}: {
  readonly projectId: string;
  readonly revision: RevisionRow;
}): ReactElement {
  const [isConfirming, setConfirming] = useState(false);
  const restore = useRestore();
  const deleted = revision.changed_fields[0] === 'deleted';
  return (
    <div>
      <Button onClick={() => setConfirming(true)} disabled={restore.isPending}>
        <RotateCcw size={14} aria-hidden /> {deleted ? 'Restore it' : 'Restore the state before'}
      </Button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        danger={false}
        title={deleted ? `Restore this ${revision.target_type}?` : 'Restore the state before this change?'}
        about={
          deleted
            ? 'It is restored with its comments, and with its links to existing records.'
            : `Every field of this ${revision.target_type} becomes what it was before, including later changes. This is a change itself and can be undone in the same way.`
        }
        action={deleted ? 'Restore it' : 'Restore'}
        onConfirm={() => restore.mutate({ project_id: projectId, revision_id: revision.id })}
      />
    </div>
  );
}
