import { expect } from 'chai';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareExports } from '../../src/cli/working-copy/compare-exports.ts';
import { currentFormat } from '../../src/store/files/disk/format.ts';
import { migrations } from '../../src/store/files/disk/migration.ts';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { fullProject } from '../support/full-project.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService, watched } from '../support/service.ts';
import { exportOf } from './hosted-copy.ts';
import { rarely } from '../support/rarely.ts';

/** What `config.json` has once the root is in the present format. */
const format = { format: currentFormat(migrations) };

/** The path of the only file whose name has a text. */
function fileNamed(directory: string, text: string): string {
  const [path] = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes(text));
  return join(directory, path!);
}

describe('The comparison of exports', () => {
  async function* inPieces(text: string, length: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < text.length; at += length) yield Buffer.from(text.slice(at, at + length));
  }

  it('finds the first byte that differs, however the exports arrive [A.nodes.working_copy]', async () => {
    const text = 'first\nsecond\nthird';
    for (const [one, other] of [
      [1, 20],
      [3, 4],
      [6, 6],
    ] as const) {
      expect(await compareExports(inPieces(text, one), inPieces(text, other))).to.equal(undefined);
      const changed = text.replace('second', 'sedond');
      const found = { offset: 8, line: 2 };
      expect(await compareExports(inPieces(text, one), inPieces(changed, other))).to.deep.equal(found);
      const longer = { offset: text.length, line: 3 };
      expect(await compareExports(inPieces(text, one), inPieces(`${text}.`, other))).to.deep.equal(longer);
      expect(await compareExports(inPieces(text, other), inPieces('', one))).to.deep.equal({ offset: 0, line: 1 });
    }
  });
});

