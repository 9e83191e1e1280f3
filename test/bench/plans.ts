import type { ServerProcess } from '../support/server-process.ts';
import { HttpClient } from './http-client.ts';
import { atRest } from './process-usage.ts';
import { McpClient } from '../support/mcp-client.ts';

export interface TaskInput {
  readonly key: string;
  readonly label: string;
  readonly status: string;
  readonly description: string;
  readonly priority: string | null;
}

export interface Seeded {
  readonly projectId: string;
  /** The ids in creation order. */
  readonly taskIds: readonly string[];
}

export interface PlanSize {
  readonly tasks: number;
  /** Bytes per description. */
  readonly descriptionBytes?: number;
  /** The description of each task; default: `descriptionBytes` of the same sentence. */
  readonly describe?: (index: number) => string;
  readonly documents?: number;
  readonly documentBytes?: number;
}

/** The headers of an agent: a new key of the project. */
export async function agentHeaders(
  { url }: ServerProcess,
  projectId: string,
): Promise<{ readonly authorization: string }> {
  const client = new HttpClient(url);
  const body = { name: 'robo', kind: 'agent', project_id: projectId };
  const { secret } = await client.json<{ readonly secret: string }>('POST', '/keys', body);
  client.close();
  return { authorization: `Bearer ${secret}` };
}

/** The maximum of one call. */
const tasksPerCall = 5000;
const priorities = ['urgent', 'high', 'medium', 'low', null];
const statuses = ['todo', 'todo', 'todo', 'done', 'backlog'];
const sentence = 'Measure the bed, note what stands in it, and write down what it needs before the frost comes. ';

/** Markdown of exactly `bytes` ASCII characters that differs with `seed`. */
export function textOf(bytes: number, seed: number): string {
  const head = `# Part ${seed}\n\n`;
  return (head + sentence.repeat(Math.ceil(bytes / sentence.length))).slice(0, bytes);
}

/** Words of a description of `bytesMin` or more, as frequent as in a language: the n-th one of 50,000 words occurs in a n-th of the places. */
export function variedText(bytesMin: number, seed: number): string {
  const vocabulary = 50_000;
  const syllables = [
    'ba',
    'den',
    'fro',
    'gi',
    'hul',
    'ka',
    'lor',
    'mi',
    'nes',
    'pu',
    'ri',
    'sta',
    'tem',
    'vo',
    'wa',
    'zel',
  ];
  let state = seed * 2_654_435_761;
  let text = '';
  while (text.length < bytesMin) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let rank = Math.floor(vocabulary ** (state / 2 ** 32)) - 1;
    let word = syllables[rank % 16]!;
    for (rank = Math.floor(rank / 16); rank > 0; rank = Math.floor(rank / 16)) word += syllables[rank % 16]!;
    text += `${word} `;
  }
  return text;
}

function taskOf(index: number, description: string): TaskInput {
  return {
    key: `t${index}`,
    label: `Prepare bed ${index} for the winter`,
    status: statuses[index % statuses.length]!,
    description,
    priority: priorities[index % priorities.length]!,
  };
}

/**
 * Fills a new project through the service, like an agent: whole plans in few calls. A tenth of the tasks depend on
 * another task. Resolves when the service has written everything and is idle.
 */
export async function seed(service: ServerProcess, name: string, size: PlanSize): Promise<Seeded> {
  const { tasks, descriptionBytes = 400, documents = 0, documentBytes = 8000 } = size;
  const { describe = (index) => textOf(descriptionBytes, index) } = size;
  const client = await McpClient.connect(service.url);
  const { project } = (await client.get('create_project', { name })) as { project: { id: string } };
  const taskIds: string[] = [];
  for (let from = 0; from < tasks; from += tasksPerCall) {
    const part = Array.from({ length: Math.min(tasksPerCall, tasks - from) }, (_, i) =>
      taskOf(from + i, describe(from + i)),
    );
    const edges = part.flatMap(({ key }, i) => (i % 10 === 9 ? [{ from: part[i - 1]!.key, to: key }] : []));
    const { scaffold } = (await client.get('scaffold_project_from_plan', {
      project_id: project.id,
      tasks: part,
      edges,
    })) as {
      scaffold: { key_to_id: Record<string, string> };
    };
    for (const { key } of part) taskIds.push(scaffold.key_to_id[key]!);
  }
  if (documents > 0) await seedDocuments(service, project.id, documents, documentBytes);
  await client.close();
  await atRest(service.pid);
  return { projectId: project.id, taskIds };
}

async function seedDocuments(service: ServerProcess, projectId: string, count: number, bytes: number): Promise<void> {
  const client = new HttpClient(service.url);
  for (let i = 0; i < count; i++) {
    await client.json('POST', `/projects/${projectId}/documents`, {
      title: `What we know of bed ${i}`,
      body: textOf(bytes, i),
    });
  }
  client.close();
}
