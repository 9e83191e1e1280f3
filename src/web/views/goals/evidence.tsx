import { Signature, TriangleAlert } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import type { VerificationSurface } from '../../api/goals.ts';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import styles from './goals.module.css';
import { redEffect } from './evidence-props.ts';
import type { EvidenceProps } from './evidence-props.ts';

type Gate = Extract<VerificationSurface, { readonly kind: 'gate_command' }>;

/** A gate command and its exit code: a person or an agent runs it, never the service. */
export function GateEvidence({
  goal,
  surface,
  may,
  busy,
  handIn,
}: EvidenceProps & { readonly surface: Gate }): ReactElement {
  const [code, setCode] = useState('');
  const [detail, setDetail] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const exit = Number(code);
  const known = code.trim() !== '' && Number.isInteger(exit);
  const submit = async (): Promise<void> => {
    const more = detail.trim() === '' ? {} : { detail };
    const taken = await handIn({ kind: 'gate_command', exit_code: exit, command: surface.command, ...more });
    if (!taken) return;
    setCode('');
    setDetail('');
  };
  return (
    <>
      <p>In the repository, this runs the gate at the present commit and hands in the result with a proof:</p>
      <Command text={`planner verify ${goal.id}`} />
      <p>
        {may
          ? 'Or run the gate and submit its exit code. 0 completes the goal, any other code blocks it.'
          : 'The gate:'}
      </p>
      <Command text={surface.command} label="Copy the command" />
      {may ? (
        <form
          className={styles['stack']}
          onSubmit={(event) => {
            event.preventDefault();
            if (!known) return;
            if (exit === 0) void submit();
            else setConfirming(true);
          }}
        >
          <TextField
            label="Exit code"
            inputMode="numeric"
            value={code}
            onChange={setCode}
            autoComplete="off"
            error={code.trim() !== '' && !known ? 'An exit code is a whole number: 0 for success.' : undefined}
          />
          <TextArea label="What it said (optional)" value={detail} onChange={setDetail} />
          {known && exit !== 0 ? (
            <p className={styles['red']} role="status">
              <TriangleAlert size={14} aria-hidden /> Exit code {exit} is red. {redEffect}
            </p>
          ) : null}
          <div className={styles['row']}>
            <Button type="submit" look={known && exit !== 0 ? 'danger' : 'primary'} disabled={!known || busy}>
              {known && exit !== 0 ? 'Submit and block the goal…' : 'Submit and complete'}
            </Button>
          </div>
        </form>
      ) : null}
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Submit red evidence?"
        about={`Exit code ${code.trim()} is recorded. ${redEffect}`}
        action="Block the goal"
        onConfirm={() => void submit()}
      />
    </>
  );
}

/** A person's sign-off. */
export function SignOffEvidence({ may, busy, handIn }: EvidenceProps): ReactElement {
  const [name, setName] = useState('');
  return (
    <>
      <p>A person looks at the result and approves it by name.</p>
      {may ? (
        <form
          className={styles['stack']}
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '') void handIn({ kind: 'human_sign_off', approved_by: name.trim() });
          }}
        >
          <TextField label="Approved by" value={name} onChange={setName} autoComplete="name" maxLength={500} />
          <div className={styles['row']}>
            <Button type="submit" look="primary" disabled={busy || name.trim() === ''}>
              <Signature size={14} aria-hidden /> Sign off and complete
            </Button>
          </div>
        </form>
      ) : null}
    </>
  );
}