postgresTests('planner push and pull with a service over a database', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  let shell: Shell;
  const scratch = scratchDirectory();

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    nodes = await HostedNodes.start(cluster, 1);
    shell = new Shell(scratch.path);
    await shell.ok(['init']);
  });
  afterEach(() => nodes.stop());

  const planner = (): string => join(shell.directory, '.planner');

  async function madeProject(): Promise<string> {
    const service = await TestService.start({ directory: shell.directory, ...watched });
    try {
      return (await fullProject(service)).id;
    } finally {
      await service.stop();
    }
  }

  it('make a project of files one of the service, and of other files, byte for byte [A.nodes.working_copy]', async () => {
    const project = await madeProject();
    const sow = fileNamed(planner(), 'sow-seeds');
    writeFileSync(sow, readFileSync(sow, 'utf8').replace('---\n', '---\n# What a person notes\n'));
    const what = fileNamed(planner(), 'What we know');
    renameSync(what, join(what, '../Known.md'));
    const before = await shell.ok(['export']);
    const pushed = await shell.json(['push', nodes.url(0)]);
    expect(pushed.project.id).to.equal(project);
    expect(pushed.stays.map(({ differs }: { differs: string }) => differs)).to.have.members(['content', 'name']);
    expect(await exportOf(nodes.rest(0), project)).to.equal(before);
    expect(JSON.parse(readFileSync(join(planner(), 'config.json'), 'utf8'))).to.deep.include({
      project_id: project,
      remote: { url: nodes.url(0), project_id: project },
    });
    // A second node reads it from the log, and a restored record is unchanged.
    await nodes.add();
    expect(await exportOf(nodes.rest(1), project)).to.equal(before);
    const { body } = await nodes.rest(1).get(`/projects/${project}/revisions?limit=100`);
    const deletion = body.revisions.find(({ changed_fields: fields }: { changed_fields: string[] }) =>
      fields.includes('deleted'),
    );
    const restored = await nodes.rest(1).post(`/revisions/${deletion.id}/restore`);
    expect(restored.status).to.be.oneOf([200, 201]);
    const other = join(scratch.path, 'other');
    const pulled = await shell.json(['pull', nodes.url(0), '--into', other]);
    expect(pulled.root).to.equal(join(other, '.planner'));
    expect(await shell.ok(['export', '--root', other])).to.equal(await exportOf(nodes.rest(0), project));
    expect(await shell.problems('--root', other)).to.deep.equal([]);
  }).timeout(shellTestMs);

  rarely('complete interrupted transfers, and refuse differing plans [A.nodes.working_copy]', async () => {
    const project = await madeProject();
    const config = join(planner(), 'config.json');
    const remote = { url: nodes.url(0), project_id: project };
    // Ended before the project was there, and then before config.json was whole.
    writeFileSync(config, JSON.stringify({ ...format, remote }));
    await shell.ok(['push', nodes.url(0)]);
    writeFileSync(config, JSON.stringify({ ...format, remote }));
    await shell.ok(['push']);
    expect(JSON.parse(readFileSync(config, 'utf8'))).to.deep.equal({ ...format, remote, project_id: project });
    expect((await nodes.rest(0).get('/projects')).body.projects).to.have.length(1);
    const other = join(scratch.path, 'other');
    await shell.ok(['init', '--root', other]);
    writeFileSync(join(other, '.planner/config.json'), JSON.stringify({ ...format, remote }));
    await shell.ok(['pull', nodes.url(0), '--into', other]);
    await shell.ok(['pull', '--into', other]);
    expect(await shell.ok(['export', '--root', other])).to.equal(await exportOf(nodes.rest(0), project));
    await nodes.rest(0).patch(`/projects/${project}`, { name: 'Orchard' });
    const before = await shell.ok(['export', '--root', other]);
    expect(await shell.refused(1, ['pull', '--into', other])).to.include('differ from line 1');
    expect(await shell.refused(1, ['push', '--root', other])).to.include('differ from line 1');
    expect(await shell.ok(['export', '--root', other])).to.equal(before);
  });

  rarely('make a project again that was deleted there, on every node [A.nodes.working_copy]', async () => {
    await nodes.add();
    const project = await madeProject();
    await shell.ok(['push', nodes.url(0)]);
    for (const again of [1, 2]) {
      expect((await nodes.rest(1).get(`/projects/${project}`)).status).to.equal(200);
      const before = await exportOf(nodes.rest(1), project);
      expect((await nodes.rest(again - 1).delete(`/projects/${project}`)).status).to.equal(204);
      expect(await shell.refused(1, ['sync'])).to.include('planner push creates it again from these files');
      await shell.ok(['push', nodes.url(0)]);
      for (const node of [0, 1]) {
        expect((await nodes.rest(node).get('/projects')).body.projects, String(node)).to.have.length(1);
        expect(await exportOf(nodes.rest(node), project), String(node)).to.equal(before);
      }
      const made = await nodes.rest(1).post(`/projects/${project}/tasks`, { label: `Made again ${again}` });
      expect((await nodes.rest(0).get(`/tasks/${made.body.id}`)).status).to.equal(200);
      await shell.ok(['sync']);
    }
  });

  it('refuse a project whose id or code is taken, and name the remedy [A.nodes.working_copy]', async () => {
    const project = await madeProject();
    await shell.ok(['push', nodes.url(0)]);
    writeFileSync(join(planner(), 'config.json'), JSON.stringify(format));
    expect(await shell.refused(1, ['push', nodes.url(0)])).to.include('--copy');
    expect(readFileSync(join(planner(), 'config.json'), 'utf8')).to.equal(JSON.stringify(format));
    const { project: copy } = await shell.json(['push', nodes.url(0), '--copy']);
    expect(copy.id).not.to.equal(project);
    expect((await nodes.rest(0).get('/projects')).body.projects).to.have.length(2);
    const other = await shell.ok(['export']);
    const taken = `${project.slice(0, -4)}0000`;
    const same = JSON.parse(other.replace(`"id":"${project}"`, `"id":"${taken}"`));
    const response = await nodes.rest(0).post('/projects/import', { ...same, keep_ids: true });
    expect([response.status, response.body.code]).to.deep.equal([409, project.slice(4, 10)]);
    const foreign = other.replace(`"id":"${project}"`, '"id":"garden"');
    const unkept = await nodes.rest(0).post('/projects/import', { ...JSON.parse(foreign), keep_ids: true });
    expect(unkept.status).to.equal(400);
    expect(unkept.body.message).to.include('under new ids');
    await nodes.rest(0).delete(`/projects/${project}`);
    // Records that were deleted there may come again.
    await shell.ok(['push', nodes.url(0)]);
    expect(await exportOf(nodes.rest(0), project)).to.equal(other);
  }).timeout(shellTestMs);
});

describe('planner push and pull with a service that requires a key', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let hosted: HostedService;
  let shell: Shell;

  beforeEach(async () => {
    hosted = await HostedService.start();
    shell = new Shell(scratch.path);
    await shell.ok(['init']);
  });
  afterEach(() => hosted.stop());

  it('act with the key that planner login saved [A.nodes.working_copy]', async () => {
    await shell.ok(['call', 'create_project', '{"name": "Garden"}']);
    expect(await shell.refused(1, ['push', hosted.url])).to.include('planner login');
    const { secret } = await hosted.key('owner');
    await shell.ok(['login', hosted.url, '--with-key'], { input: secret });
    const { project } = await shell.json(['push', hosted.url]);
    expect(await exportOf(new RestClient(hosted.url, bearer(secret)), project.id)).to.equal(await shell.ok(['export']));
    await shell.ok(['pull', hosted.url, '--into', join(scratch.path, 'other')]);
  });
});
