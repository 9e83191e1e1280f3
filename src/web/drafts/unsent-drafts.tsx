import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useReducer, useState } from 'react';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'react-router';
import { useProjects } from '../api/projects.ts';
import { Button } from '../ui/button.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { CloudOff } from '../ui/icons.ts';
import { CopyButton } from '../ui/copy.tsx';
import { placeOf, TargetLink } from '../ui/target.tsx';
import { DraftSender } from './draft-sender.ts';
import type { DraftProblem } from './draft-sender.ts';
import { draftStorage, useUnopenedDrafts } from './draft-store.ts';
import type { StoredDraft } from './draft-store.ts';
import styles from './drafts.module.css';

/** Milliseconds between two attempts. */
const retryMs = 3000;
/** A record that is left is saved within this time, and not mentioned before, in milliseconds. */
const settleMs = 1500;

/** Sends the drafts that no editor has open, and shows how many are left, with a list of them. */
export function UnsentDrafts(): ReactElement {
  const client = useQueryClient();
  const drafts = useUnopenedDrafts();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const sender = useMemo(() => new DraftSender(client, redraw), [client]);
  const [listed, setListed] = useState<ReadonlySet<string>>(new Set());
  // A link in the list closes it.
  const { key: here } = useLocation();
  const [openAt, setOpenAt] = useState<string | undefined>(undefined);
  const isEmpty = drafts.length === 0;
  useEffect(() => {
    if (isEmpty) return;
    void sender.send();
    const timer = setInterval(() => void sender.send(), retryMs);
    return () => clearInterval(timer);
  }, [isEmpty, sender]);
  useEffect(() => {
    const timer = setTimeout(() => setListed(new Set(drafts.map(({ key }) => key))), settleMs);
    return () => clearTimeout(timer);
  }, [drafts]);
  const shown = drafts.filter(({ key }) => listed.has(key));
  const count = `${shown.length} unsent ${shown.length === 1 ? 'draft' : 'drafts'}`;
  return (
    <>
      <span role="status" className={styles['unsent']}>
        {shown.length === 0 ? null : (
          <button type="button" className={styles['unsentButton']} onClick={() => setOpenAt(here)}>
            <CloudOff size={14} aria-hidden /> {count}
          </button>
        )}
      </span>
      <Dialog
        open={openAt === here && shown.length > 0}
        onClose={() => setOpenAt(undefined)}
        title="Unsent drafts"
        about="They are stored in this browser only."
        wide
      >
        <ul className={styles['drafts']}>
          {shown.map((draft) => (
            <DraftLine key={draft.key} draft={draft} problem={sender.problemOf(draft.key)} />
          ))}
        </ul>
      </Dialog>
    </>
  );
}

function DraftLine({
  draft,
  problem,
}: {
  readonly draft: StoredDraft;
  readonly problem: DraftProblem | undefined;
}): ReactElement {
  const { data: projects } = useProjects();
  const [isConfirming, setConfirming] = useState(false);
  const text = textOf(draft);
  const project = projects?.find(({ id }) => id === draft.projectId)?.name;
  return (
    <li>
      <div>
        <strong>
          <Where draft={draft} />
        </strong>
        {project === undefined ? null : <span> in {project}</span>}
      </div>
      <p className={styles['reason']}>{reasonOf(draft, problem)}</p>
      <p className={styles['excerpt']} dir="auto">
        {text.slice(0, 200)}
      </p>
      <div className={styles['lineActions']}>
        <CopyButton named label="Copy the text" text={text} />
        <Button small onClick={() => setConfirming(true)}>
          Discard
        </Button>
      </div>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Discard this draft?"
        about="The service does not have this text. It cannot be restored."
        action="Discard"
        onConfirm={() => draftStorage.removeItem(draft.key)}
      />
    </li>
  );
}

/** The record of a draft, as a link. */
function Where({ draft }: { readonly draft: StoredDraft }): ReactElement {
  const { projectId } = draft;
  if (draft.kind === 'comment') {
    const { targetType: type, targetId: id } = draft;
    return (
      <>
        Comment on{' '}
        {type === 'submission' ? (
          <Link to={`/projects/${projectId}/inbox`}>a submission</Link>
        ) : (
          <TargetLink projectId={projectId} type={type} id={id} />
        )}
      </>
    );
  }
  const { type, id, fields } = draft;
  if (type === 'task')
    return (
      <>
        Description of <TargetLink projectId={projectId} type={type} id={id} />
      </>
    );
  return <Link to={placeOf({ projectId, type, id })}>{fields['title'] ?? `a ${type}`}</Link>;
}

function reasonOf({ due }: StoredDraft, problem: DraftProblem | undefined): string {
  if (problem?.kind === 'conflict') return 'Another user changed the same text: open it to choose.';
  if (problem?.kind === 'gone') return 'The record no longer exists: copy the text to keep it.';
  if (problem?.kind === 'refused') return `Not saved: ${problem.message}`;
  return due === false || due === undefined
    ? 'Not handed in yet: open it to continue.'
    : 'Sent as soon as the service responds.';
}

function textOf(draft: StoredDraft): string {
  if (draft.kind === 'comment') return new DOMParser().parseFromString(draft.html, 'text/html').body.textContent;
  const { title, ...texts } = draft.fields;
  return (
    Object.entries(texts)
      .flatMap(([name, text]) => (name === 'status' || text === '' ? [] : [text]))
      .join('\n') ||
    (title ?? '')
  );
}
