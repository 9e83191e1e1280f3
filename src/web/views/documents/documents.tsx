import { FileText, FolderPlus, Plus } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useCreateDocument, useCreateFolder, useDocumentTree } from '../../api/documents.ts';
import type { DocumentTree } from '../../api/documents.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ShelfFrame } from '../../ui/shelf.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { DocumentPane } from './document-pane.tsx';
import { NameDialog } from './name-dialog.tsx';
import { TreeView } from './tree-view.tsx';

/** Documents in their folders, and the open one. */
export function Documents(): ReactElement {
  const projectId = useProjectId();
  const { '*': rest = '' } = useParams();
  const openId = rest.split('/', 1)[0]!;
  const tree = useDocumentTree(projectId);
  useTitle(openId === '' ? 'Documents' : undefined);
  return (
    <Loaded of={tree}>
      {(answer) => (
        <Shelved projectId={projectId} tree={answer} openId={openId}>
          {openId === '' ? (
            <Nothing projectId={projectId} tree={answer} />
          ) : (
            <DocumentPane key={openId} projectId={projectId} documentId={openId} tree={answer} />
          )}
        </Shelved>
      )}
    </Loaded>
  );
}

function isEmpty({ documents, folders = [] }: DocumentTree): boolean {
  return documents.length === 0 && folders.length === 0;
}

/** Creates a document and opens it for naming. */
function useNewDocument(projectId: string): {
  readonly make: (folderId: string | null) => void;
  readonly busy: boolean;
} {
  const create = useCreateDocument();
  const navigate = useNavigate();
  return {
    busy: create.isPending,
    make: (folder_id) =>
      create.mutate(
        { project_id: projectId, title: 'Untitled', body: '', folder_id },
        { onSuccess: ({ id }) => void navigate(`/projects/${projectId}/documents/${id}?new=1`) },
      ),
  };
}

function Nothing({ projectId, tree }: { readonly projectId: string; readonly tree: DocumentTree }): ReactElement {
  const { make, busy } = useNewDocument(projectId);
  const none = isEmpty(tree);
  return (
    <Empty
      icon={FileText}
      title={none ? 'No documents yet' : 'Select a document'}
      actions={
        <Button look="primary" disabled={busy} onClick={() => make(null)}>
          <Plus size={15} aria-hidden /> New document
        </Button>
      }
    >
      {none
        ? 'Designs, decisions and findings are kept beside the plan, as Markdown files that any editor opens.'
        : undefined}
    </Empty>
  );
}

/** The tree, with the open document next to it. */
function Shelved({
  projectId,
  tree,
  openId,
  children,
}: {
  readonly projectId: string;
  readonly tree: DocumentTree;
  readonly openId: string;
  readonly children: ReactNode;
}): ReactElement {
  const { make, busy } = useNewDocument(projectId);
  const [naming, setNaming] = useState<string | null | undefined>(undefined);
  const [filter, setFilter] = useState('');
  const createFolder = useCreateFolder();
  return (
    <ShelfFrame
      name="Documents"
      openId={openId}
      isEmpty={isEmpty(tree)}
      actions={
        <>
          <IconButton small label="New folder" icon={<FolderPlus size={16} />} onClick={() => setNaming(null)} />
          <IconButton small label="New document" icon={<Plus size={16} />} disabled={busy} onClick={() => make(null)} />
        </>
      }
      filter={filter}
      onFilter={setFilter}
      list={<TreeView {...{ projectId, tree, openId, filter }} onNewDocument={make} onNewFolder={setNaming} />}
    >
      {children}
      {naming === undefined ? null : (
        <NameDialog
          title="New folder"
          label="Name"
          action="Create folder"
          onClose={() => setNaming(undefined)}
          onName={(name) => createFolder.mutate({ project_id: projectId, name, parent_folder_id: naming })}
        />
      )}
    </ShelfFrame>
  );
}
