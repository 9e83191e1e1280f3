import type { MouseEvent } from 'react';
import { toast } from 'sonner';
import { historyOf } from './histories.ts';
import type { Step, Way } from './history.ts';
import { toastId as id } from './take-back.ts';

/** How long a notification offers to undo, in milliseconds. */
const offerMs = 10_000;

/** Shows a notification that offers to undo a step. Earlier steps are undone by key. */
export function offerUndo(projectId: string, step: Step, notice: string): void {
  const takeBack = async (): Promise<void> => {
    const what = await historyOf(projectId).takeBack(step);
    if (what !== undefined) notify(projectId, 'undo', what);
  };
  toast.success(notice, { id, duration: offerMs, action: { label: 'Undo', onClick: replacing(takeBack) } });
}

/** A notification that is closed cannot be replaced by the next one: it stays until then. */
function replacing(act: () => Promise<unknown>): (event: MouseEvent<HTMLButtonElement>) => void {
  return (event) => {
    event.preventDefault();
    void act();
  };
}

/** Undoes or redoes the last change in a project. Returns its name. */
export async function goBack(projectId: string, way: Way): Promise<string | undefined> {
  const what = await historyOf(projectId).go(way);
  if (what !== undefined) notify(projectId, way, what);
  return what;
}

function notify(projectId: string, way: Way, what: string): void {
  const other = way === 'undo' ? 'redo' : 'undo';
  toast.success(`${way === 'undo' ? 'Undone' : 'Redone'}: ${what}`, {
    id,
    duration: offerMs,
    action: { label: way === 'undo' ? 'Redo' : 'Undo', onClick: replacing(() => goBack(projectId, other)) },
  });
}
