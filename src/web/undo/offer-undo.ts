import type { QueryClient } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { toast } from 'sonner';
import { ServiceError } from '../api/client.ts';
import { historyOf } from './history.ts';
import type { Step, Ways } from './history.ts';
import { showError } from '../ui/show-error.ts';

/** How long a notification offers to undo, in milliseconds. */
const offerMs = 10_000;
/** There is one notification: the next change replaces it. Earlier changes are undone by key. */
const id = 'undo';

/** Shows a notification that offers to undo a step. */
export function offerUndo(projectId: string, step: Step, notice: string): void {
  const takeBack = async (): Promise<void> => {
    const history = historyOf(projectId);
    if (!history.has(step)) return void toast.dismiss(id);
    if ((await history.takeBack(step)) !== undefined) notify(projectId, 'undo', step.what);
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
export async function goBack(projectId: string, way: 'undo' | 'redo'): Promise<string | undefined> {
  const what = await historyOf(projectId)[way]();
  if (what !== undefined) notify(projectId, way, what);
  return what;
}

function notify(projectId: string, way: 'undo' | 'redo', what: string): void {
  const other = way === 'undo' ? 'redo' : 'undo';
  toast.success(`${way === 'undo' ? 'Undone' : 'Redone'}: ${what}`, {
    id,
    duration: offerMs,
    action: { label: way === 'undo' ? 'Redo' : 'Undo', onClick: replacing(() => goBack(projectId, other)) },
  });
}

/** Wraps both ways so that they refetch the shown results, and show why they failed. */
export function withErrors(client: QueryClient, what: string, { undo, redo }: Ways): Ways {
  const run = (way: Ways['undo'], failed: string) => async (): Promise<void> => {
    try {
      await way();
    } catch (error) {
      const reason = error instanceof ServiceError ? error.message : String(error);
      showError(`${failed}: ${what}`, reason, id);
      throw error;
    } finally {
      await client.invalidateQueries();
    }
  };
  return { undo: run(undo, 'Not undone'), redo: run(redo, 'Not redone') };
}
