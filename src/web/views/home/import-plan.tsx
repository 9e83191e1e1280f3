import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { toast } from 'sonner';
import { refresh, soFar } from '../../api/cache.ts';
import { ServiceError, uploadAll } from '../../rest/client.ts';
import type { Answer } from '../../rest/client.ts';
import { useProjects } from '../../api/projects.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import ui from '../../ui/ui.module.css';
import styles from './home.module.css';

type Imported = Answer<'import_project'>;
type Files = readonly { readonly file: File; readonly path: string }[];

interface Candidate {
  readonly from: string;
  readonly path: string;
}

interface Choice {
  readonly files: Files;
  readonly from?: string | undefined;
  readonly into?: string | undefined;
}

/** Imports an export or another tool's plan. A preview is shown first: the choice is sent as a dry run. */
export function ImportPlan({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [choice, setChoice] = useState<Choice>();
  const [preview, setPreview] = useState<Imported>();
  const [error, setError] = useState<ServiceError>();
  const [busy, setBusy] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const send = async (chosen: Choice, isDry: boolean): Promise<Imported | undefined> => {
    const { files, ...input } = chosen;
    setBusy(true);
    setError(undefined);
    try {
      return await uploadAll('import_project', isDry ? { ...input, dry_run: true } : input, files);
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      setError(thrown);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const choose = async (chosen: Choice): Promise<void> => {
    setChoice(chosen);
    setPreview(undefined);
    if (chosen.files.length > 0) setPreview(await send(chosen, true));
  };
  const submit = async (chosen: Choice): Promise<void> => {
    const made = await send(chosen, false);
    if (made === undefined) return;
    await refresh(client, 'list_projects');
    toast.success(made.merge === undefined ? `${made.name} was imported.` : `The plan was merged into ${made.name}.`);
    onClose();
    await navigate(`/projects/${made.id}`);
  };
  const about =
    'An export of Planner, or the plan of another tool: its file, its directory, or the repository that contains it.';
  return (
    <Dialog open onClose={onClose} title="Import a plan" about={about}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (choice !== undefined) void submit(choice);
        }}
      >
        <PlanInputs disabled={busy} onFiles={(files) => void choose({ ...choice, files, from: undefined })} />
        <IntoField disabled={busy} into={choice?.into} onInto={(into) => void choose({ files: [], ...choice, into })} />
        {busy ? <p role="status">Reading the plan…</p> : null}
        {error === undefined ? null : <p role="alert">{error.message}</p>}
        <Candidates
          of={error}
          onChoose={(from) => {
            if (choice !== undefined) void choose({ ...choice, from });
          }}
        />
        {preview === undefined ? null : <Preview of={preview} />}
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={preview === undefined || busy}>
            Import
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

/** Directories of a repository that contain no plan. */
const skipped = /(^|\/)(\.git|node_modules)\//;

/** React's types do not have the attribute. */
const wholeDirectory = { webkitdirectory: '' };

function PlanInputs({
  disabled,
  onFiles,
}: {
  readonly disabled: boolean;
  readonly onFiles: (files: Files) => void;
}): ReactElement {
  const [file, directory] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const take = (target: HTMLInputElement): void => {
    const files = [...(target.files ?? [])].map((one) => ({ file: one, path: one.webkitRelativePath || one.name }));
    target.value = '';
    const chosen = files.filter(({ path }) => !skipped.test(path));
    if (chosen.length > 0) onFiles(chosen);
  };
  const input = { type: 'file', className: 'visually-hidden', tabIndex: -1 } as const;
  return (
    <div className={styles['choices']}>
      <input {...input} ref={file} aria-label="File to import" onChange={({ target }) => take(target)} />
      <input
        {...input}
        ref={directory}
        aria-label="Directory to import"
        onChange={({ target }) => take(target)}
        {...wholeDirectory}
      />
      <Button onClick={() => file.current?.click()} disabled={disabled}>
        Choose a file…
      </Button>
      <Button onClick={() => directory.current?.click()} disabled={disabled}>
        Choose a directory…
      </Button>
    </div>
  );
}

const newProject = 'new';

function IntoField({
  disabled,
  into,
  onInto,
}: {
  readonly disabled: boolean;
  readonly into: string | undefined;
  readonly onInto: (into: string | undefined) => void;
}): ReactElement {
  const { data } = useProjects();
  return (
    <SelectField
      label="Into"
      value={into ?? newProject}
      disabled={disabled}
      choices={[
        { value: newProject, label: 'A new project' },
        ...soFar(data).map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(value) => onInto(value === newProject ? undefined : value)}
    />
  );
}

/** The plans that a directory has, if there are several. */
function Candidates({
  of,
  onChoose,
}: {
  readonly of: ServiceError | undefined;
  readonly onChoose: (from: string) => void;
}): ReactElement | null {
  const { candidates } = of?.details ?? {};
  if (!Array.isArray(candidates)) return null;
  const choices = candidates as readonly Candidate[];
  return (
    <ul className={styles['choices']}>
      {choices.map(({ from, path }) => {
        const isOnly = choices.filter((one) => one.from === from).length === 1;
        return (
          <li key={`${from} ${path}`}>
            <Button onClick={() => onChoose(isOnly ? from : path)}>
              {from} ({path})
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

/** A preview of the import. */
function Preview({ of: { name, report, merge } }: { readonly of: Imported }): ReactElement {
  return (
    <div role="status">
      <p>
        {merge === undefined
          ? `${name}, from ${report.from}: ${listed(report.counts)}.`
          : `Into ${name}, from ${report.from}: ${listed(merge.added) || 'nothing'} will be added, already there: ${listed(merge.present) || 'nothing'}.`}
      </p>
      <ul className={ui['hint']}>
        {report.left_out.map(({ of, reason, count, total, places }) => (
          <li key={`${of} ${reason}`} title={places.join('\n')}>
            {`Left out: ${count} of ${total} ${of}${total === 1 ? '' : 's'}: ${reason}`}
          </li>
        ))}
        {report.remarks.map(({ what, count }) => (
          <li key={what}>{`${what} (${count})`}</li>
        ))}
        {merge === undefined || merge.differing.length === 0 ? null : (
          <li>{`${merge.differing.length} that are there differ from the plan and stay as they are`}</li>
        )}
      </ul>
    </div>
  );
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${count === 1 ? what.replace(/s$/, '') : what}`)
    .join(', ');
}
