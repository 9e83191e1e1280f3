import { FileText, Link2, Plus, Users } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { expiries, useCreateParticipantLink, useRevokeShare, useShares } from '../../api/shares.ts';
import type { Expiry, ShareRow } from '../../api/shares.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { placeOf } from '../../ui/target.tsx';
import { Ago } from '../../ui/time.tsx';
import { ShownOnce } from './once.tsx';
import { Section } from './section.tsx';
import styles from './settings.module.css';

/** The links for people without an account. */
export function ShareSettings({ projectId }: { readonly projectId: string }): ReactElement {
  const shares = useShares(projectId);
  const [making, setMaking] = useState(false);
  const [url, setUrl] = useState<string | undefined>(undefined);
  return (
    <div className={styles['sections']}>
      <Section
        title="Participants"
        about="A participant link shows the project’s name, its goals and the labels and statuses of its tasks, and accepts submissions into the inbox. Every link expires."
        action={
          <Button small onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden /> New link
          </Button>
        }
      >
        <Loaded of={shares}>
          {(rows) => (
            <Rows
              projectId={projectId}
              shares={rows.filter(({ kind }) => kind === 'participants')}
              none="No participant links yet."
            />
          )}
        </Loaded>
      </Section>
      <Section
        title="Shared resources"
        about="A share link shows one task, document or prototype and nothing else. Share one from its own page."
      >
        <Loaded of={shares}>
          {(rows) => (
            <Rows
              projectId={projectId}
              shares={rows.filter(({ kind }) => kind === 'resource')}
              none="Nothing is shared."
            />
          )}
        </Loaded>
      </Section>
      {making ? <NewLink projectId={projectId} onMade={setUrl} onClose={() => setMaking(false)} /> : null}
      {url === undefined ? null : (
        <ShownOnce
          title="The participant link"
          label="Address"
          secret={url}
          about="Copy it now: only its hash is stored, and it cannot be shown again. Anyone with it can read and submit."
          onClose={() => setUrl(undefined)}
        />
      )}
    </div>
  );
}

function Rows({
  projectId,
  shares,
  none,
}: {
  readonly projectId: string;
  readonly shares: readonly ShareRow[];
  readonly none: string;
}): ReactElement {
  const [past, setPast] = useState(false);
  const live = shares.filter(({ state }) => state === 'live');
  const ended = shares.length - live.length;
  const shown = (past ? shares : live).toReversed();
  return (
    <>
      {shown.length === 0 ? <None>{none}</None> : null}
      <ul className={styles['rows']}>
        {shown.map((share) => (
          <ShareLine key={share.id} projectId={projectId} share={share} />
        ))}
      </ul>
      {ended === 0 ? null : (
        <div>
          <Button small look="ghost" onClick={() => setPast(!past)} aria-expanded={past}>
            {past ? 'Hide' : 'Show'} {ended} that ended
          </Button>
        </div>
      )}
    </>
  );
}

function ShareLine({ projectId, share }: { readonly projectId: string; readonly share: ShareRow }): ReactElement {
  const [isConfirming, setConfirming] = useState(false);
  const revoke = useRevokeShare();
  const { target_type: type, target_id: id, title, audience_name: audience, state } = share;
  const name = share.kind === 'participants' ? (audience ?? 'Anyone with the link') : (title ?? `A deleted ${type}`);
  return (
    <li className={styles['line']}>
      {share.kind === 'participants' ? (
        <Users size={15} aria-hidden />
      ) : type === 'document' ? (
        <FileText size={15} aria-hidden />
      ) : (
        <Link2 size={15} aria-hidden />
      )}
      <span className={styles['main']}>
        <strong>
          {type !== null && id !== null && title !== null ? (
            <Link to={placeOf({ projectId, type, id })}>{name}</Link>
          ) : (
            name
          )}
        </strong>
        <small>
          Created <Ago time={share.created_at} />, {state === 'live' ? 'ends' : 'would have ended'}{' '}
          <Ago time={share.expires_at} />
        </small>
      </span>
      {state === 'live' ? (
        <Button small look="ghost" onClick={() => setConfirming(true)} aria-label={`Revoke the link of ${name}`}>
          Revoke
        </Button>
      ) : (
        <Badge>{state === 'revoked' ? 'Revoked' : 'Expired'}</Badge>
      )}
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Revoke this link?"
        about={`It then shows that it has ended. “${name}” can be shared again with a new link.`}
        action="Revoke link"
        onConfirm={() => revoke.mutate({ project_id: projectId, share_id: share.id })}
      />
    </li>
  );
}

function NewLink({
  projectId,
  onMade,
  onClose,
}: {
  readonly projectId: string;
  readonly onMade: (url: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [audience, setAudience] = useState('');
  const [expires, setExpires] = useState<Expiry>('7d');
  const create = useCreateParticipantLink();
  const make = async (): Promise<void> => {
    const named = audience.trim() === '' ? {} : { audience_name: audience.trim() };
    const made = await create.mutateAsync({ project_id: projectId, expires, ...named }).catch(() => undefined);
    if (made === undefined) return;
    onClose();
    onMade(made.url);
  };
  return (
    <FormDialog
      title="New participant link"
      action="Create link"
      disabled={create.isPending}
      onSubmit={() => void make()}
      onClose={onClose}
    >
      <TextField
        label="Audience (optional)"
        value={audience}
        onChange={setAudience}
        placeholder="The client"
        maxLength={500}
        autoFocus
      />
      <SelectField label="It ends after" value={expires} onChange={setExpires} choices={expiries} />
    </FormDialog>
  );
}
