import { createHash } from 'node:crypto';
import { cpSync, lutimesSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestService } from '../support/service.ts';

/** Files of a fixture have no meaningful times: git sets them at checkout. */
const fixtureTime = new Date('2026-01-01T00:00:00.000Z');

/** Copies a fixture to a root. Its files get one time, which records without `created_at` use. */
export function layOut(fixture: string, directory: string): void {
  const root = join(directory, '.planner');
  cpSync(join(fixture, 'planner'), root, { recursive: true });
  mkdirSync(join(root, 'local'));
  cpSync(join(fixture, 'service'), join(root, 'local', 'service'));
  for (const path of filesBelow(root)) lutimesSync(join(root, path), fixtureTime, fixtureTime);
}

/** Paths of all files below a directory, relative to it. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

/** Every file's hash by its path, without local/. */
export function hashes(directory: string): Map<string, string> {
  const files = filesBelow(directory).filter((path) => !path.startsWith('local/'));
  return new Map(
    files.map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(directory, path)))
        .digest('hex'),
    ]),
  );
}

interface Export {
  readonly files: readonly { readonly content_base64: string }[];
}

/** An export with hashes in the place of files. */
function withoutBytes({ files, ...rest }: Export): unknown {
  const hashed = files.map(({ content_base64: content, ...file }) => ({
    ...file,
    sha256_of_content: createHash('sha256').update(Buffer.from(content, 'base64')).digest('hex'),
  }));
  return { ...rest, files: hashed };
}

/** Routes that show data outside of an export: derived values, trees, references, and the service's records. */
const lists = [
  'tasks',
  'documents',
  'goals',
  'notes',
  'artifacts',
  'prototypes',
  'views',
  'submissions',
  'files',
  'tags',
];
const others = ['canvas', 'edges', 'agent-runs', 'problems', 'comments?include_resolved=true', 'revisions'];

/** Everything that a service shows, project by project: the export, all lists, every revision with its snapshot, the keys. */
export async function readEverything({ rest }: Pick<TestService, 'rest'>): Promise<Record<string, unknown>> {
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await rest.get(path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body as unknown;
  };
  const { projects } = (await get('/projects')) as { projects: { id: string }[] };
  const shown: Record<string, unknown> = { projects, keys: await get('/keys'), doctor: await get('/doctor') };
  for (const { id } of projects) {
    shown[`export of ${id}`] = withoutBytes((await get(`/projects/${id}/export`)) as Export);
    for (const name of [...lists, ...others]) shown[`${name} of ${id}`] = await get(`/projects/${id}/${name}`);
    const { revisions } = shown[`revisions of ${id}`] as { revisions: { id: string }[] };
    for (const revision of revisions) shown[revision.id] = await get(`/revisions/${revision.id}`);
  }
  return shown;
}

/** The fields of runs that former versions of Planner did not have, among everything that a service shows. */
export function laterFieldsOfRuns(everything: Readonly<Record<string, unknown>>): readonly object[] {
  const lists = Object.entries(everything).filter(([name]) => name.startsWith('agent-runs of '));
  const runs = lists.flatMap(([, list]) => (list as { readonly runs: readonly Record<string, unknown>[] }).runs);
  return runs.map(({ task_id, branch, commits, tokens, cost_usd, diff_stat, awaiting }) => ({
    ...{ task_id, branch, commits, tokens, cost_usd, diff_stat, awaiting },
  }));
}

/** The tasks that have a rank, among everything that a service shows: former versions had none. */
export function movedTasks(everything: Readonly<Record<string, unknown>>): readonly object[] {
  const lists = Object.entries(everything).filter(([name]) => name.startsWith('tasks of '));
  const tasks = lists.flatMap(([, list]) => (list as { readonly tasks: readonly Record<string, string>[] }).tasks);
  if (tasks.length === 0) throw new Error('The plan has no tasks.');
  return tasks.filter((task) => 'rank' in task);
}

/** The fields of a run that reports none of them. */
export const unreported = {
  ...{ task_id: null, branch: null, commits: [], tokens: null, cost_usd: null, diff_stat: null, awaiting: null },
};

/** The paths of differences from the expected value. Additional members are no difference. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const lengths = expected.length === actual.length ? [] : [`${path}: ${actual.length} of ${expected.length}`];
    return [...lengths, ...expected.flatMap((one, i) => differences(one, actual[i], `${path}[${i}]`))];
  }
  if (isObject(expected) && isObject(actual))
    return Object.entries(expected).flatMap(([name, one]) => differences(one, actual[name], `${path}/${name}`));
  if (expected === actual) return [];
  return [`${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
