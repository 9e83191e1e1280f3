import type { TaskStatus } from '../rest/types.ts';

export const statusNames: Readonly<Record<TaskStatus, string>> = {
  scope: 'Scope',
  todo: 'To do',
  in_progress: 'In progress',
  done: 'Done',
  backlog: 'Backlog',
};
