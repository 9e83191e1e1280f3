import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

describe('Participants', () => {
  let service: TestService;
  let project: string;
  let aheadMs = 0;

  beforeEach(async () => {
    aheadMs = 0;
    service = await TestService.start({ clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
    project = await service.project('Garden');
  });
  afterEach(() => service.stop());

  const invite = (body: object = {}): Promise<RestResponse> =>
    service.rest.post(`/projects/${project}/participant-links`, body);
  const tokenOf = ({ body }: RestResponse): string => /\/p\/(.+)$/.exec(body.url as string)![1]!;
  const submit = (token: string, body: object = {}, headers?: Record<string, string>): Promise<RestResponse> =>
    service.rest.post(
      `/participate/${token}/submissions`,
      { participant_name: 'Grace', title: 'Light', ...body },
      headers,
    );
  const inbox = async (): Promise<object[]> =>
    (await service.rest.get(`/projects/${project}/submissions`)).body.submissions;

  it('are invited by a link that is listed, expires and is revoked like any other [D8.participants, D8.shares]', async () => {
    const link = await invite({ audience_name: 'The client', expires: '2d' });
    expect(link.status).to.equal(201);
    expect(link.body).to.have.all.keys('id', 'url', 'expires_at');
    expect(link.body.url).to.match(new RegExp(`^${service.url}/p/[0-9a-z]{6}[A-Za-z0-9_-]{43}$`));
    const { shares } = (await service.rest.get(`/projects/${project}/shares`)).body;
    expect(shares).to.have.length(1);
    expect(shares[0]).to.include({
      id: link.body.id,
      kind: 'participants',
      audience_name: 'The client',
      target_id: null,
    });
    const token = tokenOf(link);
    aheadMs = 49 * 3_600_000;
    expect((await service.rest.get(`/participate/${token}`)).body.error).to.equal('gone');
    const other = tokenOf(await invite());
    const { shares: both } = (await service.rest.get(`/projects/${project}/shares?state=live`)).body;
    await service.rest.delete(`/shares/${both[0].id}`);
    expect((await service.rest.get(`/participate/${other}`)).status).to.equal(410);
    expect((await submit(other)).status).to.equal(410);
    expect((await invite({ expires: 'never' })).body).to.include({ error: 'invalid_argument', field: 'expires' });
    expect(await inbox()).to.deep.equal([]);
  });

  it('see names, labels and statuses, and nothing else [D8.participants]', async () => {
    await service.rest.post(`/projects/${project}/goals`, { name: 'Spring', objective: 'A secret objective' });
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig', description: 'A secret', status: 'done' });
    await service.rest.post(`/projects/${project}/documents`, { title: 'A secret', body: '' });
    const link = await invite({ audience_name: 'The client' });
    const { status, body } = await service.rest.get(`/participate/${tokenOf(link)}`);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      project: { name: 'Garden' },
      audience_name: 'The client',
      expires_at: link.body.expires_at,
      goals: [{ name: 'General' }, { name: 'Spring' }],
      tasks: [{ label: 'Dig', status: 'done' }],
      tasks_total: 1,
      tasks_done: 1,
    });
  });

  it('read long plans page by page, and poll cheaply [D1.limit, D1.etag]', async () => {
    for (const label of ['a', 'b', 'c']) await service.rest.post(`/projects/${project}/tasks`, { label });
    const path = `/participate/${tokenOf(await invite())}`;
    const first = await service.rest.get(`${path}?limit=2`);
    expect(first.body.tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['a', 'b']);
    const second = await service.rest.get(`${path}?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body.tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['c']);
    const again = { 'If-None-Match': first.headers.get('etag')! };
    expect((await service.rest.get(`${path}?limit=2`, again)).status).to.equal(304);
  });

  it('are not shown how often the project is changed [A.hostile.guests-count]', async () => {
    const { body } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    const path = `/participate/${tokenOf(await invite())}`;
    const { headers } = await service.rest.get(path);
    expect(headers.get('x-planner-cursor')).to.equal(null);
    const statusOf = async (): Promise<number> =>
      (await service.rest.get(path, { 'If-None-Match': headers.get('etag')! })).status;
    await service.rest.patch(`/tasks/${body.id}`, { description: 'A secret', priority: 'high' });
    await service.rest.post(`/projects/${project}/documents`, { title: 'A secret', body: '' });
    expect(await statusOf()).to.equal(304);
    await service.rest.patch(`/tasks/${body.id}`, { status: 'done' });
    expect(await statusOf()).to.equal(200);
  });

  it('submit without a credential [D8.participants]', async () => {
    const token = tokenOf(await invite());
    const given = { participant_name: 'Grace', title: 'Light', body: 'Dark', severity: 'low', task_ref: 'Dig' };
    const { status, body } = await submit(token, given);
    expect(status).to.equal(201);
    expect(body).to.deep.include({ ...given, status: 'pending', linked_task_id: null });
    expect(await inbox()).to.deep.equal([body]);
  });

  it('get errors that name the invalid member, also for sizes [D8.participants]', async () => {
    const token = tokenOf(await invite());
    expect((await submit(token, { title: ' ' })).body).to.include({ error: 'invalid_argument', field: 'title' });
    expect((await submit(token, { status: 'accepted' })).body).to.include({
      error: 'invalid_argument',
      field: 'status',
    });
    expect((await submit(token, { project_id: project })).body).to.include({ field: 'project_id' });
    expect((await submit(token, { body: 'x'.repeat(64 * 1024 + 1) })).body).to.include({ field: 'body' });
    expect((await submit(token, { body: 'x'.repeat(300 * 1024) })).body).to.include({ error: 'payload_too_large' });
    expect((await submit('x'.repeat(43))).body).to.include({ error: 'not_found', resource: 'participant_link' });
    expect(await inbox()).to.deep.equal([]);
  });

  it('submit 10 times a minute per link and address, then are rate-limited [D8.guests, D2.rate_limited]', async () => {
    const token = tokenOf(await invite());
    for (let at = 0; at < 10; at++) expect((await submit(token, { title: `No. ${at}` })).status).to.equal(201);
    const { status, body, headers } = await submit(token);
    expect(status).to.equal(429);
    expect(body).to.include({ error: 'rate_limited' });
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    expect((await submit(tokenOf(await invite()))).status).to.equal(201);
    expect((await service.rest.get(`/participate/${token}`)).status).to.equal(200);
    expect(await inbox()).to.have.length(11);
  });

  it('are rejected while a thousand submissions await triage [D8.guests]', async () => {
    const token = tokenOf(await invite());
    await service.store.update(project, { author: 'system', source: 'system' }, (tx) => {
      for (let at = 0; at < 1000; at++) {
        tx.put('submission', {
          ...{ id: tx.newId('submission'), created_at: tx.now, participant_name: 'G', title: `No. ${at}`, body: '' },
          ...{ severity: null, task_ref: null, status: 'pending', linked_task_id: null },
        });
      }
    });
    const { status, headers } = await submit(token);
    expect(status).to.equal(429);
    expect(headers.get('retry-after')).to.equal('3600');
  });

  it('have no other access with their token, and none without one [D8.participants, S.auth.3]', async () => {
    const token = tokenOf(await invite());
    expect((await service.rest.get('/projects', { Authorization: `Bearer ${token}` })).status).to.equal(401);
    expect((await service.rest.get(`/share/${token}.md`)).status).to.equal(404);
    const byUnknownKey = await submit(token, {}, { Authorization: 'Bearer unknown' });
    expect(byUnknownKey.status).to.equal(401);
    const byAnotherPage = await submit(token, {}, { Origin: 'https://evil.example' });
    expect(byAnotherPage.status).to.equal(403);
    for (const name of ['participate', 'get_participation', 'read_share', 'show_share']) {
      const { status } = await service.rest.post(`/call/${name}`, { token: 'x' });
      expect(status, name).to.equal(404);
    }
    expect(await inbox()).to.deep.equal([]);
  });

  it('submit once if their client retries [D1.idempotency]', async () => {
    const token = tokenOf(await invite());
    const key = { 'Idempotency-Key': '0d6f1d1e-2f5c-4a3d-9c0e-3f1a2b3c4d5e' };
    const first = await submit(token, {}, key);
    expect((await submit(token, {}, key)).body).to.deep.equal(first.body);
    expect(await inbox()).to.have.length(1);
  });
});
