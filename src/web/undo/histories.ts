import { History } from './history.ts';
import { takeBack } from './take-back.ts';

const histories = new Map<string, History>();

/** The history of a project: one for all views, until the page is reloaded. */
export function historyOf(projectId: string): History {
  let history = histories.get(projectId);
  if (history === undefined) {
    history = new History((step, way) => takeBack(projectId, step, way));
    histories.set(projectId, history);
  }
  return history;
}
