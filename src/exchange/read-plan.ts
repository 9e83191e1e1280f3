import { join } from 'node:path';
import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { invalid, notFound } from '../errors.ts';
import type { Disk } from '../store/index.ts';
import { readBacklogMd } from './backlog-md.ts';
import { readBeads } from './beads.ts';
import { readJsonCanvas } from './json-canvas.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { filesBelow, textOf } from './plan-files.ts';
import { planDeskFormat, readPlanDesk } from './plan-desk.ts';
import { isTaskmaster, readTaskmaster } from './taskmaster.ts';

/** The plan at a path: an export of Planner, which is passed on unchanged, or another tool's plan. */
export type FoundPlan =
  { readonly kind: 'export'; readonly path: string } | ({ readonly kind: 'moved' } & ImportedPlan);

/** The paths of tools' plans in a repository. */
const places: readonly string[] = [
  'backlog',
  '.backlog',
  '.beads/issues.jsonl',
  '.taskmaster/tasks/tasks.json',
  'tasks/tasks.json',
];

/** The number of bytes from which the format is detected: an export begins with its format. */
const headBytes = 4096;

/**
 * Detects the format at an absolute path and reads it: a tool's file, its directory, or a repository that contains one. `name` is the
 * project's name if the plan has none. Throws `not_found` if the path does not exist, and `invalid_argument`, listing the supported
 * formats, if it is not a plan.
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
  throw unknown(`${path} contains no known plan.`);
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
  throw unknown(`${path} is not a known plan.`);
}

function unknown(what: string): Error {
  const known = `an export of Planner, a Backlog.md directory, a beads issues.jsonl, a Taskmaster tasks.json, a Plan Desk export (${planDeskFormat}) and a JSON Canvas .canvas`;
  return invalid('path', `${what} Supported are ${known}.`);
}

function jsonOf(text: string, path: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unknown(`${path} is not JSON (${(error as Error).message}).`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw unknown(`${path} contains no JSON object.`);
}

/** A draft as input document of an import. */
export function documentOf({ project, canvas, lists }: Draft): Fields {
  return { format: 'planner-export-v1', project, canvas, ...Object.fromEntries(lists) };
}
