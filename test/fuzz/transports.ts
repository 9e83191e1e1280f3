import { McpClient } from '../support/mcp-client.ts';
import { RestClient } from '../support/rest-client.ts';
import type { ModelDocument, ModelEdge, ModelTask, Shown, ShownTask } from './model.ts';

/** The id of the made or changed record, or the code of the error. */
export type Outcome = { readonly id: string } | { readonly error: string };

/** One transport to a project. Both transports offer the same methods. */
export interface Transport {
  readonly name: string;
  createTask(task: ModelTask): Promise<Outcome>;
  updateTask(id: string, change: Partial<ModelTask>): Promise<Outcome>;
  createEdge(edge: ModelEdge): Promise<Outcome>;
  deleteEdge(id: string): Promise<Outcome>;
  createDocument(document: ModelDocument): Promise<Outcome>;
  updateDocument(id: string, change: Partial<ModelDocument>): Promise<Outcome>;
  shown(documentIds: readonly string[]): Promise<Shown>;
  close(): Promise<void>;
}

interface WireTask extends Omit<ShownTask, 'tags'> {
  readonly id: string;
  readonly tags: readonly { readonly name: string }[];
}

type Page = Readonly<Record<string, unknown>> & { readonly next_cursor?: string };

/** An agent's list omits null members. */
interface WireEdge {
  readonly edge_id: string;
  readonly from_id: string;
  readonly to_id: string;
  readonly label?: string | null;
}

export class RestTransport implements Transport {
  readonly name = 'REST';
  readonly #client: RestClient;
  readonly #project: string;

  constructor(url: string, project: string) {
    this.#client = new RestClient(url);
    this.#project = project;
  }

  createTask(task: ModelTask): Promise<Outcome> {
    return this.#send('POST', `/projects/${this.#project}/tasks`, task);
  }
  updateTask(id: string, change: Partial<ModelTask>): Promise<Outcome> {
    return this.#send('PATCH', `/tasks/${id}`, change);
  }
  createEdge(edge: ModelEdge): Promise<Outcome> {
    return this.#send('POST', `/projects/${this.#project}/edges`, edgeInput(edge));
  }
  deleteEdge(id: string): Promise<Outcome> {
    return this.#send('DELETE', `/projects/${this.#project}/edges/${id}`, undefined, id);
  }
  createDocument(document: ModelDocument): Promise<Outcome> {
    return this.#send('POST', `/projects/${this.#project}/documents`, document);
  }
  updateDocument(id: string, change: Partial<ModelDocument>): Promise<Outcome> {
    return this.#send('PATCH', `/documents/${id}`, change);
  }
  /** Agents have no tool for this. */
  deleteTask(id: string): Promise<Outcome> {
    return this.#send('DELETE', `/tasks/${id}`, undefined, id);
  }
  deleteDocument(id: string): Promise<Outcome> {
    return this.#send('DELETE', `/documents/${id}`, undefined, id);
  }

