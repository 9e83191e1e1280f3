import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startService } from '../service.ts';
import type { Figure, Measured, Row } from '../figure.ts';
import { countFiles, fileOf, projectDirectory, statAll, until } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { attain, measured } from '../measure.ts';
import { seed } from '../plans.ts';
import { atRest, writtenBytes } from '../process-usage.ts';

/** The bytes that one change of a status writes in a project of 10,000 tasks: its record, a line of history, a journal entry. */
export const amplification: Figure = {
  name: 'amplification',
  title: 'Write amplification of one status change in a project of 10,000 tasks',
  measure: async (bench) => {
    const root = bench.scratch('amplification');
    const service = await startService(root);
    try {
      const { taskIds } = await seed(service, 'Garden', { tasks: bench.quick ? 500 : 10_000 });
      const directory = projectDirectory(root);
      await until(() => countFiles(join(directory, 'tasks')) >= taskIds.length, 'the files of all tasks');
      const rounds: Touched[] = [];
      for (let i = 0; i < (bench.quick ? 2 : 5); i++)
        rounds.push(await changeOne(root, directory, service.url, taskIds[i * 5]!, service.pid));
      return rows(rounds);
    } finally {
      await service.stop();
    }
  },
};

type Kind = 'records' | 'history' | 'journal' | 'others';

/** The effect of one change: the changed files of each kind below `.planner`. */
interface Touched extends Readonly<Record<Kind, readonly string[]>> {
  readonly recordBytes: number;
  /** Bytes written by the process, the response to the caller included. */
  readonly bytes: number;
}

function rows(rounds: readonly Touched[]): Row[] {
  const of = (what: string, unit: string, value: (touched: Touched) => number): Measured =>
    measured(what, unit, rounds.map(value));
  const files = (what: string, kind: Kind, atMost: number): Row =>
    attain(
      of(`${what} touched`, 'files', (touched) => touched[kind].length),
      { atMost },
      undefined,
      { which: rounds.at(-1)![kind].join(', ') || 'none' },
    );
  return [
    files('record files', 'records', 1),
    files('history files', 'history', 1),
    files('journal files', 'journal', 1),
    files('other files of local/', 'others', 0),
    attain(
      of('bytes written, the answer included', 'bytes', ({ bytes }) => bytes),
      { atMost: 8192 },
      of('bytes of the record', 'bytes', ({ recordBytes }) => recordBytes),
    ),
  ];
}

async function changeOne(root: string, directory: string, url: string, id: string, pid: number): Promise<Touched> {
  const planner = join(root, '.planner');
  const before = statAll(planner);
  const written = writtenBytes(pid);
  const client = new HttpClient(url);
  await client.json('PATCH', `/tasks/${id}`, { status: 'in_progress' });
  client.close();
  const file = fileOf(join(directory, 'tasks'), id);
  await until(() => /^status: in_progress$/m.test(readFileSync(file, 'utf8')), 'the file to follow the change');
  const history = join(directory, 'history');
  await until(() => sizesIn(history) > sizesIn(history, before), 'the history to contain the change');
  await atRest(pid);
  const bytes = writtenBytes(pid) - written;
  const after = statAll(planner);
  const kinds: Record<Kind, string[]> = { records: [], history: [], journal: [], others: [] };
  for (const [path, { stamp }] of after) {
    const name = relative(planner, path);
    // The lock's heartbeat depends on time, not on changes.
    if (before.get(path)?.stamp !== stamp && name !== 'local/lock.json') kinds[kindOf(name)].push(name);
  }
  return { ...kinds, recordBytes: after.get(file)!.bytes, bytes };
}

/** The bytes of all files below a directory, now or before. */
function sizesIn(directory: string, files: ReturnType<typeof statAll> = statAll(directory)): number {
  return [...files].reduce((sum, [path, { bytes }]) => (path.startsWith(directory) ? sum + bytes : sum), 0);
}

function kindOf(name: string): Kind {
  if (name.startsWith('local/journal')) return 'journal';
  if (name.startsWith('local/')) return 'others';
  return name.split('/')[2] === 'history' ? 'history' : 'records';
}
