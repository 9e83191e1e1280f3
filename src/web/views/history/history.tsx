import { History as HistoryIcon, X } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useRevisionPages } from '../../api/revisions.ts';
import type { RevisionFilter } from '../../api/revisions.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { useTitle } from '../../shell/title.ts';
import { authorOf } from '../../rest/author.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import styles from './history.module.css';
import { useNames } from './names.ts';
import { RevisionList } from './revision-list.tsx';

const authors = [
  { value: '', label: 'Everybody' },
  { value: 'human', label: 'People' },
  { value: 'agent', label: 'Agents' },
  { value: 'file', label: 'Files' },
] as const;

const types = [
  { value: '', label: 'Everything' },
  { value: 'task', label: 'Tasks' },
  { value: 'document', label: 'Documents' },
  { value: 'goal', label: 'Goals' },
  { value: 'note', label: 'Notes' },
  { value: 'artifact', label: 'Artifacts' },
] as const;

/** The changes of the project by author and field, with restore. */
export function HistoryView(): ReactElement {
  const projectId = useProjectId();
  useTitle('History');
  const [author, setAuthor] = useQueryValue<string>('by', '');
  const [type, setType] = useQueryValue<string>('type', '');
  const [target, setTarget] = useQueryValue<string>('target', '');
  const filter: RevisionFilter = {
    ...(author === '' ? {} : { author }),
    ...(type === '' ? {} : { target_type: type as NonNullable<RevisionFilter['target_type']> }),
    ...(target === '' ? {} : { target_id: target }),
  };
  const revisions = useRevisionPages(projectId, filter);
  const names = useNames(projectId);
  const one = author.includes(':') ? authorOf(author).name : undefined;
  return (
    <Page
      title="History"
      actions={
        <div className={styles['type']}>
          <SelectField label="Of what" hideLabel value={type} onChange={setType} choices={types} />
        </div>
      }
    >
      <Segments label="By whom" value={one === undefined ? author : ''} onChange={setAuthor} choices={authors} />
      <div className={styles['chips']}>
        {one === undefined ? null : <Chip name={`By ${one}`} onRemove={() => setAuthor('')} />}
        {target === '' ? null : <Chip name={`Of “${names.get(target) ?? target}”`} onRemove={() => setTarget('')} />}
      </div>
      <Loaded of={revisions} view="rows">
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={HistoryIcon} title="No changes">
              {Object.keys(filter).length === 0
                ? 'Changes of tasks, documents, goals, notes and artifacts appear here.'
                : 'No change matches the filters. Remove one.'}
            </Empty>
          ) : (
            <>
              <RevisionList projectId={projectId} revisions={rows} names={names} onAuthor={setAuthor} />
              {revisions.hasOlder ? (
                <div className={styles['older']}>
                  <Button
                    onClick={revisions.readOlder}
                    disabled={revisions.isReadingOlder}
                    aria-busy={revisions.isReadingOlder}
                  >
                    {revisions.isReadingOlder ? 'Reading…' : 'Show older changes'}
                  </Button>
                </div>
              ) : null}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Chip({ name, onRemove }: { readonly name: string; readonly onRemove: () => void }): ReactElement {
  return (
    <Button small onClick={onRemove} aria-label={`${name}: remove this filter`}>
      {name} <X size={13} aria-hidden />
    </Button>
  );
}
