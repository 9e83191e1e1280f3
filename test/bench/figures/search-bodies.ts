import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, attain, measured, percentile } from '../measure.ts';
import { seed, variedText } from '../plans.ts';
import { residentBytes } from '../process-usage.ts';
import { startYardstick } from '../yardstick.ts';

/** Queries as people type them: frequent and rare words, beginnings, two and three words, words of titles, typos, and words without a hit. */
const queries = (at: number): string =>
  [
    ['ba', 'den', 'fro'][at % 3]!,
    variedText(1, at).trim(),
    `${variedText(1, at).trim()} ${variedText(1, at + 1).trim()}`,
    variedText(12, at).trim().slice(0, 7),
    `prepare ${variedText(1, at * 3).trim()}`,
    `ba gi ${variedText(1, at).trim()}`,
    'kalrostamifro',
    'frogbaden zelmihul',
  ][at % 8]!;

/** The full-text index of SQLite over the same texts. */
function fill(file: string, texts: number, bytes: number): void {
  const database = new DatabaseSync(file);
  database.exec("CREATE VIRTUAL TABLE task USING fts5(id UNINDEXED, label, body, prefix = '1 2 3')");
  const insert = database.prepare('INSERT INTO task VALUES (?, ?, ?)');
  database.exec('BEGIN');
  for (let at = 0; at < texts; at++) insert.run(`tsk_${at}`, `Prepare bed ${at} for the winter`, variedText(bytes, at));
  database.exec('COMMIT');
  database.close();
}

export const searchBodies: Figure = {
  name: 'search-bodies',
  title: 'GET /search?bodies=true over 50,000 texts',
  measure: async (bench) => {
    const [calls, tasks, bytes] = bench.quick ? [40, 1000, 400] : [400, 50_000, 400];
    const root = bench.scratch('search-bodies');
    const file = join(bench.scratch('search-bodies-sqlite'), 'texts.db');
    fill(file, tasks, bytes);
    const filler = await startService(root);
    await seed(filler, 'Garden', { tasks, describe: (index) => variedText(bytes, index) });
    await filler.stop();
    const service = await startService(root);
    const yardstick = await startYardstick('sqlite-search', file);
    try {
      const clients = { planner: new HttpClient(service.url), sqlite: new HttpClient(yardstick.url) };
      const look = (client: HttpClient, path: string) => async (round: number) => {
        const times: number[] = [];
        for (let i = 0; i < calls; i++) {
          const query = encodeURIComponent(queries((round * calls + i) * 7));
          const { status, ms } = await client.get(`${path}?bodies=true&q=${query}`);
          if (status !== 200) throw new Error(`The search answered ${status}.`);
          times.push(ms);
        }
        return times;
      };
      const before = residentBytes(service.pid).now;
      const first = (await clients.planner.get('/search?bodies=true&q=fro')).ms;
      const contestants = { planner: look(clients.planner, '/search'), sqlite: look(clients.sqlite, '/search') };
      await alternate(1, contestants);
      const rounds = await alternate(bench.quick ? 1 : 5, contestants);
      for (const client of Object.values(clients)) client.close();
      const p95 = (what: string, times: readonly number[][]) =>
        measured(
          `${what}, p95 of ${calls}`,
          'ms',
          times.map((one) => percentile(one, 0.95)),
        );
      const grown = Math.round((residentBytes(service.pid).now - before) / 1e6);
      return [
        attain(p95('one search', rounds.planner), { atMost: 10 }, p95('SQLite, full-text index', rounds.sqlite), {
          index_mb: grown,
          started_ms: Math.round(service.startedMs),
        }),
        attain(measured('the first search, which builds the index', 'ms', [first]), { atMost: 5000 }),
      ];
    } finally {
      await service.stop();
      await yardstick.stop();
    }
  },
};
