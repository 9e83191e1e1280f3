import { Download, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { toast } from 'sonner';
import { addressOf } from '../../rest/client.ts';
import type { ServiceError } from '../../rest/client.ts';
import { taskCount, useDeleteProject, useUpdateProject } from '../../api/projects.ts';
import type { ProjectDetail } from '../../api/projects.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Section } from './section.tsx';
import styles from './settings.module.css';

interface ProjectProps {
  readonly project: ProjectDetail;
}

export function ProjectSettings({ project }: ProjectProps): ReactElement {
  return (
    <div className={styles['sections']}>
      <ProjectForm project={project} />
      <Export project={project} />
      <Delete project={project} />
    </div>
  );
}

const fields = ['name', 'description', 'repo_url', 'folder_path'] as const;
type Texts = Readonly<Record<(typeof fields)[number], string>>;

function textsOf(project: ProjectDetail): Texts {
  return Object.fromEntries(fields.map((field) => [field, project[field] ?? ''])) as Texts;
}

function ProjectForm({ project }: ProjectProps): ReactElement {
  const known = textsOf(project);
  // Only typed fields: a field that another user changes shows their text until it is edited here.
  const [typed, setTyped] = useState<Partial<Texts>>({});
  const update = useUpdateProject();
  const texts: Texts = { ...known, ...typed };
  const changed = fields.filter((field) => texts[field] !== known[field]);
  const field = (
    name: keyof Texts,
  ): { value: string; onChange: (value: string) => void; error: string | undefined } => ({
    value: texts[name],
    onChange: (value) => setTyped((now) => ({ ...now, [name]: value })),
    error: errorAt(update.error, name),
  });
  const save = async (): Promise<void> => {
    const input = Object.fromEntries(
      changed.map((name) => [name, name !== 'name' && texts[name].trim() === '' ? null : texts[name].trim()]),
    );
    const saved = await update.mutateAsync({ project_id: project.id, ...input }).catch(() => undefined);
    if (saved === undefined) return;
    setTyped({});
    toast.success('Saved.');
  };
  return (
    <Section title="About the project">
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField label="Name" maxLength={500} required {...field('name')} />
        <TextArea label="Description" {...field('description')} />
        <TextField
          label="Repository"
          placeholder="https://github.com/you/shop"
          hint="The URL of its repository, without credentials."
          {...field('repo_url')}
        />
        <TextField
          label="Folder"
          placeholder="packages/shop"
          hint="Its code’s folder, relative to the one that contains .planner."
          {...field('folder_path')}
        />
        <div className={styles['row']}>
          <Button
            type="submit"
            look="primary"
            disabled={changed.length === 0 || texts.name.trim() === '' || update.isPending}
          >
            Save
          </Button>
          {changed.length === 0 ? null : (
            <Button look="ghost" onClick={() => setTyped({})}>
              Discard
            </Button>
          )}
        </div>
      </form>
    </Section>
  );
}

function errorAt(error: ServiceError | null, field: string): string | undefined {
  return error?.field === field ? error.message : undefined;
}

const exports = [
  { format: 'planner-export-v1', name: 'Whole project (JSON)' },
  { format: 'csv', name: 'Tasks (CSV)' },
  { format: 'json-canvas', name: 'Canvas (JSON Canvas)' },
] as const;

function Export({ project }: ProjectProps): ReactElement {
  return (
    <Section
      title="Export"
      about="The whole project is one file with everything in it, uploaded files too; importing it makes a new project."
    >
      <div className={styles['row']}>
        {exports.map(({ format, name }) => (
          <a
            key={format}
            className={styles['download']}
            href={addressOf('export_project', { project_id: project.id, format })}
            download
          >
            <Download size={14} aria-hidden /> {name}
          </a>
        ))}
      </div>
    </Section>
  );
}

function Delete({ project }: ProjectProps): ReactElement {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useDeleteProject();
  const navigate = useNavigate();
  const go = async (): Promise<void> => {
    const gone = await remove.mutateAsync({ project_id: project.id }).then(
      () => true,
      () => false,
    );
    if (!gone) return;
    toast.success(`${project.name} was deleted.`);
    await navigate('/');
  };
  return (
    <Section
      title="Delete this project"
      about="Its folder stays in .planner/local/trash for 30 days, and what was committed to git stays there."
    >
      <div className={styles['row']}>
        <Button look="danger" onClick={() => setConfirming(true)} disabled={remove.isPending}>
          <Trash2 size={14} aria-hidden /> Delete project…
        </Button>
      </div>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`Delete ${project.name}?`}
        about={`Its ${taskCount(project.summary)} tasks, ${project.summary.documents} documents and everything else in it are deleted.`}
        typed={project.name}
        action="Delete project"
        onConfirm={() => void go()}
      />
    </Section>
  );
}
