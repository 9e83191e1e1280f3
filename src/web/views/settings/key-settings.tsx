import { KeyRound, Plus } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useCreateKey, useKeys, useRevokeKey } from '../../api/keys.ts';
import type { KeyRow } from '../../api/keys.ts';
import type { ProjectDetail } from '../../api/projects.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { ShownOnce } from './once.tsx';
import { Section } from './section.tsx';
import styles from './settings.module.css';

/** The keys of programs and agents. */
export function KeySettings({ project }: { readonly project: ProjectDetail }): ReactElement {
  const keys = useKeys();
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  return (
    <div className={styles['sections']}>
      <Section
        title="Keys"
        about="An agent key gives access to this project only and cannot delete content. An owner key may do everything, in every project."
        action={
          <Button small onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden /> New key
          </Button>
        }
      >
        <Loaded of={keys}>{(rows) => <Rows keys={rows} projectId={project.id} />}</Loaded>
      </Section>
      {making ? <NewKey project={project} onMade={setSecret} onClose={() => setMaking(false)} /> : null}
      {secret === undefined ? null : (
        <ShownOnce
          title="Your new key"
          label="Key"
          secret={secret}
          about="Copy it now: only its hash is stored, and it cannot be shown again. It is sent as Authorization: Bearer."
          onClose={() => setSecret(undefined)}
        />
      )}
    </div>
  );
}

function Rows({ keys, projectId }: { readonly keys: readonly KeyRow[]; readonly projectId: string }): ReactElement {
  const [revoking, setRevoking] = useState<KeyRow | undefined>(undefined);
  const revoke = useRevokeKey();
  const here = keys.filter(({ kind, project_id: of }) => kind === 'owner' || of === projectId).toReversed();
  const elsewhere = keys.length - here.length;
  return (
    <>
      {here.length === 0 ? <None>No key yet. `planner connect` creates one for a repository.</None> : null}
      <ul className={styles['rows']}>
        {here.map((key) => (
          <li key={key.id} className={styles['line']}>
            <KeyRound size={15} aria-hidden />
            <span className={styles['main']}>
              <strong>{key.name}</strong>
              <small>
                Made <Ago time={key.created_at} />
              </small>
            </span>
            <Badge tone={key.kind === 'owner' ? 'warn' : 'plain'}>{key.kind === 'owner' ? 'Owner' : 'Agent'}</Badge>
            <Button small look="ghost" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name}`}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {elsewhere === 0 ? null : (
        <None>
          {elsewhere} more {elsewhere === 1 ? 'key belongs' : 'keys belong'} to other projects.
        </None>
      )}
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke ${revoking?.name ?? ''}?`}
        about="The next call with it is rejected, also in open sessions. This cannot be undone."
        action="Revoke key"
        onConfirm={() => revoking !== undefined && revoke.mutate({ key_id: revoking.id })}
      />
    </>
  );
}

function NewKey({
  project,
  onMade,
  onClose,
}: {
  readonly project: ProjectDetail;
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [kind, setKind] = useState<'agent' | 'owner'>('agent');
  const [name, setName] = useState('');
  const create = useCreateKey();
  const make = async (): Promise<void> => {
    const named = name.trim() === '' ? {} : { name: name.trim() };
    const of = kind === 'agent' ? { project_id: project.id } : {};
    const made = await create.mutateAsync({ kind, ...named, ...of }).catch(() => undefined);
    if (made === undefined) return;
    onClose();
    onMade(made.secret);
  };
  return (
    <FormDialog
      title="New key"
      action="Create key"
      disabled={create.isPending}
      onSubmit={() => void make()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        placeholder="builder"
        hint="The author's name in the history."
        maxLength={500}
        autoFocus
        error={create.error?.field === 'name' ? create.error.message : undefined}
      />
      <SelectField
        label="Kind"
        value={kind}
        onChange={setKind}
        choices={[
          { value: 'agent', label: `Agent: ${project.name} alone, deletes nothing` },
          { value: 'owner', label: 'Owner: everything, in every project' },
        ]}
      />
    </FormDialog>
  );
}
