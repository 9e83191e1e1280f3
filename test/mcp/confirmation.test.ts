import { expect } from 'chai';
import { headersOfRequest, metaNames } from '../../src/mcp/envelope.ts';
import { InProcessTransport } from '../support/bridge.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { ModernClient, modernRequest } from '../support/modern-client.ts';
import type { ModernClientOptions } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';

describe('What a person has to confirm', () => {
  let service: TestService;
  let project_id: string;
  let clients: ModernClient[] = [];
  /** What the person was asked. */
  let asked: string[];

  before(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });

  beforeEach(() => {
    asked = [];
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });

  after(() => service.stop());

  /** A client whose person answers every question like this; without an answer, one that cannot ask. */
  async function connect(
    action: 'accept' | 'decline' | 'cancel' | undefined,
    { stdio = false, ...more }: ModernClientOptions & { readonly stdio?: boolean } = {},
  ): Promise<ModernClient> {
    const options = { ...more, capabilities: action === undefined ? {} : { elicitation: { form: {} } } };
    const environment = { PLANNER_URL: service.url, HOME: service.directory };
    const client = stdio
      ? await ModernClient.over(
          new InProcessTransport(
            new InProcessCommand(['mcp'], { cwd: service.directory, environment, openInput: true }),
          ),
          options,
        )
      : await ModernClient.connect(service.url, options);
    clients.push(client);
    if (action !== undefined)
      client.sdk.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message);
        return { action, ...(action === 'accept' && { content: {} }) };
      });
    return client;
  }

  const inScope = async (): Promise<string> =>
    (await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Grow', status: 'scope' })).body.id;
  const statusOf = async (task: string): Promise<string> => (await service.rest.get(`/tasks/${task}`)).body.status;

  for (const stdio of [false, true]) {
    it(`is the release of a task, ${stdio ? 'over stdio' : 'over HTTP'} [D2.elicitation]`, async () => {
      const task_id = await inScope();
      const client = await connect('accept', { stdio });
      await client.get('update_task', { task_id, label: 'Grow beans' });
      await client.get('update_task', { task_id, status: 'backlog' });
      await client.get('update_task', { task_id, status: 'scope' });
      expect(asked).to.deep.equal([]);
      await client.get('update_task', { task_id, status: 'todo' });
      expect(asked).to.deep.equal(['Release the task "Grow beans" from scope?']);
      expect(await statusOf(task_id)).to.equal('todo');
      await client.get('update_task', { task_id, status: 'done' });
      expect(asked).to.have.length(1);
    });
  }

  it('is not executed if the person declines or does not decide [D2.elicitation]', async () => {
    const task_id = await inScope();
    for (const [action, reason] of [
      ['decline', 'declined'],
      ['cancel', 'not_decided'],
    ] as const) {
      const { isError, value } = await (await connect(action)).call('update_task', { task_id, status: 'done' });
      expect(isError).to.equal(true);
      expect(value).to.include({ error: 'conflict', reason });
    }
    expect(await statusOf(task_id)).to.equal('scope');
  });

  it('is the completion of a goal by a sign-off, and what is deleted [D2.elicitation]', async () => {
    const client = await connect('accept');
    const surface = { kind: 'human_sign_off' };
    const { goal } = await client.get('create_goal', {
      ...{ project_id, name: 'Beds', objective: 'All beds are dug.', verification_surface: surface },
    });
    const evidence = { kind: 'human_sign_off', approved_by: 'Ada' };
    const completed = await client.get('complete_goal', { goal_id: goal.id, evidence });
    expect(completed.goal.status).to.equal('complete');
    const { folder } = await client.get('create_folder', { project_id, name: 'Old' });
    await client.get('delete_folder', { folder_id: folder.id });
    const [from, to] = [await inScope(), await inScope()];
    const { edge } = await client.get('create_edge', {
      ...{ project_id, from_type: 'task', from_id: from, to_type: 'task', to_id: to },
    });
    await client.get('delete_edge', { edge_id: edge.id });
    expect(asked).to.deep.equal([
      'Sign off the goal "Beds" as "Ada"? It is to be: All beds are dug.',
      'Delete the folder "Old"? Its documents and folders are kept.',
      `Delete the edge "${edge.id}"? What it connects is kept.`,
    ]);
  });

  it('is executed at once for a client that cannot ask, and in a session [D2.elicitation]', async () => {
    const task_id = await inScope();
    await (await connect(undefined)).get('update_task', { task_id, status: 'todo' });
    expect(await statusOf(task_id)).to.equal('todo');
    const other = await inScope();
    await (await connect('accept', { mode: 'legacy' })).get('update_task', { task_id: other, status: 'todo' });
    expect(await statusOf(other)).to.equal('todo');
    expect(asked).to.deep.equal([]);
  });

  it('is asked for by a result that requires input, of clients with forms; a wrong call is reported as ever [D2.elicitation]', async () => {
    const task_id = await inScope();
    const call = async (
      elicitation: unknown,
      input: object,
      more: object = {},
      // eslint-disable-next-line @typescript-eslint/no-explicit-any
    ): Promise<any> => {
      const _meta = { [metaNames.capabilities]: { elicitation } };
      const request = modernRequest(1, 'tools/call', { name: 'update_task', arguments: input, ...more, _meta });
      const response = await rawMcp(service.url, request, headersOfRequest(request));
      expect(response.status).to.equal(200);
      return ((await response.json()) as { result: unknown }).result;
    };
    const release = { task_id, status: 'todo' };
    const required = await call({}, release);
    expect(required.resultType).to.equal('input_required');
    expect(required.inputRequests.confirm).to.deep.equal({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Release the task "Grow" from scope?',
        requestedSchema: { type: 'object', properties: {} },
      },
    });
    for (const inputResponses of [
      {},
      { confirm: {} },
      { confirm: { action: 'maybe' } },
      { other: { action: 'accept' } },
      5,
    ])
      expect((await call({}, release, { inputResponses })).resultType).to.equal('input_required');
    expect((await call({}, { task_id: 'tsk_none', status: 'todo' })).structuredContent).to.include({
      error: 'not_found',
    });
    expect((await call({}, { task_id: 5, status: 'todo' })).structuredContent).to.include({
      error: 'invalid_argument',
    });
    expect(await statusOf(task_id)).to.equal('scope');
    expect((await call({ url: {} }, release)).structuredContent.task.status).to.equal('todo');
  });
});
