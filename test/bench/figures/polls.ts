import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import type { Figure, Row } from '../figure.ts';
import { type Answer, HttpClient } from '../http-client.ts';
import { alternate, compare, measured, median } from '../measure.ts';
import { seed } from '../plans.ts';
import { mainThreadMs } from '../process-usage.ts';

/** The time of a poll for the caller, and on the server's main thread. */
interface Poll {
  readonly ms: number;
  readonly serverMs: number;
  readonly bytes: number;
  /** The tag for requesting the next changes. */
  readonly tag: string;
}

type Amount = Exclude<keyof Poll, 'tag'>;

/** The cost of a page that polls every 2.5 seconds: nothing changed, one task changed, and the whole list. */
export const polls: Figure = {
  name: 'polls',
  title: 'Polling the list of a project of 10,000 tasks',
  measure: async (bench) => {
    const tasks = bench.quick ? 1000 : 10_000;
    const service = await startService(bench.scratch('polls'));
    try {
      const { projectId, taskIds } = await seed(service, 'Garden', { tasks });
      return await rows(service, `/projects/${projectId}/tasks`, taskIds, bench.quick ? 2 : 5, bench.quick ? 10 : 50);
    } finally {
      await service.stop();
    }
  },
};

async function rows(
  service: ServerProcess,
  path: string,
  taskIds: readonly string[],
  rounds: number,
  polls: number,
): Promise<Row[]> {
  const client = new HttpClient(service.url);
  const poll = (query: string, headers: Record<string, string>, status: number): Promise<Poll> =>
    measure(service, client, path + query, headers, status);
  const repeat = async (times: number, once: (i: number) => Promise<Poll>): Promise<Poll> => {
    const all: Poll[] = [];
    for (let i = 0; i < times; i++) all.push(await once(i));
    const of = (key: Amount): number => median(all.map((each) => each[key]));
    return { ms: of('ms'), serverMs: of('serverMs'), bytes: of('bytes'), tag: all.at(-1)!.tag };
  };
  const results = await alternate(rounds, {
    full: () => repeat(Math.ceil(polls / 10), () => poll('', {}, 200)),
    unchanged: async () => {
      const tag = await tagOf(client, path);
      return repeat(polls * 4, () => poll('', { 'if-none-match': tag }, 304));
    },
    changed: async () => {
      let tag = await tagOf(client, path);
      return repeat(polls, async (i) => {
        await client.json('PATCH', `/tasks/${taskIds[(i * 37) % taskIds.length]!}`, {
          label: `Prepare bed ${i} at ${performance.now()}`,
        });
        const answered = await poll(`?since=${encodeURIComponent(tag)}`, {}, 200);
        tag = answered.tag;
        return answered;
      });
    },
  });
  client.close();
  const row = (what: string, unit: string, of: Amount, from: readonly Poll[], times: number): Row =>
    compare(
      measured(
        what,
        unit,
        from.map((poll) => poll[of]),
      ),
      measured(
        'the list in full',
        unit,
        results.full.map((poll) => poll[of]),
      ),
      { atMost: times },
    );
  return [
    row('unchanged, answered 304', 'ms', 'ms', results.unchanged, 1 / 20),
    row('unchanged, server time', 'ms', 'serverMs', results.unchanged, 1 / 20),
    row('since, one change: bytes', 'bytes', 'bytes', results.changed, 1 / 50),
    row('since, one change: server time', 'ms', 'serverMs', results.changed, 1 / 50),
  ];
}

async function tagOf(client: HttpClient, path: string): Promise<string> {
  const { headers } = await client.get(path);
  if (headers.etag === undefined) throw new Error(`GET ${path} answered without an ETag.`);
  return headers.etag;
}

async function measure(
  service: ServerProcess,
  client: HttpClient,
  path: string,
  headers: Record<string, string>,
  status: number,
): Promise<Poll> {
  const before = mainThreadMs(service.pid);
  const answer: Answer = await client.get(path, headers);
  if (answer.status !== status) throw new Error(`GET ${path} answered ${answer.status} where ${status} was due.`);
  return {
    ms: answer.ms,
    serverMs: mainThreadMs(service.pid) - before,
    bytes: answer.body.length,
    tag: answer.headers.etag ?? '',
  };
}
