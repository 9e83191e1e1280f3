import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EventStream } from '../support/event-stream.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { bearer } from '../support/hosted-service.ts';
import { McpClient } from '../support/mcp-client.ts';
import { ModernClient } from '../support/modern-client.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { freePort, repository } from '../support/server-process.ts';
import { soon } from '../hosted/nodes.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { hostDefault, portDefault } from '../../src/base/config.ts';
import { documentedConfiguration, nginx, nginxAround, startProxy } from './proxy-program.ts';
import { rarely } from '../support/rarely.ts';

const caddy = '/usr/bin/caddy';
const admin = 'pln_admin_of-this-test';
const nodeCount = 3;
/** So many that all of them have one home in one of ten million runs. */
const projectCount = 16;
/** How long a client waits for an answer before it sends its call again. */
const clientMs = 500;

/** Starts a proxy at a port in front of nodes at these ports. Resolves with its end. */
type StartProxy = (port: number, nodes: readonly number[]) => Promise<() => Promise<unknown>>;

const startNginx: StartProxy = async (port, nodes) => {
  const guide = 'docs/how-to/several-nodes.md';
  const [first, second, ...more] = nodes.map((node) => `127.0.0.1:${node}`);
  const homes = documentedConfiguration(
    'hash $planner_home',
    [
      ['node-1.example.org', first!],
      ['node-2.example.org;', `${second};\n${more.map((node) => `  server ${node};`).join('\n')}`],
    ],
    guide,
  );
  const server = documentedConfiguration('server_name plan.example.org', [
    ['listen 443 ssl', `listen 127.0.0.1:${port}`],
    ['  ssl_certificate     /etc/ssl/plan.example.org.pem;\n', ''],
    ['  ssl_certificate_key /etc/ssl/plan.example.org.key;\n', ''],
    ['plan.example.org;', '127.0.0.1;'],
    [`http://${hostDefault}:${portDefault}`, 'http://planner'],
  ]);
  const argv = ['-p', '.', '-e', 'stderr', '-c', 'nginx.conf'];
  const files = { 'nginx.conf': nginxAround(`${homes}\n${server}`) };
  return (await startProxy({ program: nginx, argv, files, ready: /start worker process / })).stop;
};

/** With the file of the examples. */
const startCaddy: StartProxy = async (port, nodes) =>
  (
    await startProxy({
      program: caddy,
      argv: ['run', '--config', join(repository, 'examples/deploy/nodes/Caddyfile')],
      files: {},
      environment: {
        PLANNER_DOMAIN: `http://127.0.0.1:${port}`,
        PLANNER_NODES: nodes.map((node) => `127.0.0.1:${node}`).join(' '),
        CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
      },
      ready: /serving initial configuration/,
      // It would wait for a minute for streams whose clients are gone.
      signal: 'SIGKILL',
    })
  ).stop;

