import { FileText } from '../../ui/icons.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useResponse } from '../../api/cache.ts';
import type { Answer, ServiceError } from '../../rest/client.ts';
import { Loaded, None } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { Card } from '../../ui/card.tsx';
import styles from './overview.module.css';

type Tree = Answer<'list_documents'>;
type Row = Tree['documents'][number];
type Folder = NonNullable<Tree['folders']>[number];

const shown = 6;

function everyIn(folders: readonly Folder[] = []): Row[] {
  return folders.flatMap((folder) => [...folder.documents, ...everyIn(folder.folders)]);
}

export function useDocumentTree(projectId: string): UseQueryResult<Tree, ServiceError> {
  return useResponse('list_documents', { project_id: projectId, verbose: false }, { everyMs: 10_000 });
}

/** The most recently changed documents. */
export function RecentDocuments({ projectId }: { readonly projectId: string }): ReactElement {
  const tree = useDocumentTree(projectId);
  return (
    <Card title="Recent documents">
      <Loaded of={tree}>
        {({ folders, documents }) => {
          const all = [...documents, ...everyIn(folders)];
          const latest = all.toSorted((a, b) => (changedAt(a) < changedAt(b) ? 1 : -1)).slice(0, shown);
          if (latest.length === 0) return <None>No document yet.</None>;
          return (
            <ul className={styles['documents']}>
              {latest.map((document) => (
                <li key={document.id}>
                  <FileText size={14} aria-hidden />
                  <Link to={`/projects/${projectId}/documents/${document.id}`} dir="auto">
                    {document.title}
                  </Link>
                  {changedAt(document) === '' ? null : <Ago time={changedAt(document)} />}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

function changedAt(document: Row): string {
  return 'updated_at' in document ? document.updated_at : '';
}
