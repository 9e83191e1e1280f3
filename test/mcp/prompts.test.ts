import { expect } from 'chai';
import { catalogue } from '../../src/operations/catalogue.ts';
import { ModernClient } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';

// Tests read results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

describe('Prompts of MCP', () => {
  let service: TestService;
  let project_id: string;
  let goal_id: string;
  let task_id: string;
  let clients: ModernClient[] = [];

  before(async () => {
    service = await TestService.start();
    project_id = await service.project('Web shop');
    const create = async (path: string, body: object): Promise<string> =>
      (await service.rest.post(`/projects/${project_id}/${path}`, body)).body.id;
    goal_id = await create('goals', { name: 'Payments', objective: 'Paid.' });
    task_id = await create('tasks', { label: 'Take payments', goal_id });
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });

  after(() => service.stop());

  async function connect(mode: 'auto' | 'legacy', bound = true): Promise<ModernClient['sdk']> {
    const headers: Record<string, string> = bound ? { 'Planner-Project': project_id } : {};
    const client = await ModernClient.connect(service.url, { mode, headers });
    clients.push(client);
    return client.sdk;
  }

  const names = ['plan', 'next', 'work', 'review', 'standup', 'triage'];

  for (const mode of ['auto', 'legacy'] as const) {
    describe(mode === 'auto' ? 'without a session' : 'in a session', () => {
      async function get(sdk: ModernClient['sdk'], name: string, args: Record<string, string> = {}): Promise<Any[]> {
        const { messages } = await sdk.getPrompt({ name, arguments: args });
        for (const { role } of messages) expect(role).to.equal('user');
        return messages.map(({ content }) => content);
      }

      it('are requests to an agent, with arguments, and name tools that there are [D2.prompts]', async () => {
        const sdk = await connect(mode, false);
        const { prompts } = await sdk.listPrompts();
        expect(prompts.map(({ name }) => name)).to.deep.equal(names);
        const tools = new Set(catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name])));
        const members = new Set([
          'depends_on',
          'agent_ref',
          'commit_refs',
          'verified_at',
          'verified_ref',
          'in_progress',
        ]);
        for (const { name, title, description, arguments: args = [] } of prompts) {
          expect([title, description].every((text) => (text ?? '').length > 3)).to.equal(true);
          const given = Object.fromEntries(args.filter((one) => one.required).map((one) => [one.name, 'Be paid']));
          const [content] = await get(sdk, name, given);
          for (const word of content.text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])
            expect(
              tools.has(word) || members.has(word) || /^(?:verification_surface|project_id)$/.test(word),
              word,
            ).to.equal(true);
          expect(content.text).to.include('list_projects once');
        }
      });

      it('contain their subject, if the project is known [D2.prompts]', async () => {
        const sdk = await connect(mode);
        const [text, attached] = await get(sdk, 'work', { task: 'Take payments' });
        expect(text.text).to.include('Do the task "Take payments".').and.include(project_id);
        expect(attached.resource.uri).to.equal(`planner://${project_id}/task/Take%20payments`);
        expect(JSON.parse(attached.resource.text)).to.include({ id: task_id });
        expect((await get(sdk, 'review', { goal: 'Payments' }))[1].resource.text).to.include(goal_id);
        expect((await get(sdk, 'next'))[1].resource.uri).to.equal(`planner://${project_id}/next`);
        expect((await get(sdk, 'standup'))[1].resource.uri).to.equal(`planner://${project_id}/overview`);
        expect(await get(sdk, 'plan', { objective: 'Be paid' })).to.have.length(1);
        const other = await service.project('Other');
        const named = await get(await connect(mode, false), 'standup', { project: other });
        expect(named[1].resource.uri).to.equal(`planner://${other}/overview`);
      });

      it('have arguments that are completed by name [D2.prompts]', async () => {
        const complete = async (
          sdk: ModernClient['sdk'],
          [prompt, name, value]: readonly [string, string, string],
          args?: Record<string, string>,
        ): Promise<string[]> => {
          const ref = { type: 'ref/prompt', name: prompt } as const;
          const context = args && { context: { arguments: args } };
          return (await sdk.complete({ ref, argument: { name, value }, ...context })).completion.values;
        };
        const bound = await connect(mode);
        expect(await complete(bound, ['work', 'task', 'pay'])).to.deep.equal(['Take payments']);
        expect(await complete(bound, ['review', 'goal', 'Pay'])).to.deep.equal(['Payments']);
        expect(await complete(bound, ['standup', 'project', 'web'])).to.deep.equal([project_id]);
        expect(await complete(bound, ['plan', 'objective', 'x'])).to.deep.equal([]);
        const free = await connect(mode, false);
        expect(await complete(free, ['work', 'task', 'pay'])).to.deep.equal([]);
        expect(await complete(free, ['work', 'task', 'pay'], { project: project_id })).to.deep.equal(['Take payments']);
      });

      it('are refused with the argument that is missing or wrong [D2.prompts]', async () => {
        const sdk = await connect(mode);
        const refused = async (params: object, field: string): Promise<void> => {
          const error: Any = await sdk.request({ method: 'prompts/get', params: params as never }).then(
            () => expect.fail(`${field} was accepted.`),
            (thrown: unknown) => thrown,
          );
          expect(error.code, error.message).to.equal(-32602);
          expect(error.data).to.include({ error: 'invalid_argument', field });
        };
        await refused({ name: 'plan' }, 'params.arguments.objective');
        await refused({ name: 'plan', arguments: { objective: '  ' } }, 'params.arguments.objective');
        await refused({ name: 'plan', arguments: { objective: 'x', colour: 'red' } }, 'params.arguments.colour');
        await refused({ name: 'plan', arguments: { objective: 5 } }, 'params.arguments.objective');
        await refused({ name: 'plan', arguments: [] }, 'params.arguments');
        await refused({ name: 'constructor' }, 'params.name');
      });
    });
  }
});
