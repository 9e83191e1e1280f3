import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseBucketUrl } from '../../src/store/hosted/bucket-url.ts';
import { S3Bucket } from '../../src/store/hosted/s3-bucket.ts';
import { shellTestMs } from '../cli/planner.ts';
import { withBucketKeys } from '../support/bucket-keys.ts';
import { environmentWith } from '../support/child-environment.ts';
import { runProcess, type Finished } from '../support/command.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { ObjectServer } from '../support/object-server.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { scratchDirectory } from '../support/scratch.ts';

const keys = { accessKey: 'key', secretKey: 'secret' };

postgresTests('Nodes whose files are in a bucket', () => {
  let cluster: PostgresCluster;
  let server: ObjectServer;
  let nodes: HostedNodes;
  let reported: string[];
  const scratch = scratchDirectory();
  withBucketKeys(keys);

  before(async () => {
    cluster = await PostgresCluster.startSingle();
    server = await ObjectServer.start();
  });
  after(async () => {
    await Promise.all([cluster.remove(), server.stop()]);
  });
  beforeEach(async () => {
    reported = [];
    nodes = await HostedNodes.start(cluster, 0);
    for (let node = 0; node < 2; node++) await nodes.add({}, { bucket: await openBucket() });
  });
  afterEach(() => nodes.stop());

  const url = (): string => `s3://plans/garden?endpoint=${server.endpoint}`;
  const openBucket = (): Promise<S3Bucket> =>
    S3Bucket.open(parseBucketUrl(url(), undefined, 'PLANNER_BLOBS'), { report: (message) => reported.push(message) });

  async function attach(bytes: Uint8Array, name: string, mime: string): Promise<Response> {
    const { body } = await nodes.rest(0).post('/projects', { name: 'Garden' });
    const form = new FormData();
    form.set('file', new File([Buffer.from(bytes)], name, { type: mime }));
    return fetch(`${nodes.url(0)}/api/v1/projects/${body.id}/files`, { method: 'POST', body: form });
  }

  const bytesAt = async (node: number, path: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${nodes.url(node)}/api/v1${path}`)).arrayBuffer());

  const program = (argv: readonly string[], more: Record<string, string> = {}): Promise<Finished> =>
    runProcess(argv, {
      cwd: scratch.path,
      environment: environmentWith({
        ...{ HOME: scratch.path, XDG_CONFIG_HOME: join(scratch.path, '.config') },
        ...{ AWS_ACCESS_KEY_ID: keys.accessKey, AWS_SECRET_ACCESS_KEY: keys.secretKey },
        ...{
          PLANNER_DATABASE: cluster.primary.url,
          PLANNER_DATABASE_SCHEMA: nodes.schema,
          PLANNER_DURABILITY: 'disk',
          PLANNER_DRAIN_SECONDS: '0',
        },
        PLANNER_BLOBS: url(),
        ...more,
      }),
    });

  it('return them at each node, by downloads, shared pages and exports [A.nodes.bucket, A.nodes.bytes]', async () => {
    const bytes = randomBytes(2_500_000);
    const uploaded = await attach(bytes, 'plan.bin', 'application/octet-stream');
    expect(uploaded.status).to.equal(201);
    const { id, project_id: project } = (await uploaded.json()) as { id: string; project_id: string };
    expect((await bytesAt(1, `/files/${id}`)).equals(bytes)).to.equal(true);
    expect([...server.objects.keys()].join('\n')).to.include(
      `/plans/garden/${createHash('sha256').update(bytes).digest('hex')}.`,
    );
    const rest = nodes.rest(1);
    const image = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const form = new FormData();
    form.set('file', new File([image], 'dot.png', { type: 'image/png' }));
    const dot = (await (
      await fetch(`${nodes.url(0)}/api/v1/projects/${project}/files`, { method: 'POST', body: form })
    ).json()) as { id: string };
    const page = { title: 'Cart', kind: 'html', content: `<img src="/api/v1/files/${dot.id}"><p>Cart</p>` };
    const prototype = (await rest.post(`/projects/${project}/prototypes`, { name: 'Shop' })).body.id as string;
    const artifact = await rest.post(`/projects/${project}/artifacts`, { ...page, prototype_id: prototype });
    expect(artifact.status).to.equal(201);
    const share = await rest.post(`/prototypes/${prototype}/share`, {});
    const shown = await fetch(share.body.url as string);
    expect([shown.status, (await shown.text()).includes('Cart')]).to.deep.equal([200, true]);
    const { content_base64: content } = (await rest.get(`/projects/${project}/export`)).body.files.find(
      (one: { id: string }) => one.id === id,
    ) as { content_base64: string };
    expect(Buffer.from(content, 'base64').equals(bytes)).to.equal(true);
    expect((await rest.get('/doctor')).body.problems).to.deep.equal([]);
  });

  it('go on without the bucket, with 503 where bytes are needed [A.nodes.bucket, A.nodes.away]', async () => {
    const uploaded = await attach(Buffer.from('plan'), 'plan.txt', 'text/plain');
    const { id, project_id: project } = (await uploaded.json()) as { id: string; project_id: string };
    await server.stop();
    try {
      const read = await fetch(`${nodes.url(1)}/api/v1/files/${id}`);
      const stored = await attach(Buffer.from('other'), 'other.txt', 'text/plain');
      for (const answer of [read, stored]) {
        expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '5']);
        expect(await answer.json()).to.include({ error: 'unavailable' });
      }
      expect(reported.join()).to.include('ECONNREFUSED');
      expect((await nodes.rest(1).post(`/projects/${project}/tasks`, { label: 'Dig' })).status).to.equal(201);
      expect((await nodes.rest(1).get('/ready')).body.ready).to.equal(true);
      expect((await nodes.rest(1).get(`/projects/${project}/files`)).status).to.equal(200);
    } finally {
      await server.resume();
    }
    expect((await bytesAt(1, `/files/${id}`)).toString()).to.equal('plan');
  });

  it('answer 500 instead of damaged bytes [A.nodes.bucket]', async () => {
    const uploaded = await attach(Buffer.from('plan'), 'plan.txt', 'text/plain');
    const { id } = (await uploaded.json()) as { id: string };
    for (const [path, bytes] of server.objects)
      if (bytes.equals(Buffer.from('plan'))) server.objects.set(path, Buffer.from('plot'));
    const read = await fetch(`${nodes.url(0)}/api/v1/files/${id}`);
    expect([read.status, ((await read.json()) as { error: string }).error]).to.deep.equal([500, 'internal']);
    expect(JSON.stringify(nodes.log)).to.include('damaged');
  });

  it('share it with commands, which say what is wrong with it at their start [A.nodes.bucket, A.nodes.command]', async () => {
    const bytes = randomBytes(1_200_000);
    const uploaded = await attach(bytes, 'plan.bin', 'application/octet-stream');
    const { project_id: project } = (await uploaded.json()) as { project_id: string };
    const exported = await program(['export', project, '--output', 'garden.json']);
    expect(exported.code, exported.errors).to.equal(0);
    expect(readFileSync(join(scratch.path, 'garden.json'), 'utf8')).to.include(bytes.toString('base64'));
    const imported = await program(['import', 'garden.json', '--json']);
    expect(imported.code, imported.errors).to.equal(0);
    const doctor = await program(['doctor']);
    expect(doctor.code, doctor.errors).to.equal(0);
    server.fault = () => ({ is: 'status', status: 404, code: 'NoSuchBucket' });
    const served = await program(['serve', '--hosted', '--base-url', 'https://plan.example.org', '--port', '0']);
    const listed = await program(['projects']);
    server.fault = () => undefined;
    for (const one of [served, listed]) {
      expect(one.code).to.be.above(0);
      expect(one.errors).to.include('s3://plans/garden').and.include('NoSuchBucket');
    }
    const misspelt = await program(['projects'], { PLANNER_BLOBS: 's3:/plans' });
    expect(misspelt.errors).to.include('s3://bucket/prefix');
    const unreachable = await program(['projects'], { PLANNER_BLOBS: 's3://plans?endpoint=http://127.0.0.1:1' });
    expect(unreachable.errors).to.include('ECONNREFUSED');
  }).timeout(2 * shellTestMs);
});
