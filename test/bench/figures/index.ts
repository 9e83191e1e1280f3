import type { Figure } from '../figure.ts';
import { agents } from './agents.ts';
import { amplification } from './amplification.ts';
import { backlogPeer } from './backlog-peer.ts';
import { canvas } from './canvas.ts';
import { coldStart } from './cold-start.ts';
import { creates } from './creates.ts';
import { diskEdits } from './disk-edits.ts';
import { exchange } from './exchange.ts';
import { files } from './files.ts';
import { firstCanvas } from './first-canvas.ts';
import { followers } from './followers.ts';
import { hosted } from './hosted.ts';
import { live } from './live.ts';
import { memory } from './memory.ts';
import { nextTask } from './next-task.ts';
import { overview } from './overview.ts';
import { page } from './page.ts';
import { past } from './past.ts';
import { polls } from './polls.ts';
import { reads } from './reads.ts';
import { search } from './search.ts';
import { searchBodies } from './search-bodies.ts';
import { stalls } from './stalls.ts';
import { start } from './start.ts';
import { takeOver } from './take-over.ts';
import { taskmasterPeer } from './taskmaster-peer.ts';
import { turns } from './turns.ts';
import { updateTaskModern } from './update-task-modern.ts';
import { updateTask } from './update-task.ts';

/** Every figure, in the order of the table. */
export const figures: readonly Figure[] = [
  creates,
  reads,
  polls,
  nextTask,
  updateTask,
  updateTaskModern,
  overview,
  search,
  searchBodies,
  stalls,
  turns,
  exchange,
  files,
  start,
  past,
  coldStart,
  takeOver,
  diskEdits,
  memory,
  agents,
  followers,
  amplification,
  hosted,
  page,
  live,
  canvas,
  firstCanvas,
  backlogPeer,
  taskmasterPeer,
];

/** The figures of these names. Without names all, including the figures that need peers on request. */
export function choose(only: readonly string[] | undefined, peers: boolean): readonly Figure[] {
  if (only === undefined) return figures.filter(({ peersOnly }) => peers || peersOnly !== true);
  const names = figures.map(({ name }) => name);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`There is no figure ${unknown.join(', ')}; there are ${names.join(', ')}.`);
  return figures.filter(({ name }) => only.includes(name));
}
