import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/change.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import ui from '../../ui/ui.module.css';

type Kind = 'markdown' | 'html';

/** Creates an artifact, empty or from a file. */
export function NewArtifact({
  projectId,
  onClose,
}: {
  readonly projectId: string;
  readonly onClose: () => void;
}): ReactElement {
  const [title, setTitle] = useState('');
  const [kind, setKind] = useState<Kind>('markdown');
  const [content, setContent] = useState('');
  const navigate = useNavigate();
  const create = useChange('create_artifact', {
    shownBy: ['list_artifacts', 'get_project'],
    failed: 'The artifact could not be created',
  });
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setContent(await file.text());
    setKind(/\.html?$/i.test(file.name) || file.type === 'text/html' ? 'html' : 'markdown');
    if (title.trim() === '') setTitle(file.name.replace(/\.[^.]+$/, ''));
  };
  const make = async (): Promise<void> => {
    const made = await create
      .mutateAsync({ project_id: projectId, title: title.trim(), kind, content })
      .catch(() => undefined);
    if (made === undefined) return;
    onClose();
    void navigate(`/projects/${projectId}/artifacts/${made.id}${content === '' ? '?show=source' : ''}`);
  };
  return (
    <Dialog open onClose={onClose} title="New artifact">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '') void make();
        }}
      >
        <div className={ui['form']}>
          <TextField label="Title" value={title} onChange={setTitle} maxLength={500} autoFocus />
          <SelectField
            label="Kind"
            value={kind}
            onChange={setKind}
            choices={[
              { value: 'markdown', label: 'Markdown: a text' },
              { value: 'html', label: 'HTML: a page with its own scripts, in a sandbox' },
            ]}
          />
          <label>
            From a file, if there is one
            <br />
            <input
              type="file"
              accept=".md,.markdown,.txt,.html,.htm"
              onChange={(event) => void take(event.target.files?.[0])}
            />
          </label>
        </div>
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={title.trim() === '' || create.isPending}>
            Create
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
