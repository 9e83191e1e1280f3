import type { RefObject } from 'react';
import { toast } from 'sonner';
import { useProject } from '../../api/projects.ts';
import { loadCode } from '../../loading/code.ts';
import { saveFile } from '../../ui/save-file.ts';
import type { CanvasFilter } from './canvas-filter.tsx';
import type { Drawn } from './model/canvas-store.ts';
import { framesOf } from './model/goal-frames.ts';
import type { PictureKind } from './picture/export-picture.ts';
import type { CanvasLook } from './use-canvas-view.ts';
import { showError } from '../../rest/show-error.ts';

export interface ExportSources {
  readonly projectId: string;
  readonly frame: RefObject<HTMLElement | null>;
  readonly drawn: Drawn;
  readonly filter: CanvasFilter;
  readonly look: CanvasLook;
}

/** Downloads the whole canvas as a picture, as it is filtered, coloured and marked. */
export function useExport({ projectId, frame, drawn, filter, look }: ExportSources): (kind: PictureKind) => void {
  const { data: project } = useProject(projectId);
  return (kind) => {
    const root = frame.current;
    if (root === null) return;
    const id = toast.loading('The picture is being made');
    const name = `${project?.name ?? 'Project'} canvas`;
    const { showFrontier, showCritical } = look;
    loadCode(() => import('./picture/export-picture.ts'))
      .then(({ exportPicture }) =>
        exportPicture(
          {
            ...{ name, root, showFrontier, showCritical, nodes: drawn.nodes, edges: drawn.edges },
            frames: filter.hasFrames ? framesOf(drawn.nodes, filter.goals) : [],
            tones: filter.tones.named,
            toneOf: filter.tones.of,
          },
          kind,
        ),
      )
      .then((file) => {
        saveFile(`${name}.${kind}`, file);
        toast.success(`Exported as ${kind.toUpperCase()}`, { id });
      })
      .catch((error: unknown) => {
        const description = error instanceof Error ? error.message : undefined;
        showError('The picture could not be made', description, id);
      });
  };
}