  async shown(documentIds: readonly string[]): Promise<Shown> {
    const { tasks } = (await this.#get(`/projects/${this.#project}/tasks`)) as { tasks: WireTask[] };
    const { edges } = (await this.#get(`/projects/${this.#project}/edges`)) as { edges: WireEdge[] };
    const documents: [string, ModelDocument][] = [];
    for (const id of documentIds) documents.push([id, documentOf(await this.#get(`/documents/${id}`))]);
    return shownOf(tasks, edges, documents);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #send(method: string, path: string, body: unknown, id?: string): Promise<Outcome> {
    const answer = await this.#client.send(method, path, body);
    const answered = answer.body as { readonly id: string; readonly error: string } | undefined;
    return answer.status >= 400 ? { error: answered!.error } : { id: id ?? answered!.id };
  }

  async #get(path: string): Promise<unknown> {
    const answer = await this.#client.get(path);
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

export class McpTransport implements Transport {
  readonly name = 'MCP';
  readonly #client: McpClient;
  readonly #project: string;

  private constructor(client: McpClient, project: string) {
    this.#client = client;
    this.#project = project;
  }

  static async open(url: string, project: string): Promise<McpTransport> {
    return new McpTransport(await McpClient.connect(url), project);
  }

  createTask(task: ModelTask): Promise<Outcome> {
    return this.#call('create_task', { project_id: this.#project, ...task }, 'task');
  }
  updateTask(id: string, change: Partial<ModelTask>): Promise<Outcome> {
    return this.#call('update_task', { task_id: id, ...change }, 'task');
  }
  createEdge(edge: ModelEdge): Promise<Outcome> {
    return this.#call('create_edge', { project_id: this.#project, ...edgeInput(edge) }, 'edge');
  }
  async deleteEdge(id: string): Promise<Outcome> {
    const outcome = await this.#call('delete_edge', { project_id: this.#project, edge_id: id }, undefined);
    return 'error' in outcome ? outcome : { id };
  }
  createDocument({ title, body, status }: ModelDocument): Promise<Outcome> {
    return this.#call('create_document', { project_id: this.#project, title, body, status_line: status }, 'document');
  }
  updateDocument(id: string, { status, ...change }: Partial<ModelDocument>): Promise<Outcome> {
    return this.#call(
      'update_document',
      { document_id: id, ...change, ...(status === undefined ? {} : { status_line: status }) },
      'document',
    );
  }

  async shown(documentIds: readonly string[]): Promise<Shown> {
    const tasks = (await this.#all('list_tasks', 'tasks', { verbose: true })) as WireTask[];
    const edges = (await this.#all('list_edges', 'edges', {})) as WireEdge[];
    const documents: [string, ModelDocument][] = [];
    for (const id of documentIds) {
      const { document } = (await this.#client.get('get_document', { document_id: id })) as { document: unknown };
      documents.push([id, documentOf(document)]);
    }
    return shownOf(tasks, edges, documents);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #call(tool: string, input: Record<string, unknown>, wrapper: string | undefined): Promise<Outcome> {
    const { isError, ...answer } = await this.#client.call(tool, input);
    if (isError) return { error: (answer.value as { error: string }).error };
    return { id: wrapper === undefined ? '' : (answer.value as Record<string, { id: string }>)[wrapper]!.id };
  }

  /** A list for an agent is paged. */
  async #all(tool: string, plural: string, input: Record<string, unknown>): Promise<unknown[]> {
    const rows: unknown[] = [];
    let more: { readonly cursor?: string } | undefined = {};
    while (more !== undefined) {
      const answer = (await this.#client.get(tool, { project_id: this.#project, ...input, ...more })) as Page;
      rows.push(...(answer[plural] as unknown[]));
      more = answer.next_cursor === undefined ? undefined : { cursor: answer.next_cursor };
    }
    return rows;
  }
}

function edgeInput({ from, to, label }: ModelEdge): Record<string, unknown> {
  return { from_type: 'task', from_id: from, to_type: 'task', to_id: to, ...(label !== null && { label }) };
}

function documentOf(wire: unknown): ModelDocument {
  const { title, body, status } = wire as ModelDocument;
  return { title, body, status };
}

function shownOf(
  tasks: readonly WireTask[],
  edges: readonly WireEdge[],
  documents: readonly (readonly [string, ModelDocument])[],
): Shown {
  return {
    tasks: Object.fromEntries(tasks.map((task) => [task.id, taskOf(task)])),
    edges: Object.fromEntries(
      edges.map(({ edge_id, from_id: from, to_id: to, label = null }) => [edge_id, { from, to, label }]),
    ),
    documents: Object.fromEntries(documents),
  };
}

function taskOf({ label, status, priority, description, tags, waiting_on }: WireTask): ShownTask {
  return {
    label,
    status,
    priority,
    description,
    tags: tags.map(({ name }) => name).sort(),
    waiting_on: waiting_on.toSorted(),
  };
}
