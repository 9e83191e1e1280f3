import { McpClient } from '../support/mcp-client.ts';
import type { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import type { Gate } from './gate.ts';
import type { Ledger } from './ledger.ts';
import type { Latencies } from './measures.ts';

/** The state that all actors of the soak share. */
export interface Stage {
  readonly url: string;
  /** The project of callers and external edits; git does not track its files. */
  readonly project: string;
  readonly gate: Gate;
  readonly ledger: Ledger;
  readonly latencies: Latencies;
}

/** The maximum number of records that one caller keeps. */
const ownMax = 40;
const statuses = ['todo', 'in_progress', 'done', 'backlog'];
const words = ['harvest', 'compass', 'lantern', 'granite', 'meadow', 'orchard', 'ribbon', 'thunder'];

/** A REST caller: creates, changes, claims, comments, uploads, searches, deletes. */
export async function restCaller(stage: Stage, random: Random, name: string): Promise<void> {
  const { gate, ledger, latencies, project } = stage;
  const rest = new RestClient(stage.url);
  const tasks: string[] = [];
  const documents: string[] = [];
  const comments: string[] = [];
  let made = 0;
  let listTag = '';
  const text = (): string => `${random.pick(words)} ${random.pick(words)} ${name} ${made++}`;
  const checked = (what: string, expected: number, answer: RestResponse): RestResponse => {
    if (answer.status !== expected)
      throw new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  const sent = async (what: string, expected: number, call: () => Promise<RestResponse>): Promise<RestResponse> =>
    checked(what, expected, await latencies.time(what, call));
  const create = async (kind: 'tasks' | 'documents', own: string[], fields: Record<string, unknown>): Promise<void> => {
    const key: Record<string, string> = random.chance(0.2) ? { 'Idempotency-Key': `${name}-${made}` } : {};
    const { body } = await sent(`create ${kind}`, 201, () => rest.post(`/projects/${project}/${kind}`, fields, key));
    ledger.keep(`/${kind}/${body.id}`, { ...fields, ...(fields['tags'] === undefined ? {} : { tags: body.tags }) });
    own.push(body.id as string);
  };
  const remove = async (kind: string, own: string[]): Promise<void> => {
    const [id] = own.splice(random.integer(0, own.length - 1), 1);
    await sent(`delete ${kind}`, 204, () => rest.delete(`/${kind}/${id}`));
    ledger.keep(`/${kind}/${id}`, undefined);
  };
  const change = async (kind: string, own: string[], fields: Record<string, unknown>): Promise<void> => {
    const id = random.pick(own);
    await sent(`change ${kind}`, 200, () => rest.patch(`/${kind}/${id}`, fields));
    ledger.keep(`/${kind}/${id}`, fields);
  };
  const acts: readonly (() => Promise<unknown>)[] = [
    () =>
      tasks.length < ownMax
        ? create('tasks', tasks, { label: text(), description: `${text()}\n`, tags: [random.pick(words)] }).then(
            () => undefined,
          )
        : remove('tasks', tasks),
    () =>
      documents.length < ownMax / 2
        ? create('documents', documents, {
            title: text(),
            body: `# ${text()}\n\n${text()}\n`.repeat(random.integer(1, 60)),
          })
        : remove('documents', documents),
    () => change('tasks', tasks, { label: text(), status: random.pick(statuses) }),
    () => change('documents', documents, { body: `${text()}\n`.repeat(random.integer(1, 60)) }),
    async () => {
      const id = random.pick(tasks);
      await sent('change tasks', 200, () => rest.patch(`/tasks/${id}`, { status: 'todo', assignee: null }));
      await sent('claim', 200, () => rest.post(`/tasks/${id}/claim`, { agent_ref: name, lease_seconds: 3600 }));
      ledger.keep(`/tasks/${id}`, { status: 'in_progress', assignee: name });
    },
    async () => {
      if (comments.length >= ownMax / 2) return remove('comments', comments);
      // On a document that stays: a comment is deleted with its target.
      const { body } = await sent('comment', 201, () =>
        rest.post(`/projects/${project}/artifact-comments`, { artifact_id: `docs/${name}.md`, body: text() }),
      );
      ledger.keep(`/comments/${body.id}`, { body: body.body });
      comments.push(body.id as string);
    },
    async () => {
      // A few contents: the same bytes are one file, so that the plan does not grow without limit.
      const bytes = Buffer.alloc(random.integer(1, 4) * 20_000, `${name} ${random.integer(0, 4)}`);
      const { body } = await sent('upload', 201, () =>
        rest.post(`/projects/${project}/files`, {
          filename: `${name}.bin`,
          mime: 'application/octet-stream',
          content_base64: bytes.toString('base64'),
        }),
      );
      ledger.keepUpload(`/files/${body.id}`, bytes);
    },
    () => sent('one task', 200, () => rest.get(`/tasks/${random.pick(tasks)}`)),
    () => sent('one task', 200, () => rest.get(`/tasks/${random.pick(tasks)}`)),
    () => sent('search', 200, () => rest.get(`/search?q=${random.pick(words)}&bodies=true&project_id=${project}`)),
    () => sent('next task', 200, () => rest.get(`/projects/${project}/next-task`)),
    async () => {
      const since = listTag === '' ? '' : `?since=${encodeURIComponent(listTag)}`;
      const answer = await sent('list', 200, () => rest.get(`/projects/${project}/tasks${since}`));
      listTag = answer.headers.get('etag') ?? '';
    },
    // Includes the whole history.
    async () =>
      checked('export', 200, await latencies.timeForMiB('export', () => rest.get(`/projects/${project}/export`))),
  ];
  await gate.pass(() => create('tasks', tasks, { label: text() }));
  await gate.pass(() => create('documents', documents, { title: text(), body: 'First.\n' }));
  const often = acts.slice(0, -1);
  while (await gate.pass(() => (random.chance(0.005) ? acts.at(-1)! : random.pick(often))()))
    await pause(random.integer(20, 120));
  for (const id of tasks.length === 0 ? [] : [tasks[0]]) await rest.get(`/tasks/${id}`);
}

/** An MCP caller, in one session after the other; some are ended, some abandoned. */
export async function toolCaller(stage: Stage, random: Random, name: string): Promise<void> {
  const { gate, ledger, latencies, project } = stage;
  let made = 0;
  const own: string[] = [];
  const rest = new RestClient(stage.url);
  const session = async (): Promise<void> => {
    const client = await McpClient.connect(stage.url, { name });
    for (let calls = random.integer(3, 15); calls > 0; calls--) {
      const kind = random.next();
      const label = `${random.pick(words)} ${name} ${made++}`;
      if (own.length < ownMax / 2 && kind < 0.3) {
        const { task } = await latencies.time('create_task', () =>
          client.get('create_task', { project_id: project, label }),
        );
        ledger.keep(`/tasks/${task.id}`, { label });
        own.push(task.id as string);
      } else if (kind < 0.5 && own.length > 0) {
        const id = random.pick(own);
        await latencies.time('update_task', () => client.get('update_task', { task_id: id, label, status: 'todo' }));
        ledger.keep(`/tasks/${id}`, { label, status: 'todo' });
      } else if (kind < 0.6 && own.length >= ownMax / 2) {
        const [id] = own.splice(0, 1);
        await rest.delete(`/tasks/${id}`);
        ledger.keep(`/tasks/${id}`, undefined);
      } else if (kind < 0.8) {
        await latencies.time('list_tasks', () => client.get('list_tasks', { project_id: project }));
      } else if (kind < 0.9) {
        await latencies.time('get_next_task', () => client.get('get_next_task', { project_id: project }));
      } else {
        await latencies.time('search tool', () =>
          client.get('search', { query: random.pick(words), project_id: project }),
        );
      }
      await pause(random.integer(10, 60));
    }
    if (random.chance(0.7)) await client.transport.terminateSession();
    await client.close();
  };
  while (await gate.pass(session)) await pause(random.integer(20, 200));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
