import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireFiles } from '../support/hosted-mode.ts';
import { mcpTransport, restTransport } from '../support/both.ts';
import type { Transport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

/** Two real services: the hosted one, where participants submit, and the one of a repository that has it as its remote. */
describe('sync_pull', () => {
  let hosted: TestService;
  let local: TestService;
  let hostedProject: string;
  let project: string;
  /** The keys of the user of the local service, by origin. */
  let keys: Map<string, string>;
  let guest: string;

  beforeEach(async () => {
    keys = new Map();
    hosted = await TestService.start();
    local = await TestService.start({ remoteKeys: { find: (url) => Promise.resolve(keys.get(new URL(url).origin)) } });
    hostedProject = await hosted.project('Garden');
    project = await local.project('Garden');
    const { body } = await hosted.rest.post(`/projects/${hostedProject}/participant-links`, {});
    guest = /\/p\/(.+)$/.exec(body.url as string)![1]!;
  });
  afterEach(async () => {
    await local.stop();
    await hosted.stop();
  });

  const configFile = (): string => join(local.root, 'config.json');
  const configure = (more: object): void => {
    const config = JSON.parse(readFileSync(configFile(), 'utf8')) as object;
    writeFileSync(configFile(), JSON.stringify({ ...config, ...more }));
  };
  /** The state after `planner login` and an edit of config.json. */
  const connect = async (): Promise<void> => {
    configure({ remote: { url: hosted.url, project_id: hostedProject } });
    keys.set(hosted.url, await ownerKey());
  };
  const ownerKey = async (): Promise<string> => {
    const { body } = await hosted.rest.post('/keys', { name: 'laptop', kind: 'owner' });
    return body.secret as string;
  };
  const submit = async (title: string): Promise<{ id: string; created_at: string }> =>
    (await hosted.rest.post(`/participate/${guest}/submissions`, { participant_name: 'Grace', title, body: 'Please.' }))
      .body;
  const inbox = async (): Promise<{ id: string; title: string; status: string; created_at: string }[]> =>
    (await local.rest.get(`/projects/${project}/submissions`)).body.submissions;
  const pull = (): ReturnType<TestService['rest']['post']> => local.rest.post(`/projects/${project}/sync-pull`);
  const transports = async (): Promise<readonly Transport[]> => [
    restTransport(local),
    mcpTransport(local, await local.mcp()),
  ];

  it('fetches each remote submission once, keeping its id [D8.sync_pull, S.mcp.sync_pull]', async () => {
    await connect();
    for (const transport of await transports()) {
      const before = (await inbox()).length;
      const [first, second] = [await submit(`${transport.name} one`), await submit(`${transport.name} two`)];
      expect(await transport.call('sync_pull', { project_id: project })).to.deep.equal({ pulled: 2 });
      const now = await inbox();
      expect(now.slice(before)).to.containSubset([
        { id: first.id, created_at: first.created_at, status: 'pending', participant_name: 'Grace', body: 'Please.' },
        { id: second.id, title: `${transport.name} two` },
      ]);
      expect(await transport.call('sync_pull', { project_id: project })).to.deep.equal({ pulled: 0 });
      expect(await inbox()).to.have.length(before + 2);
    }
  });

  it('keeps decisions made here, and skips submissions triaged at the remote [D8.sync_pull]', async () => {
    await connect();
    const first = await submit('One');
    await pull();
    await local.rest.post(`/submissions/${first.id}/triage`, { action: 'accept' });
    const second = await submit('Two');
    await hosted.rest.post(`/submissions/${second.id}/triage`, { action: 'reject' });
    const third = await submit('Three');
    expect((await pull()).body).to.deep.equal({ pulled: 1 });
    expect((await inbox()).map(({ id, status }) => [id, status])).to.deep.equal([
      [first.id, 'accepted'],
      [third.id, 'pending'],
    ]);
  });

  it('fetches each once, also after restarts of both services [D8.sync_pull]', async () => {
    await connect();
    await submit('One');
    await pull();
    await local.restart();
    const key = keys.get(hosted.url)!;
    await hosted.restart();
    configure({ remote: { url: `${hosted.url}/`, project_id: hostedProject } });
    keys.set(hosted.url, key);
    await submit('Two');
    expect((await pull()).body).to.deep.equal({ pulled: 1 });
    expect(await inbox()).to.have.length(2);
  });

  it('fetches more than one page of them [D8.sync_pull]', async () => {
    await connect();
    await hosted.store.update(hostedProject, { author: 'system', source: 'system' }, (tx) => {
      for (let at = 0; at < 450; at++) {
        tx.put('submission', {
          ...{ id: tx.newId('submission'), created_at: tx.now, participant_name: 'G', title: `No. ${at}`, body: '' },
          ...{ severity: null, task_ref: null, status: 'pending', linked_task_id: null },
        });
      }
    });
    expect((await pull()).body).to.deep.equal({ pulled: 450 });
  });

  it('reports how to set a remote if there is none [D8.sync-origin]', async () => {
    requireFiles();
    for (const transport of await transports()) {
      const error = await transport.refusal('sync_pull', { project_id: project });
      expect(error).to.include({ error: 'invalid_argument', field: 'remote' });
      expect(error.message).to.include('"remote": {"url"').and.include('planner login');
    }
  });

  it('rejects an invalid remote [D8.sync-origin]', async () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ url: hosted.url }, 'remote.project_id'],
      [{ url: hosted.url, project_id: '../x' }, 'remote.project_id'],
      [{ url: 'file:///etc/passwd', project_id: hostedProject }, 'remote.url'],
      [{ url: 'https://user:pass@plan.example.org', project_id: hostedProject }, 'remote.url'],
      [{ project_id: hostedProject }, 'remote.url'],
    ];
    for (const [remote, field] of wrong) {
      configure({ remote });
      expect((await pull()).body, JSON.stringify(remote)).to.include({ error: 'invalid_argument', field });
    }
    configure({ remote: { url: hosted.url, project_id: hostedProject }, project_id: 'prj_other' });
    expect((await pull()).body).to.include({ error: 'invalid_argument', field: 'project_id' });
    writeFileSync(configFile(), '<<<<<<< ours');
    expect((await pull()).body).to.include({ error: 'conflict' });
    expect(JSON.stringify((await pull()).body)).not.to.include(local.directory);
  });

  it('calls only an origin that this user logged in to, with their key [D8.sync-origin, A.trust.outgoing]', async () => {
    await connect();
    await submit('One');
    keys.clear();
    const { status, body } = await pull();
    expect(status).to.equal(403);
    expect(body.message).to.include(`planner login ${hosted.url}`);
    keys.set(hosted.url, 'pln_owner_unknown');
    expect((await pull()).body).to.include({ error: 'forbidden' });
    keys.set(hosted.url, await ownerKey());
    configure({ remote: { url: hosted.url, project_id: 'prj_none' } });
    expect((await pull()).body).to.include({ error: 'invalid_argument', field: 'remote.project_id' });
    expect(await inbox()).to.deep.equal([]);
  });

  it('reports a remote that does not respond [D8.sync_pull]', async () => {
    configure({ remote: { url: 'http://127.0.0.1:9', project_id: hostedProject } });
    keys.set('http://127.0.0.1:9', 'pln_owner_x');
    const { status, body } = await pull();
    expect(status).to.equal(503);
    expect(body).to.include({ error: 'unavailable' });
  });
});
