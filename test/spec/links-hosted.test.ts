import { expect } from 'chai';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { Proxy } from '../support/proxy.ts';
import { RestClient } from '../support/rest-client.ts';

describe('Links of a hosted service', () => {
  let hosted: HostedService;
  let project: string;
  let task: string;

  const open = async (options: Parameters<typeof HostedService.start>[0]): Promise<void> => {
    hosted = await HostedService.start(options);
    project = await hosted.project('Garden');
    task = (await hosted.owner.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
  };
  afterEach(() => hosted.stop());

  it('are open to their holders, and nothing else is [D10.hosted, S.auth.3, D8.files]', async () => {
    await open({ password: 'correct horse battery staple' });
    const share = (await hosted.owner.post(`/tasks/${task}/share`, {})).body;
    const link = (await hosted.owner.post(`/projects/${project}/participant-links`, {})).body;
    expect(share.url).to.match(new RegExp(`^${hosted.baseUrl}/s/`));
    const anonymous = new RestClient(hosted.url);
    for (const url of [share.url, share.markdown_url, link.url]) expect((await fetch(url)).status, url).to.equal(200);
    const token = /\/p\/(.+)$/.exec(link.url as string)![1]!;
    expect((await anonymous.get(`/participate/${token}`)).body.project).to.deep.equal({ name: 'Garden' });
    const submission = { participant_name: 'Grace', title: 'Light' };
    expect((await anonymous.post(`/participate/${token}/submissions`, submission)).status).to.equal(201);
    const form = await fetch(link.url, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(submission) },
      headers: { Origin: hosted.baseUrl },
    });
    expect(form.status).to.equal(303);
    for (const path of [`/tasks/${task}`, `/projects/${project}/shares`, `/projects/${project}/submissions`]) {
      expect((await anonymous.get(path)).status, path).to.equal(401);
    }
    expect((await anonymous.post(`/tasks/${task}/share`, {})).status).to.equal(401);
    expect((await anonymous.get('/share/unknown.md')).status).to.equal(404);
  });

  it('are created by agents, whose keys can neither revoke links nor invite participants [D10.agent-delete, D8.shares]', async () => {
    await open({});
    const other = await hosted.project('Other');
    const { secret } = await hosted.key('agent', { project_id: project });
    const agent = new RestClient(hosted.url, bearer(secret));
    const made = await agent.post(`/tasks/${task}/share`, {});
    expect(made.status).to.equal(201);
    expect((await agent.get(`/projects/${project}/shares`)).body.shares).to.have.length(1);
    expect((await agent.delete(`/shares/${made.body.id}`)).body.error).to.equal('forbidden');
    expect((await agent.post(`/projects/${project}/participant-links`, {})).body.error).to.equal('forbidden');
    const foreign = (await hosted.owner.post(`/projects/${other}/tasks`, { label: 'Secret' })).body.id as string;
    expect((await agent.post(`/tasks/${foreign}/share`, {})).body.error).to.equal('not_found');
    expect((await hosted.owner.delete(`/shares/${made.body.id}`)).status).to.equal(204);
    expect((await fetch(made.body.markdown_url as string)).status).to.equal(410);
  });

  it('are rate-limited by the addresses that a trusted proxy reports [D8.guests, D10.trust-proxy]', async () => {
    const proxy = await Proxy.start();
    try {
      await open({ baseUrl: proxy.url, trustedProxies: 1 });
      proxy.target = hosted.url;
      const link = (await hosted.owner.post(`/projects/${project}/participant-links`, {})).body.url as string;
      const token = /\/p\/(.+)$/.exec(link)![1]!;
      const submit = async (): Promise<number> =>
        (
          await new RestClient(proxy.url).post(`/participate/${token}/submissions`, {
            ...{ participant_name: 'Grace', title: 'Light' },
          })
        ).status;
      for (let at = 0; at < 10; at++) expect(await submit()).to.equal(201);
      expect(await submit()).to.equal(429);
      proxy.caller = '192.0.2.2';
      expect(await submit()).to.equal(201);
    } finally {
      await proxy.stop();
    }
  });
});
