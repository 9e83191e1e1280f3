import { expect } from 'chai';
import { headersOfRequest } from '../../src/mcp/envelope.ts';
import { limits } from '../../src/base/limits.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { ModernClient, modernRequest } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';

// Tests read results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

describe('Resources of MCP', () => {
  let service: TestService;
  let project_id: string;
  let clients: ModernClient[] = [];
  /** Ids by type. */
  const ids: Record<string, string> = {};

  before(async () => {
    service = await TestService.start();
    const client = await service.mcp({ name: 'maker' });
    project_id = (await client.get('create_project', { name: 'Web shop' })).project.id;
    const make = async (type: string, input: object): Promise<void> => {
      ids[type] = (await client.get(`create_${type}`, { project_id, ...input }))[type].id;
    };
    await make('document', { title: 'Guide to paying', body: '# Paying\n\nBy *card*.\n' });
    await make('note', { title: 'Remember', body: 'Ask Ada.' });
    await make('goal', { name: 'Payments', objective: 'Paid.' });
    await make('task', { label: 'Take payments', goal_id: ids['goal'] });
    const { folder } = await client.get('create_folder', { project_id, name: 'Folder' });
    await client.get('create_document', { project_id, title: 'Filed', body: 'x', folder_id: folder.id });
    await client.get('create_goal', { project_id, objective: 'Nobody named it.' });
    await make('artifact', { title: 'Mock-up', kind: 'html', content: '<b>Pay</b>' });
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });

  after(() => service.stop());

  async function connect(
    mode: 'auto' | 'legacy',
    project: string | null = project_id,
    key?: string,
  ): Promise<ModernClient['sdk']> {
    const headers = {
      ...(project === null ? {} : { 'Planner-Project': project }),
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    };
    const client = await ModernClient.connect(service.url, { mode, headers });
    clients.push(client);
    return client.sdk;
  }

  const refusalOf = async (reading: Promise<unknown>): Promise<Any> =>
    reading.then(
      () => expect.fail('It was not refused.'),
      (error: unknown) => error,
    );

  for (const mode of ['auto', 'legacy'] as const) {
    describe(mode === 'auto' ? 'without a session' : 'in a session', () => {
      const uri = (rest: string): string => `planner://${project_id}/${rest}`;

      async function read(sdk: ModernClient['sdk'], address: string): Promise<Any> {
        const { contents } = await sdk.readResource({ uri: address });
        expect(contents).to.have.length(1);
        expect(contents[0]).to.include({ uri: address });
        return contents[0];
      }

      it('are Markdown for texts, and JSON for structures, by id or by name [D2.resources]', async () => {
        const sdk = await connect(mode);
        const { document, note, artifact, task, goal } = ids;
        for (const name of [document!, 'Guide%20to%20paying', 'guide%20to%20PAYING']) {
          const content = await read(sdk, uri(`document/${name}`));
          expect(content).to.include({ mimeType: 'text/markdown', text: '# Paying\n\nBy *card*.\n' });
        }
        expect(await read(sdk, uri(`note/${note}`))).to.include({ mimeType: 'text/markdown', text: 'Ask Ada.' });
        expect(await read(sdk, uri(`artifact/${artifact}`))).to.include({ mimeType: 'text/html', text: '<b>Pay</b>' });
        const json = async (rest: string): Promise<Any> => {
          const { mimeType, text } = await read(sdk, uri(rest));
          expect(mimeType).to.equal('application/json');
          return JSON.parse(text);
        };
        expect(await json('task/Take%20payments')).to.include({ id: task, status: 'todo' });
        const shown = await json(`goal/${goal}`);
        expect(shown.cycle_tasks.map(({ id }: { id: string }) => id)).to.deep.equal([task]);
        expect((await json('overview')).project).to.include({ id: project_id, name: 'Web shop' });
        expect((await json('next')).next).to.have.property('reason', 'ok');
      });

      it('has the next task of the current goal of the client [D2.resources]', async () => {
        const sdk = await connect(mode);
        await sdk.callTool({ name: 'set_current_goal', arguments: { goal_id: ids['goal'] } });
        const { text } = await read(sdk, uri('next'));
        expect(JSON.parse(text).next.next_task.id).to.equal(ids['task']);
      });

      it('are listed in pages: views of each project, and the records of the one that calls use [D2.resources]', async () => {
        const uris: string[] = [];
        const sdk = await connect(mode);
        for (let cursor: string | undefined; ;) {
          const page = await sdk.request({ method: 'resources/list', params: { ...(cursor && { cursor }) } });
          for (const resource of page.resources) {
            expect(resource).to.include.keys('uri', 'name', 'title', 'mimeType');
            uris.push(resource.uri);
          }
          if (page.nextCursor === undefined) break;
          cursor = page.nextCursor;
        }
        expect(uris).to.include.members([
          uri('overview'),
          uri('next'),
          ...['document', 'note', 'goal', 'task', 'artifact'].map((type) => uri(`${type}/${ids[type]}`)),
        ]);
        expect(uris.filter((one) => one.includes('/document/'))).to.have.length(2);
        expect(new Set(uris).size).to.equal(uris.length);
        for (const one of uris) await read(sdk, one);
        const all = (await (await connect(mode, null)).listResources()).resources.map((one) => one.uri);
        expect(all)
          .to.include(uri('overview'))
          .and.not.include(uri(`document/${ids['document']}`));
        for (const cursor of [
          'x',
          '',
          Buffer.from('[9]').toString('base64url'),
          Buffer.from('{}').toString('base64url'),
        ])
          expect((await refusalOf(sdk.request({ method: 'resources/list', params: { cursor } }))).code).to.equal(
            -32602,
          );
      });

      it('have templates whose variables are completed by name [D2.resources]', async () => {
        const sdk = await connect(mode);
        const { resourceTemplates } = await sdk.listResourceTemplates();
        expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal([
          'planner://{project}/overview',
          'planner://{project}/next',
          ...['document', 'task', 'goal', 'note', 'artifact'].map((type) => `planner://{project}/${type}/{${type}}`),
        ]);
        const complete = async (type: string, name: string, value: string, args?: object): Promise<string[]> => {
          const { completion } = await sdk.complete({
            ref: { type: 'ref/resource', uri: `planner://{project}/${type}/{${type}}` },
            argument: { name, value },
            ...(args && { context: { arguments: args as Record<string, string> } }),
          });
          return completion.values;
        };
        expect(await complete('task', 'project', 'shop')).to.deep.equal([project_id]);
        expect(await complete('task', 'project', 'no such')).to.deep.equal([]);
        const project = { project: project_id };
        expect(await complete('task', 'task', 'pay', project)).to.deep.equal(['Take payments']);
        expect(await complete('document', 'document', 'Guide', project)).to.deep.equal(['Guide to paying']);
        expect(await complete('note', 'note', '', project)).to.deep.equal(['Remember']);
        const goals = await complete('goal', 'goal', 'o', project);
        expect(goals).to.have.length(1);
        expect(goals[0]).to.match(/^gol_/);
        expect(await complete('note', 'note', '')).to.deep.equal([]);
        expect((await refusalOf(complete('task', 'goal', 'x', project))).code).to.equal(-32602);
        expect((await refusalOf(complete('nothing', 'nothing', 'x', project))).code).to.equal(-32602);
      });

      it('are refused if there is none, and outside of what a key may read [D2.resources]', async () => {
        const sdk = await connect(mode);
        for (const address of [
          uri('document/doc_none'),
          uri('document/Nothing'),
          uri('document/%ff'),
          uri('document'),
          uri('overview/more'),
          uri('prototype/x'),
          'planner://prj_none/overview',
          'file:///etc/passwd',
          'planner://',
        ]) {
          const error = await refusalOf(sdk.readResource({ uri: address }));
          // The client makes it of -32002 too, which the revisions with sessions have.
          expect(error.code, `${address}: ${error.message}`).to.equal(-32602);
          expect(error.data).to.deep.include({ uri: address });
        }
        const other = await service.project('Another');
        const { body: key } = await service.rest.post('/keys', { kind: 'agent', project_id: other });
        const bound = await connect(mode, null, key.secret);
        expect((await refusalOf(bound.readResource({ uri: uri(`task/${ids['task']}`) }))).code).to.equal(-32602);
        expect((await bound.listResources()).resources.every((one) => one.uri.includes(other))).to.equal(true);
      });

      it('are read in parts if they are long; no character is split [D2.resources]', async () => {
        const sdk = await connect(mode);
        const body = `${'x'.repeat(limits.resourceCharactersMax - 1)}🌱 and more`;
        const { body: made } = await service.rest.post(`/projects/${project_id}/documents`, { title: 'Long', body });
        let text = '';
        let address: string | undefined = uri(`document/${made.id}`);
        for (let parts = 0; address !== undefined; parts++) {
          const content: Any = await read(sdk, address);
          expect(content.text.length).to.be.at.most(limits.resourceCharactersMax);
          expect(content.text.isWellFormed()).to.equal(true);
          expect(content.mimeType).to.equal('text/markdown');
          text += content.text;
          address = content._meta?.['planner/next'];
          expect(parts).to.be.below(3);
        }
        expect(text).to.equal(body);
        await service.rest.delete(`/documents/${made.id}`);
      });
    });
  }

  it('that are not there have the code of the revision [D2.resources]', async () => {
    const params = { uri: 'planner://prj_none/overview' };
    const legacy = { jsonrpc: '2.0', id: 1, method: 'resources/read', params };
    const codeOf = async (response: Response): Promise<number> => ((await response.json()) as Any).error.code;
    expect(await codeOf(await rawMcp(service.url, legacy))).to.equal(-32002);
    const modern = modernRequest(1, 'resources/read', params);
    expect(await codeOf(await rawMcp(service.url, modern, headersOfRequest(modern)))).to.equal(-32602);
  });
});
