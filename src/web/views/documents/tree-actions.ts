import type { FolderPath } from '../../api/documents.ts';

/** The dragged line, and its folder. */
export interface Dragged {
  readonly kind: 'document' | 'folder';
  readonly id: string;
  readonly title: string;
  readonly from: string | null;
}

/** The actions for the lines of the tree. */
export interface TreeActions {
  readonly projectId: string;
  readonly openId: string;
  readonly paths: readonly FolderPath[];
  readonly move: (what: Dragged, target: string | null) => void;
  readonly onNewDocument: (folderId: string | null) => void;
  readonly onNewFolder: (parentId: string | null) => void;
  readonly toggle: (id: string) => void;
}
