import type { PostgresServer } from '../support/postgres.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { task } from './hosted-load.ts';
import { HttpClient } from './http-client.ts';

const tasksEach = 20;
/** Projects that one statement copies. */
const together = 500;

/** The project that the copies are of. */
export interface Template {
  readonly project: string;
  readonly code: string;
}

/** A project of 20 tasks, made by two calls. Each has a number and the code of its project in its label. */
export async function plantTemplate(node: ServerProcess): Promise<Template> {
  const client = new HttpClient(node.url);
  const { id } = await client.json<{ id: string }>('POST', '/projects', { name: 'Garden' });
  const code = id.slice(4, 10);
  const tasks = Array.from({ length: tasksEach }, (_, at) => ({
    ...task,
    key: `t${at}`,
    label: `${task.label} ${at} of ${code}`,
  }));
  await client.json('POST', '/scaffold', { project_id: id, tasks });
  client.close();
  return { project: id, code };
}

/** Resolves once a node has stored the summary of a project. */
export async function summarised(server: PostgresServer, schema: string, { project }: Template): Promise<void> {
  await server.until(
    async () =>
      (await server.query(`SELECT FROM ${schema}.snapshot WHERE project = $1 AND part = -1`, [project])).length > 0,
  );
}

/** The code of a copy; a project has its code in all its ids. */
const codeOf = `'z' || lpad(n::text, 5, '0')`;

/** The id of a copy. */
export function copyOf({ project, code }: Template, nth: number): string {
  return project.replace(code, `z${String(nth).padStart(5, '0')}`);
}

/**
 * Copies the rows of a project while no node runs, as calls would have made them: its log, its titles, its summary, and an
 * entry each in the log of the service, which lists it. `from` and `to`: the numbers of the copies.
 */
export async function copyProjects(
  server: PostgresServer,
  schema: string,
  { project, code }: Template,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const log = `${schema}.log`;
  const copied = (text: string): string => `replace(${text}, '${code}', ${codeOf})`;
  const body = `convert_to(${copied("convert_from(l.body, 'UTF8')")}, 'UTF8')`;
  const [listing] = await server.query(
    `SELECT seq FROM ${log} WHERE project = '$service' AND convert_from(body, 'UTF8') LIKE '%"listed_projects"%${project}%'`,
  );
  for (let first = from; first <= to; first += together) {
    const numbers = `generate_series(${first}, ${Math.min(to, first + together - 1)}) n`;
    await server.query(
      `INSERT INTO ${log} (project, seq, id, prev_id, v, body, at)
        SELECT ${copied('l.project')}, l.seq, l.id, l.prev_id, l.v, ${body}, l.at
        FROM ${numbers} CROSS JOIN ${log} l WHERE l.project = '${project}'`,
    );
    await server.query(
      `INSERT INTO ${schema}.title (project, id, type, project_at, words)
        SELECT ${copied('l.project')}, ${copied('l.id')}, l.type, l.project_at, (${copied('l.words::text')})::tsvector
        FROM ${numbers} CROSS JOIN ${schema}.title l WHERE l.project = '${project}'`,
    );
    await server.query(`INSERT INTO ${schema}.titled SELECT ${copied(`'${project}'`)} FROM ${numbers}`);
    await server.query(`INSERT INTO ${schema}.title_word SELECT ${codeOf} FROM ${numbers}`);
    await server.query(
      `INSERT INTO ${schema}.snapshot (project, seq, part, entry_id, format, bytes)
        SELECT ${copied('l.project')}, l.seq, l.part, l.entry_id, l.format,
          convert_to(${copied("convert_from(l.bytes, 'UTF8')")}, 'UTF8')
        FROM ${numbers} CROSS JOIN ${schema}.snapshot l WHERE l.project = '${project}' AND l.part = -1`,
    );
    await server.query(
      `INSERT INTO ${log} (project, seq, id, prev_id, v, body, at)
        SELECT l.project, last.seq + n - ${first} + 1, 'evt_copy' || n,
          CASE WHEN n = ${first} THEN last.id ELSE 'evt_copy' || n - 1 END, l.v, ${body}, l.at
        FROM ${numbers} CROSS JOIN ${log} l
        CROSS JOIN (SELECT seq, id FROM ${log} WHERE project = '$service' ORDER BY seq DESC LIMIT 1) last
        WHERE l.project = '$service' AND l.seq = ${listing!['seq']}`,
    );
  }
  await server.query(`ANALYZE ${log}; ANALYZE ${schema}.snapshot; ANALYZE ${schema}.title`);
}
