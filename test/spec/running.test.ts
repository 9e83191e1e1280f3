import { expect } from 'chai';
import { catalogue } from '../../src/operations/catalogue.ts';
import { describedPaths } from '../../src/rest/service-paths.ts';
import { slice } from '../../src/base/slices.ts';
import { requireFiles } from '../support/hosted-mode.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { TestService } from '../support/service.ts';

interface Line {
  readonly message?: string;
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: string | null;
}

/** Holds the event loop. */
function hold(ms: number): void {
  const began = performance.now();
  while (performance.now() - began < ms);
}

describe('a running service', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
  });

  afterEach(() => service.stop());

  /** The log entries of requests, once there are this many. */
  async function lines(count: number): Promise<Line[]> {
    for (;;) {
      const found = (service.log as Line[]).filter(({ message }) => message === 'request');
      if (found.length >= count) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  it('logs one entry per request with id, route, status, duration and kind of caller [A.log-line]', async () => {
    const project = await service.project();
    const { headers } = await service.rest.get(`/projects/${project}/tasks?status=todo`);
    await service.rest.get('/tasks/tsk_none');
    await (await service.mcp()).get('list_projects');
    await fetch(`${service.url}/nowhere/deep`);
    // The stream that the SDK's client opens some time after it has connected is logged once it ends.
    const logged = (await lines(7)).filter(({ route, method }) => route !== '/mcp' || method !== 'GET');
    expect(logged.map(({ method, route, status, caller }) => `${method} ${route} ${status} ${caller}`)).to.have.members(
      [
        'POST /api/v1/projects 201 owner',
        'GET /api/v1/projects/:project_id/tasks 200 owner',
        'GET /api/v1/tasks/:task_id 404 owner',
        'POST /mcp initialize 200 owner',
        'POST /mcp notifications/initialized 202 owner',
        'POST /mcp list_projects 200 owner',
        'GET unmatched 404 null',
      ],
    );
    expect(logged[1]!.id).to.equal(headers.get('x-request-id'));
    for (const { ms } of logged) expect(ms).to.be.within(0, 60_000);
    expect(new Set(logged.map(({ id }) => id)).size).to.equal(logged.length);
  });

  it('logs nothing that a caller sent: no path, query, body or credential [A.log-secrets]', async () => {
    const secret = 'verysecretvalue';
    const project = await service.project(`Named ${secret}`);
    await service.rest.get(`/tasks/${secret}?project_id=${secret}`);
    await service.rest.get('/projects', { Authorization: `Bearer pln_owner_${secret}` });
    await service.rest.get(`/share/${secret}.md`);
    await service.rest.get(`/participate/${secret}`);
    await service.rest.post(`/projects/${project}/tasks`, `{"label": "${secret}`);
    await service.rest.send(`X${secret.toUpperCase()}`, '/projects').catch(() => undefined);
    for (const path of [`/s/${secret}`, `/p/${secret}`, `/%${secret}`, `/mcp/${secret}`, `/metrics/${secret}`])
      await fetch(service.url + path, { headers: { Accept: 'text/html', Cookie: `session=${secret}` } });
    await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: secret });
    await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: secret } });
    await lines(13);
    expect(JSON.stringify(service.log).toLowerCase()).not.to.include(secret);
  });

  it('returns X-Request-Id always, that of the request if it is valid [A.request-id]', async () => {
    for (const path of ['/api/v1/health', '/api/v1/nowhere', '/mcp', '/', '/nowhere', '/metrics']) {
      const own = await fetch(service.url + path, { headers: { Accept: 'text/html' } });
      expect(own.headers.get('x-request-id'), path).to.match(/^[\w-]{3,40}$/);
      const kept = await fetch(service.url + path, { headers: { 'X-Request-Id': 'trace:0af7651916cd43dd' } });
      expect(kept.headers.get('x-request-id'), path).to.equal('trace:0af7651916cd43dd');
    }
    const unsound = await fetch(`${service.url}/api/v1/health`, { headers: { 'X-Request-Id': 'a b' } });
    expect(unsound.headers.get('x-request-id')).not.to.equal('a b');
  });

  it('returns internal errors with an id, and logs them with the route [A.log-line]', async () => {
    const { status, body } = await service.rest.get('/tasks/%FF');
    expect([status, body.error]).to.deep.equal([400, 'invalid_argument']);
    expect((await lines(1))[0]).to.include({ route: 'unmatched', status: 400 });
  });

  it('reports whether the store accepts writes [A.ready]', async () => {
    requireFiles();
    const { status, body } = await service.rest.get('/ready');
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('ready', 'projects', 'pending', 'journal_bytes', 'git', 'watch', 'problems');
    expect(body).to.include({ ready: true, projects: 0, git: null, watch: 'off', problems: 0 });
  });

  it('is not ready once its journal failed, and healthy nevertheless [A.ready]', async () => {
    let failing = false;
    const fail = (): void => {
      if (failing) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    };
    await service.stop();
    service = await TestService.start({
      disk: hookedDisk({ writeAsync: fail, writeAtAsync: fail, dataSyncAsync: fail }),
    });
    const project = await service.project();
    failing = true;
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Lost' });
    const { status, body } = await service.rest.get('/ready');
    expect([status, body.error, body.ready]).to.deep.equal([503, 'unavailable', false]);
    expect((await service.rest.get('/health')).body).to.deep.equal({ ok: true });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).to.include('\nplanner_writable 0\n');
    failing = false;
  });

  it('returns metrics of requests by route and of the store for Prometheus [A.metrics]', async () => {
    requireFiles();
    const project = await service.project();
    for (const status of ['todo', 'done']) await service.rest.get(`/projects/${project}/tasks?status=${status}`);
    await service.rest.get('/tasks/tsk_none');
    await (await service.mcp()).get('list_projects');
    await fetch(`${service.url}/nowhere`);
    await lines(7);
    const response = await fetch(`${service.url}/metrics`);
    expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    const values = new Map(
      [...text.matchAll(/^([a-z_]+(?:\{[^}]*\})?) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
    const counted = (method: string, route: string, status: number): number | undefined =>
      values.get(`planner_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`);
    expect(counted('POST', '/api/v1/projects', 201)).to.equal(1);
    expect(counted('GET', '/api/v1/projects/:project_id/tasks', 200)).to.equal(2);
    expect(counted('GET', '/api/v1/tasks/:task_id', 404)).to.equal(1);
    expect(counted('POST', '/mcp list_projects', 200)).to.equal(1);
    expect(counted('GET', 'unmatched', 404)).to.equal(1);
    expect(values.get('planner_projects')).to.equal(1);
    expect(values.get('planner_problems')).to.equal(0);
    expect(values.get('planner_writable')).to.equal(1);
    expect(values.get('planner_journal_bytes')).to.be.above(0);
    expect(values.get('planner_pending_changes')).to.be.at.least(0);
    expect(values.get('process_resident_memory_bytes')).to.be.above(1_000_000);
    expect((await fetch(`${service.url}/metrics`, { method: 'POST' })).status).to.equal(405);
    expect((await fetch(`${service.url}/metrics`, { headers: { Authorization: 'Bearer none' } })).status).to.equal(401);
  });

  it('shows the delay of its event loop since the last scrape [A.loop.delay]', async () => {
    const longest = async (): Promise<number> => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      for (const value of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
        expect(text).to.match(new RegExp(`^nodejs_eventloop_lag_${value}_seconds \\S+$`, 'm'));
      return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)![1]);
    };
    await longest();
    await new Promise((resolve) => setTimeout(resolve, 50));
    hold(1000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const held = await longest();
    expect(held).to.be.at.least(0.9);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await longest()).to.be.below(held);
  });

  it('warns of slices that blocked its event loop for too long [A.loop.slow]', () => {
    slice('checkpoint', () => hold(70), 'prj_1');
    const slow = service.log.filter((entry) => (entry as Line).message === 'slow slice');
    expect(slow.map(({ ms: _, ...entry }: { ms?: number }) => entry)).to.deep.include({
      at: (slow[0] as { at: string }).at,
      level: 'warn',
      message: 'slow slice',
      operation: 'checkpoint',
      project: 'prj_1',
    });
  });

  it('shows its metrics and its reference only to permitted callers if it is hosted [A.metrics]', async () => {
    const hosted = await HostedService.start();
    try {
      const { body: agent } = await hosted.owner.post('/keys', { kind: 'agent', project_id: await hosted.project() });
      const metrics = async (headers: Record<string, string>): Promise<number> =>
        (await fetch(`${hosted.url}/metrics`, { headers })).status;
      expect(await metrics({})).to.equal(401);
      expect(await metrics(bearer(agent.secret as string))).to.equal(403);
      expect(await metrics(bearer(HostedService.admin))).to.equal(200);
      const docs = async (headers: Record<string, string>): Promise<number> =>
        (await fetch(`${hosted.url}/api/v1/docs`, { headers })).status;
      expect(await docs({})).to.equal(401);
      expect(await docs(bearer(agent.secret as string))).to.equal(200);
    } finally {
      await hosted.stop();
    }
  });

  it('tags every GET, and returns 304 if the request names the tag [A.get-tags]', async () => {
    const untagged = catalogue.filter(
      (operation) =>
        operation.rest?.method === 'GET' &&
        !('tag' in operation && operation.tag !== undefined) &&
        !('answerTag' in operation && operation.answerTag !== undefined),
    );
    expect(untagged.map(({ name }) => name)).to.deep.equal([]);
    for (const [method, path] of describedPaths) {
      if (method !== 'GET') continue;
      const first = await service.rest.get(path);
      const etag = first.headers.get('etag')!;
      expect(etag, path).to.match(/^"[\w-]+\.[\w-]+"$/);
      const again = await service.rest.get(path, { 'If-None-Match': etag });
      if (path !== '/ready') expect([again.status, again.body], path).to.deep.equal([304, undefined]);
    }
  });
});
