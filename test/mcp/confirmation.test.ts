import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { SealedQuestions } from '../../src/mcp/confirmation.ts';
import { headersOfRequest, metaNames } from '../../src/mcp/envelope.ts';
import { InProcessTransport } from '../support/bridge.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { SimulatedLogServer } from '../store/log/simulated-log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { ModernClient, modernRequest } from '../support/modern-client.ts';
import type { ModernClientOptions } from '../support/modern-client.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import { startSimulatedNode } from '../sync/simulated-node.ts';
import { messagesOf } from '../support/stream-messages.ts';

describe('The changes that a person has to confirm', () => {
  let service: TestService;
  let project_id: string;
  let clients: ModernClient[] = [];
  /** The questions to the person. */
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

  for (const [stdio, mode] of [
    [false, 'auto'],
    [true, 'auto'],
    [false, 'legacy'],
    [true, 'legacy'],
  ] as const) {
    const where = `${stdio ? 'over stdio' : 'over HTTP'}${mode === 'legacy' ? ', in a session' : ''}`;
    it(`is the release of a task, ${where} [D2.elicitation]`, async () => {
      const task_id = await inScope();
      const client = await connect('accept', { stdio, mode });
      await client.get('update_task', { task_id, label: 'Grow beans' });
      expect(asked).to.deep.equal([]);
      await client.get('update_task', { task_id, status: 'backlog' });
      expect(asked).to.deep.equal(['Release the task "Grow beans" from scope?']);
      await client.get('update_task', { task_id, status: 'todo' });
      expect(await statusOf(task_id)).to.equal('todo');
      await client.get('update_task', { task_id, status: 'scope' });
      expect(asked).to.have.length(1);
      await client.get('update_task', { task_id, status: 'done' });
      expect(asked).to.have.length(2);
    });
  }

  it('is not executed if the person declines or does not decide [D2.elicitation]', async () => {
    const task_id = await inScope();
    for (const [action, reason, mode] of [
      ['decline', 'declined', 'auto'],
      ['cancel', 'not_decided', 'auto'],
      ['decline', 'declined', 'legacy'],
      ['cancel', 'not_decided', 'legacy'],
    ] as const) {
      const client = await connect(action, { mode });
      const { isError, value } = await client.call('update_task', { task_id, status: 'done' });
      expect(isError).to.equal(true);
      expect(value).to.include({ error: 'conflict', reason });
    }
    expect(await statusOf(task_id)).to.equal('scope');
  });

  it('include the completion of a goal by a sign-off, and deletions [D2.elicitation]', async () => {
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
      'Sign off the goal "Beds" as "Ada"? It is to be: "All beds are dug."',
      'Delete the folder "Old"? Its documents and folders are kept.',
      `Delete the edge "${edge.id}"? What it connects is kept.`,
    ]);
  });

  it('are executed immediately for a client that cannot ask [D2.elicitation]', async () => {
    for (const mode of ['auto', 'legacy'] as const) {
      const task_id = await inScope();
      await (await connect(undefined, { mode })).get('update_task', { task_id, status: 'todo' });
      expect(await statusOf(task_id), mode).to.equal('todo');
    }
    expect(asked).to.deep.equal([]);
  });

  /** The result of a call in the revision without sessions, of a client with this capability. */
  const raw = async (
    name: string,
    input: object,
    {
      elicitation = {},
      url = service.url,
      ...more
    }: { elicitation?: unknown; url?: string; [member: string]: unknown } = {},
    // oxlint-disable-next-line typescript/no-explicit-any
  ): Promise<any> => {
    const _meta = { [metaNames.capabilities]: { elicitation } };
    const request = modernRequest(1, 'tools/call', { name, arguments: input, ...more, _meta });
    const response = await rawMcp(url, request, headersOfRequest(request));
    expect(response.status).to.equal(200);
    return ((await response.json()) as { result: unknown }).result;
  };
  const accepted = { inputResponses: { confirm: { action: 'accept' } } };

  it('is asked for by a result that requires input, of clients with forms; a wrong call is reported as ever [D2.elicitation]', async () => {
    const task_id = await inScope();
    const release = { task_id, status: 'todo' };
    const required = await raw('update_task', release);
    expect(required.resultType).to.equal('input_required');
    expect(required.requestState).to.be.a('string');
    expect(required.inputRequests.confirm).to.deep.equal({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Release the task "Grow" from scope?',
        requestedSchema: { type: 'object', properties: {} },
      },
    });
    const { requestState } = required;
    for (const inputResponses of [
      {},
      { confirm: {} },
      { confirm: { action: 'maybe' } },
      { other: { action: 'accept' } },
      5,
    ])
      expect((await raw('update_task', release, { inputResponses, requestState })).resultType).to.equal(
        'input_required',
      );
    for (const [input, error] of [
      [{ task_id: 'tsk_none', status: 'todo' }, 'not_found'],
      [{ task_id: 5, status: 'todo' }, 'invalid_argument'],
      [{ task_id, status: 'todo', label: 'two\nlines' }, 'invalid_argument'],
    ] as const)
      expect((await raw('update_task', input)).structuredContent).to.include({ error });
    expect(await statusOf(task_id)).to.equal('scope');
    const byUrl = { elicitation: { url: {} } };
    expect((await raw('update_task', release, byUrl)).structuredContent.task.status).to.equal('todo');
  });

  it('runs only with an answer to a question about this call and these records [D2.elicitation-bound]', async () => {
    const [task_id, other] = [await inScope(), await inScope()];
    const release = { task_id, status: 'todo' };
    const isAsked = async (name: string, input: object, more: object): Promise<string> => {
      const { resultType, requestState } = await raw(name, input, { ...accepted, ...more });
      expect(resultType, JSON.stringify([input, more])).to.equal('input_required');
      return requestState;
    };
    await isAsked('update_task', release, {});
    const requestState = await isAsked('update_task', release, { requestState: 'AAAA' });
    await isAsked('update_task', { ...release, status: 'done' }, { requestState });
    await isAsked('update_task', { ...release, task_id: other }, { requestState });
    await isAsked('update_task', release, { requestState: `${requestState.slice(0, -2)}AA` });
    await isAsked('update_task', release, { requestState, inputResponses: undefined });
    await service.rest.patch(`/tasks/${task_id}`, { label: 'Grow beans' });
    const renamed = await isAsked('update_task', release, { requestState });
    const { structuredContent } = await raw('update_task', release, { ...accepted, requestState: renamed });
    expect(structuredContent.task.status).to.equal('todo');
    await service.rest.patch(`/tasks/${task_id}`, { status: 'scope' });
    await isAsked('update_task', release, { requestState: renamed });
    expect(await statusOf(other)).to.equal('scope');
  });

  it('runs with the answer at another node of the service [D2.elicitation-bound]', async () => {
    const server = new SimulatedLogServer();
    const nodes = [await startSimulatedNode(server), await startSimulatedNode(server)];
    try {
      const rest = new RestClient(nodes[0]!.url);
      const project = (await rest.post('/projects', { name: 'Garden' })).body.id as string;
      const task = await rest.post(`/projects/${project}/tasks`, { label: 'Grow', status: 'scope' });
      const release = { task_id: task.body.id as string, status: 'todo' };
      const { requestState } = await raw('update_task', release, { url: nodes[0]!.url });
      const { structuredContent } = await raw('update_task', release, {
        ...accepted,
        requestState,
        url: nodes[1]!.url,
      });
      expect(structuredContent.task.status).to.equal('todo');
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
    }
  });

  it('counts for no other credential, and not for long [D2.elicitation-bound]', () => {
    const clock = new ManualClock();
    const nodes = [0, 1].map(() => new SealedQuestions({ stateSecret: 'of both', clock }));
    const call = ['key_1', 'update_task', { task_id: 'tsk_1', status: 'todo' }];
    const { requestState } = nodes[0]!.request(call, { text: 'Release it?', tag: 'one' });
    const answer = { ...accepted, requestState };
    expect(nodes[1]!.answerTo(call, answer)).to.deep.equal({ action: 'accept', tag: 'one' });
    expect(nodes[1]!.answerTo(['key_1', 'update_task', { status: 'todo', task_id: 'tsk_1' }], answer)).to.include({
      tag: 'one',
    });
    expect(nodes[1]!.answerTo(['key_2', ...call.slice(1)], answer)).to.equal(undefined);
    const stranger = new SealedQuestions({ stateSecret: 'of another', clock });
    expect(stranger.answerTo(call, answer)).to.equal(undefined);
    clock.advance((limits.questionMinutesMax + 1) * 60_000);
    expect(nodes[0]!.answerTo(call, answer)).to.equal(undefined);
  });

  describe('in a session', () => {
    const initialize = (capabilities: object): object => ({
      ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'raw', version: '1' } },
    });

    async function begin(capabilities: object = { elicitation: {} }): Promise<Record<string, string>> {
      const { headers } = await rawMcp(service.url, initialize(capabilities));
      return { 'Mcp-Session-Id': headers.get('mcp-session-id')! };
    }

    const release = (task_id: string, id: number): object => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'update_task', arguments: { task_id, status: 'todo' } },
    });

    const answer = (id: string, result: object): object => ({ jsonrpc: '2.0', id, result });
    const accept = (id: string): object => answer(id, { action: 'accept', content: {} });

    it('a question precedes the response, and only its session answers it, with its next POST [D2.elicitation]', async () => {
      const [session, other] = [await begin(), await begin()];
      const task_id = await inScope();
      const messages = messagesOf(await rawMcp(service.url, release(task_id, 1), session));
      const { value: question } = await messages.next();
      expect(question).to.deep.include({
        method: 'elicitation/create',
        params: {
          message: 'Release the task "Grow" from scope?',
          requestedSchema: { type: 'object', properties: {} },
        },
      });
      expect((await rawMcp(service.url, accept(question.id), other)).status).to.equal(202);
      expect((await rawMcp(service.url, accept('planner-guessed'), session)).status).to.equal(202);
      expect(await statusOf(task_id)).to.equal('scope');
      expect((await rawMcp(service.url, accept(question.id), session)).status).to.equal(202);
      const { value: response } = await messages.next();
      expect([response.id, response.result.structuredContent.task.status]).to.deep.equal([1, 'todo']);
      expect((await messages.next()).done).to.equal(true);
    });

    it('changes while the person decides are asked again [D2.elicitation-bound]', async () => {
      const session = await begin();
      const task_id = await inScope();
      const messages = messagesOf(await rawMcp(service.url, release(task_id, 1), session));
      const { value: first } = await messages.next();
      await service.rest.patch(`/tasks/${task_id}`, { label: 'Grow weeds' });
      await rawMcp(service.url, accept(first.id), session);
      const { value: second } = await messages.next();
      expect(second.params.message).to.equal('Release the task "Grow weeds" from scope?');
      expect(await statusOf(task_id)).to.equal('scope');
      await rawMcp(service.url, accept(second.id), session);
      expect((await messages.next()).value.result.structuredContent.task.status).to.equal('todo');
    });

    it('an error, a cancelled call, and a client that is gone do not execute it [D2.elicitation]', async () => {
      const session = await begin();
      const task_id = await inScope();
      const ask = async (id: number): Promise<{ messages: ReturnType<typeof messagesOf>; question: string }> => {
        const messages = messagesOf(await rawMcp(service.url, release(task_id, id), session));
        return { messages, question: (await messages.next()).value.id };
      };
      const failed = await ask(1);
      const error = { code: -32601, message: 'No such method.' };
      await rawMcp(service.url, { jsonrpc: '2.0', id: failed.question, error }, session);
      const { value } = await failed.messages.next();
      expect(value.result.structuredContent).to.include({ error: 'conflict', reason: 'not_decided' });
      const cancelled = await ask(2);
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
      await rawMcp(service.url, cancel, session);
      expect((await cancelled.messages.next()).value.result.isError).to.equal(true);
      const gone = await ask(3);
      const finished = service.log.length;
      await gone.messages.return(undefined);
      // The service logs a request once its client is gone.
      while (service.log.length === finished) await new Promise((resolve) => setTimeout(resolve, 5));
      await rawMcp(service.url, accept(gone.question), session);
      expect(await statusOf(task_id)).to.equal('scope');
    });

    it('the questions of a session are bounded, and the questions of a batch are asked, too [D2.elicitation]', async () => {
      const session = await begin();
      const tasks = await Promise.all(Array.from({ length: limits.questionsPerSessionMax }, inScope));
      const messages = messagesOf(await rawMcp(service.url, tasks.map(release), session));
      const questions: string[] = [];
      for (const _ of tasks) questions.push((await messages.next()).value.id);
      const further = await rawMcp(service.url, release(await inScope(), 99), session);
      expect(await further.json()).to.have.nested.property('result.structuredContent.error', 'rate_limited');
      for (const question of questions) await rawMcp(service.url, accept(question), session);
      const answered = [];
      for await (const { id, result } of messages) answered.push([id, result.structuredContent.task.status]);
      expect(answered).to.deep.equal(tasks.map((_, at) => [at, 'todo']));
    });

    it('clients that can ask by a URL only, or say nothing, are not asked [D2.elicitation]', async () => {
      for (const capabilities of [{}, { elicitation: { url: {} } }]) {
        const task_id = await inScope();
        const response = await rawMcp(service.url, release(task_id, 1), await begin(capabilities));
        expect(await response.json()).to.have.nested.property('result.structuredContent.task.status', 'todo');
      }
    });

    it('a client that was asked is asked after a restart of the service, too [D2.elicitation]', async () => {
      const session = await begin();
      await service.restart();
      const task_id = await inScope();
      const messages = messagesOf(await rawMcp(service.url, release(task_id, 1), session));
      const { value: question } = await messages.next();
      await rawMcp(service.url, accept(question.id), session);
      expect((await messages.next()).value.result.structuredContent.task.status).to.equal('todo');
    });
  });
});
