import { join } from 'node:path';
import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { invalid, notFound } from '../errors.ts';
import type { Disk } from '../store/index.ts';
import { readBacklogMd } from './backlog-md.ts';
import { readBeads } from './beads.ts';
import { readJsonCanvas } from './json-canvas.ts';
import type { MovedPlan } from './moved-plan.ts';
import { filesBelow, textOf } from './plan-files.ts';
import { planDeskFormat, readPlanDesk } from './plan-desk.ts';
import { isTaskmaster, readTaskmaster } from './taskmaster.ts';

/** What lies at a path: an export of Planner, to be handed on as it is, or another tool's plan as it was read. */
export type FoundPlan = { readonly kind: 'export'; readonly path: string } | ({ readonly kind: 'moved' } & MovedPlan);

/** Where tools keep their plans in a repository, below its directory. */
const places: readonly string[] = [
  'backlog',
  '.backlog',
  '.beads/issues.jsonl',
  '.taskmaster/tasks/tasks.json',
  'tasks/tasks.json',
];

/** How much of a file is looked at to tell what it is: an export names its format first. */
const headBytes = 4096;

/**
 * Finds out what lies at an absolute path and reads it: a file of one of the tools, its directory, or a repository in which it keeps one of
 * them. `name`: what the project is called where the plan does not say. Throws `not_found` where there is nothing and `invalid_argument` for what
 * is no plan, naming what is read.
 */
export function readPlan(disk: Disk, path: string, name: string): FoundPlan {
  const stat = disk.stat(path);
  if (stat?.kind === 'file') return readFile(disk, path, name);
  if (stat?.kind !== 'directory') throw notFound('file', path);
  if (disk.stat(join(path, 'config.yml')) !== undefined || disk.stat(join(path, 'tasks'))?.kind === 'directory') {
    const taskmaster = disk.stat(join(path, 'tasks', 'tasks.json'));
    if (taskmaster === undefined) return { kind: 'moved', ...readBacklogMd(filesBelow(disk, path), name) };
  }
  const inside = places.map((place) => join(path, place)).find((place) => disk.stat(place) !== undefined);
  if (inside !== undefined) return readPlan(disk, inside, name);
  throw unknown(`${path} holds no plan that is known.`);
}

function readFile(disk: Disk, path: string, name: string): FoundPlan {
  if (path.endsWith('.jsonl')) return { kind: 'moved', ...readBeads(textOf(disk.read(path)), name) };
  const head = textOf(disk.readRange(path, 0, headBytes) ?? new Uint8Array());
  if (/^\s*\{\s*"format"\s*:\s*"planner-export-v\d+"/.test(head)) return { kind: 'export', path };
  const document = jsonOf(textOf(disk.read(path)), path);
  const { format, version } = document;
  if (typeof format === 'string' && format.startsWith('planner-export-')) return { kind: 'export', path };
  const isDesk = typeof format === 'string' && format.startsWith('plandesk-export-');
  if (isDesk || (version === 3 && 'project' in document)) return { kind: 'moved', ...readPlanDesk(document, name) };
  const isCanvas = path.endsWith('.canvas') || (Array.isArray(document['nodes']) && Array.isArray(document['edges']));
  if (isCanvas) return { kind: 'moved', ...readJsonCanvas(document, name) };
  if (isTaskmaster(document)) return { kind: 'moved', ...readTaskmaster(document, name) };
  throw unknown(`${path} is no plan that is known.`);
}

function unknown(what: string): Error {
  const known = `an export of Planner, a Backlog.md directory, a beads issues.jsonl, a Taskmaster tasks.json, a Plan Desk export (${planDeskFormat}) and a JSON Canvas .canvas`;
  return invalid('path', `${what} Read are ${known}.`);
}

function jsonOf(text: string, path: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unknown(`${path} is no JSON (${(error as Error).message}).`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw unknown(`${path} holds no JSON object.`);
}

/** A draft as the document that an import takes. */
export function documentOf({ project, canvas, lists }: Draft): Fields {
  return { format: 'planner-export-v1', project, canvas, ...Object.fromEntries(lists) };
}