postgresTests('Several nodes behind a proxy', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  let links: TcpProxy[];
  let url: string;
  let owner: RestClient;
  let end: () => Promise<unknown>;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());

  async function start(proxy: StartProxy, drainMs = 0): Promise<void> {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const access = { hosted: { baseUrl: url, trustedProxies: 1 }, admin };
    nodes = await HostedNodes.start(cluster, nodeCount, { access, drainMs, timeouts: { drainMs: 0 } });
    links = await Promise.all(nodes.nodes.map((node) => TcpProxy.start(Number(new URL(node.url).port))));
    end = await proxy(
      port,
      links.map((link) => link.port),
    );
    owner = new RestClient(url, bearer(admin));
    const isServed = (): Promise<boolean> =>
      owner.get('/projects').then(
        ({ status }) => status === 200,
        () => false,
      );
    await cluster.primary.until(isServed);
  }

  async function stop(): Promise<void> {
    await end();
    await Promise.all(links.map((link) => link.stop()));
    await Promise.all(nodes.nodes.map(() => nodes.end(0)));
  }

  /** The node that has answered: its ids of requests begin alike. */
  const nodeOf = (id: string | null | undefined): string => id!.split('-')[0]!;

  const homeOf = async (project: string): Promise<string> =>
    nodeOf((await owner.get(`/projects/${project}`)).headers.get('x-request-id'));

  /** Calls of every kind, by an owner, an agent and a guest. Resolves to their number. */
  async function callAll(project: string, agent: string): Promise<number> {
    const { id: task } = (
      await owner.post(`/projects/${project}/tasks`, { label: 'Dig' }, { 'Idempotency-Key': project })
    ).body as { readonly id: string };
    const stream = await EventStream.open(url, `/projects/${project}/events`, bearer(admin));
    expect((await owner.patch(`/tasks/${task}`, { label: 'Dig deep' })).status).to.equal(200);
    await stream.take(1);
    stream.close();
    expect((await owner.get(`/tasks/${task}`)).body.label).to.equal('Dig deep');
    const form = new FormData();
    form.append('file', new Blob(['soil']), 'soil.txt');
    const upload = { method: 'POST', body: form, headers: bearer(admin) };
    const file = (await (await fetch(`${url}/api/v1/projects/${project}/files`, upload)).json()) as {
      readonly url: string;
    };
    expect(await (await fetch(`${url}${file.url}`, { headers: bearer(admin) })).text()).to.equal('soil');
    const { body: share } = await owner.post(`/tasks/${task}/share`, {});
    const { body: invited } = await owner.post(`/projects/${project}/participant-links`, {});
    for (const link of [share.url, share.markdown_url, invited.url])
      expect((await fetch(link as string)).status).to.equal(200);
    for (const client of [
      await McpClient.connect(url, { headers: { ...bearer(admin), 'Planner-Project': project } }),
      await McpClient.connect(url, { headers: bearer(agent) }),
      await ModernClient.connect(url, { headers: bearer(agent) }),
    ]) {
      expect((await client.get('get_task', { task_id: task })).task.label).to.equal('Dig deep');
      await client.close();
    }
    return 11;
  }

  const requests = (from: number): { readonly id: string; readonly route: string }[] =>
    (nodes.log.slice(from) as { readonly message: string; readonly id: string; readonly route: string }[]).filter(
      ({ message, route }) => message === 'request' && route !== '/api/v1/ready',
    );

  /** The number of the node that a project is at. */
  async function numberOfHome(project: string): Promise<number> {
    const home = await homeOf(project);
    const names = await Promise.all(
      nodes.nodes.map((_, node) =>
        nodes
          .rest(node)
          .get('/health')
          .then(({ headers }) => headers.get('x-request-id')),
      ),
    );
    return names.findIndex((name) => nodeOf(name) === home);
  }

  /** Adds a task, and gives up without an answer after a time. */
  const add = async (
    project: string,
    label: string,
    headers: Record<string, string> = {},
  ): Promise<number | undefined> =>
    fetch(`${url}/api/v1/projects/${project}/tasks`, {
      method: 'POST',
      headers: { ...bearer(admin), 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ label }),
      signal: AbortSignal.timeout(clientMs),
    }).then(
      ({ status }) => status,
      () => undefined,
    );

  async function addKeyed(project: string, label: string): Promise<void> {
    for (let status: number | undefined; status !== 201;) {
      status = await add(project, label, { 'Idempotency-Key': label });
      expect(status).to.be.oneOf([201, 502, 503, 504, undefined]);
    }
  }

  async function labelsOf(project: string, from: RestClient): Promise<string[]> {
    const { tasks } = (await from.get(`/projects/${project}/tasks`)).body as {
      readonly tasks: { readonly label: string }[];
    };
    return tasks.map(({ label }) => label);
  }

  it('get requests while they are ready, and others get them when one ends [D11.deploy, A.nodes.ready]', async function () {
    if (!existsSync(caddy)) return this.skip();
    await start(startCaddy, 5000);
    try {
      const secrets: string[] = [];
      for (let at = 0; at < 8; at++)
        secrets.push((await owner.post('/keys', { kind: 'owner', name: `key ${at}` })).body.secret as string);
      const { id } = (await owner.post('/projects', { name: 'Garden' })).body as { readonly id: string };
      const home = await numberOfHome(id);
      const addOne = (secret: string): Promise<number> =>
        new RestClient(url, bearer(secret))
          .post(`/projects/${id}/tasks`, { label: 'One' })
          .then(({ status }) => status);
      expect(await Promise.all(secrets.map(addOne))).to.deep.equal(secrets.map(() => 201));
      // Calls while it ends, and afterwards.
      const ended = nodes.end(home).then(() => true);
      let made = secrets.length;
      for (let isOver = false; !isOver; made += secrets.length) {
        expect(await Promise.all(secrets.map(addOne))).to.deep.equal(secrets.map(() => 201));
        isOver = await Promise.race([ended, Promise.resolve(false)]);
      }
      expect(await Promise.all(secrets.map(addOne))).to.deep.equal(secrets.map(() => 201));
      const { body } = await owner.get(`/projects/${id}`);
      const counts = Object.values(body.summary.tasks as Readonly<Record<string, number>>);
      expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(made + secrets.length);
    } finally {
      await stop();
    }
  });

  it('have the projects of one that hangs, which lose and double nothing when it wakes up [A.nodes.home, A.nodes.once]', async function () {
    if (!existsSync(caddy)) return this.skip();
    await start(startCaddy);
    try {
      const { id } = (await owner.post('/projects', { name: 'Garden' })).body as { readonly id: string };
      const home = await numberOfHome(id);
      await addKeyed(id, 'before');
      links[home]!.pause();
      const lost = await add(id, 'without a key');
      await addKeyed(id, 'keyed');
      expect(lost).to.equal(undefined);
      expect(await numberOfHome(id)).to.not.equal(home);
      links[home]!.resume();
      // What was sent to it arrives now.
      while ((await numberOfHome(id)) !== home) await soon(20);
      await addKeyed(id, 'after');
      const labels = (await labelsOf(id, owner)).filter((label) => label !== 'without a key');
      expect(labels.sort()).to.deep.equal(['after', 'before', 'keyed']);
      for (const node of [0, 1, 2]) {
        const there = await labelsOf(id, nodes.rest(node, bearer(admin)));
        expect(there.filter((label) => label === 'without a key').length).to.be.at.most(1);
        expect(there).to.have.members(await labelsOf(id, owner));
      }
    } finally {
      await stop();
    }
  });

  const isHome = (program: string, proxy: typeof startCaddy) =>
    async function (this: Mocha.Context): Promise<void> {
      if (!existsSync(program)) return this.skip();
      await start(proxy);
      try {
        const homes = new Set<string>();
        for (let at = 0; at < projectCount; at++) {
          const { id } = (await owner.post('/projects', { name: `Garden ${at}` })).body as { readonly id: string };
          homes.add(await homeOf(id));
        }
        expect(homes.size).to.be.greaterThan(1);
        const { id } = (await owner.post('/projects', { name: 'Orchard' })).body as { readonly id: string };
        const { secret } = (await owner.post('/keys', { kind: 'agent', project_id: id })).body as {
          readonly secret: string;
        };
        const home = await homeOf(id);
        const from = nodes.log.length;
        const calls = await callAll(id, secret);
        await cluster.primary.until(async () => Promise.resolve(requests(from).length >= calls));
        expect(requests(from).filter((one) => nodeOf(one.id) !== home)).to.deep.equal([]);
        const number = await numberOfHome(id);
        await Promise.all([nodes.end(number), links[number]!.stop()]);
        await addKeyed(id, 'elsewhere');
        expect(await labelsOf(id, owner)).to.have.members(['Dig deep', 'elsewhere']);
      } finally {
        await stop();
      }
    };

  it('gives each project one of them: Caddy, as in the examples [A.nodes.home]', isHome(caddy, startCaddy));

  rarely('gives each project one of them: nginx, as documented [A.nodes.home]', isHome(nginx, startNginx));
});
