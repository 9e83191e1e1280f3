import { useState } from 'react';
import type { ReactElement } from 'react';
import {
  useCreateWebhook,
  useDeleteWebhook,
  usePauseWebhook,
  useResumeWebhook,
  useWebhooks,
} from '../../api/webhooks.ts';
import type { WebhookRow } from '../../api/webhooks.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Plus, Zap } from '../../ui/icons.ts';
import { Loaded, None } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { ShownOnce } from './once.tsx';
import { Section } from './section.tsx';
import styles from './settings.module.css';
import { Deliveries } from './webhook-deliveries.tsx';

/** The webhooks of a project, with their deliveries. */
export function WebhookSettings({ projectId }: { readonly projectId: string }): ReactElement {
  const webhooks = useWebhooks(projectId);
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  return (
    <div className={styles['sections']}>
      <Section
        title="Webhooks"
        about="What changes in this project is sent to these addresses, signed by the rules of Standard Webhooks, in order and until it was answered."
        action={
          <Button small onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden /> New webhook
          </Button>
        }
      >
        <Loaded of={webhooks}>
          {(rows) =>
            rows.length === 0 ? (
              <None>No webhook yet.</None>
            ) : (
              <ul className={styles['rows']}>
                {rows.map((webhook) => (
                  <WebhookLine key={webhook.id} webhook={webhook} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      {making ? <NewWebhook projectId={projectId} onMade={setSecret} onClose={() => setMaking(false)} /> : null}
      {secret === undefined ? null : (
        <ShownOnce
          title="The secret of the signatures"
          label="Secret"
          secret={secret}
          about="Copy it now: it cannot be shown again. The receiver checks the signature of each delivery with it."
          onClose={() => setSecret(undefined)}
        />
      )}
    </div>
  );
}

function WebhookLine({ webhook }: { readonly webhook: WebhookRow }): ReactElement {
  const { id, url, types, paused } = webhook;
  const [isOpen, setOpen] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const pause = usePauseWebhook();
  const resume = useResumeWebhook();
  const remove = useDeleteWebhook();
  const panel = `deliveries-${id}`;
  return (
    <li className={styles['line']}>
      <Zap size={15} aria-hidden />
      <span className={styles['main']}>
        <strong>{url}</strong>
        <small>
          {types.length === 0 ? 'Everything' : types.join(', ')} · <WebhookFacts webhook={webhook} />
        </small>
      </span>
      <StateBadge webhook={webhook} />
      <Button
        small
        look="ghost"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        aria-label={`Deliveries to ${url}`}
        onClick={() => setOpen(!isOpen)}
      >
        Deliveries
      </Button>
      <Button
        small
        look="ghost"
        disabled={pause.isPending || resume.isPending}
        aria-label={`${paused === null ? 'Pause' : 'Resume'} ${url}`}
        onClick={() => (paused === null ? pause : resume).mutate({ webhook_id: id })}
      >
        {paused === null ? 'Pause' : 'Resume'}
      </Button>
      <Button small look="ghost" aria-label={`Delete ${url}`} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isOpen ? (
        <div id={panel} className={styles['deliveries']}>
          <Deliveries webhook={webhook} />
        </div>
      ) : null}
      <Confirm
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this webhook?"
        about={`${url} gets nothing any more. Its secret and the list of its deliveries are deleted; this cannot be undone.`}
        action="Delete webhook"
        onConfirm={() => remove.mutate({ webhook_id: id })}
      />
    </li>
  );
}

const reasons = {
  requested: 'Paused by a person',
  failing: 'Paused after 24 hours of failures',
  gone: 'Paused: the receiver answered 410 (gone)',
  expired: 'Paused: what it missed is no longer kept',
  crashed: 'Paused: its deliveries ended the service',
} as const;

function WebhookFacts({
  webhook: { paused, failures, retry_at: retryAt, created_at: createdAt },
}: {
  readonly webhook: WebhookRow;
}): ReactElement {
  if (paused !== null)
    return (
      <>
        {reasons[paused.reason]}, <Ago time={paused.at} />
      </>
    );
  if (failures > 0)
    return (
      <>
        {failures} {failures === 1 ? 'attempt' : 'attempts'} failed
        {retryAt === null ? null : (
          <>
            , next <Ago time={retryAt} />
          </>
        )}
      </>
    );
  return (
    <>
      Made <Ago time={createdAt} />
    </>
  );
}

function StateBadge({ webhook: { state } }: { readonly webhook: WebhookRow }): ReactElement {
  if (state === 'paused') return <Badge tone="warn">Paused</Badge>;
  if (state === 'retrying') return <Badge tone="danger">Retrying</Badge>;
  return <Badge tone="good">Active</Badge>;
}

function NewWebhook({
  projectId,
  onMade,
  onClose,
}: {
  readonly projectId: string;
  readonly onMade: (secret: string) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [url, setUrl] = useState('');
  const [types, setTypes] = useState('');
  const create = useCreateWebhook();
  const make = async (): Promise<void> => {
    const only = types.split(/[\s,]+/).filter((type) => type !== '');
    const input = { project_id: projectId, url: url.trim(), ...(only.length === 0 ? {} : { types: only }) };
    const made = await create.mutateAsync(input).catch(() => undefined);
    if (made === undefined) return;
    onClose();
    onMade(made.secret);
  };
  const errorOf = (field: string): string | undefined =>
    create.error?.field?.startsWith(field) === true ? create.error.message : undefined;
  return (
    <FormDialog
      title="New webhook"
      action="Create webhook"
      disabled={create.isPending}
      onSubmit={() => void make()}
      onClose={onClose}
    >
      <TextField
        label="Address"
        value={url}
        onChange={setUrl}
        placeholder="https://hooks.example.org/planner"
        hint="An https address of a public host, or of one that PLANNER_WEBHOOK_HOSTS allows."
        maxLength={2000}
        inputMode="url"
        spellCheck={false}
        autoFocus
        error={errorOf('url')}
      />
      <TextField
        label="Events (optional)"
        value={types}
        onChange={setTypes}
        placeholder="task.done, comment"
        hint="Types of events, or nouns for everything about them. Empty: all."
        spellCheck={false}
        error={errorOf('types')}
      />
    </FormDialog>
  );
}
