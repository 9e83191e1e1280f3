import type { ReactElement } from 'react';
import { useResponse } from '../api/cache.ts';
import { Dialog } from './dialog.tsx';
import { CopyLine } from './copy.tsx';
import { Loaded } from './states.tsx';

export interface FilePathDialogProps {
  readonly projectId: string;
  readonly recordId: string;
  readonly onClose: () => void;
}

/** The path of a record's file, for people who prefer their own editor. */
export function FilePathDialog({ projectId, recordId, onClose }: FilePathDialogProps): ReactElement {
  const file = useResponse('get_record_file', { project_id: projectId, record_id: recordId });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Open in your editor"
      about="It is a file beside your code. What you save there appears here within seconds, and vice versa."
    >
      <Loaded of={file}>
        {({ path }) =>
          path === null ? <p>The file is being written.</p> : <CopyLine label="Path of the file" text={path} />
        }
      </Loaded>
    </Dialog>
  );
}
