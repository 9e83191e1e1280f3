import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hostDefault, portDefault } from '../../src/base/config.ts';
import type { Event } from '../../src/schema/types.ts';
import { signed } from '../../src/webhooks/message.ts';
import { shellTestMs } from '../cli/planner.ts';
import { environmentWith } from '../support/child-environment.ts';
import { Command } from '../support/command.ts';
import { git } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { asServed, TestService } from '../support/service.ts';
import { noProblems } from '../support/no-problems.ts';
import { Blocks, notRun, printedIn } from './blocks.ts';
import { GuideShell } from './guide-shell.ts';
import { guides } from './guides.ts';
import { rarely } from '../support/rarely.ts';

const blocks = new Blocks();
const using = {
  entry: blocks.take('docs/reference/agents.md', '"args": ["mcp"] } } }'),
  url: blocks.take('docs/reference/agents.md', '"url"'),
  client: blocks.take('docs/reference/agents.md', 'PlannerClient.connect'),
  loop: blocks.take('docs/reference/command-line.md', 'planner claim'),
  names: blocks.take('docs/reference/command-line.md', '--after payments'),
  goals: blocks.take('docs/reference/command-line.md', '--checklist'),
  back: blocks.take('docs/reference/command-line.md', 'planner trash'),
  beside: blocks.take('docs/reference/command-line.md', 'planner note add'),
  upload: blocks.take('docs/reference/content.md', 'content_base64'),
  events: blocks.take('docs/reference/rest.md', '"cursor"'),
  search: blocks.take('docs/reference/rest.md', '/search?q='),
  calls: blocks.take('docs/reference/rest.md', '-X PATCH'),
  share: blocks.take('docs/how-to/share.md', '/share'),
  participants: blocks.take('docs/how-to/share.md', 'participant-links'),
  remote: blocks.take('docs/how-to/share.md', '"remote"'),
  login: blocks.take('docs/how-to/share.md', 'planner login'),
  signature: blocks.take('docs/how-to/webhooks.md', 'isFromPlanner'),
};
const operating = {
  log: blocks.take('docs/how-to/run-a-service.md', '"message": "request"'),
  keys: blocks.take('docs/how-to/serve-others.md', 'planner keys create'),
  hosted: blocks.take('docs/how-to/serve-others.md', 'planner serve --hosted'),
};
const files = {
  task: blocks.take('docs/reference/files.md', 'label: Take payments'),
  goal: blocks.take('docs/reference/files.md', 'name: Opening'),
  order: blocks.take('docs/reference/files.md', 'after: [take-payments]'),
};
const reference = {
  exports: blocks.take('docs/reference/export-format.md', 'planner export'),
  task: blocks.take('docs/reference/file-format.md', 'status: todo'),
  links: blocks.take('docs/reference/file-format.md', 'after: [public-page'),
  folders: blocks.take('docs/reference/file-format.md', '"Plans/Set-up"'),
};
interface FeedAnswer {
  readonly events: readonly { readonly changes: readonly object[] }[];
}

const address = `http://${hostDefault}:${portDefault}`;

describe('The blocks of the documents [A.documents]', function () {
  this.timeout(shellTestMs);
  let service: TestService | undefined;
  // Before the scratch directory's own hook, which removes the files.
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);

  let shell: GuideShell;
  beforeEach(async () => {
    shell = await GuideShell.open(scratch.path, 'work');
  });
  afterEach(() => shell.close());

  const environment = (variables: Readonly<Record<string, string>> = {}): Record<string, string> =>
    environmentWith({ ...shell.environment, ...(service && { API: `${service.url}/api/v1` }), ...variables });

  /** Runs a block as pasted into a shell, but for what `replaced` names; any command that fails fails the test. */
  async function run(
    block: string,
    replaced: Readonly<Record<string, string>> = {},
    cwd = at('work'),
  ): Promise<string> {
    let script = service === undefined ? block : block.replaceAll(address, service.url);
    for (const [from, to] of Object.entries(replaced)) {
      expect(script).to.include(from);
      script = script.replaceAll(from, to);
    }
    const argv = ['-euo', 'pipefail', '-c', script.replaceAll('curl ', 'curl -sf ')];
    const { stdout } = await promisify(execFile)('bash', argv, { cwd, env: environment(), timeout: 100_000 });
    return stdout;
  }

  /** A service over `work`, which the commands use. */
  async function serve(): Promise<TestService> {
    service = await TestService.start({ ...asServed, directory: at('work') });
    return service;
  }

  const keys = (json: string): string[] => Object.keys(JSON.parse(json) as object);

  it('are each run by a test, or listed with the reason why not', () => {
    const guided = new Set(guides.map(({ page }) => page));
    const left = blocks.left.filter(({ document }) => !guided.has(document));
    expect(left.map(({ document, text }) => `${document}: ${text.split('\n')[0]!}`)).to.deep.equal([]);
    const unused = [...notRun.keys()].filter((part) => !blocks.all.some(({ text }) => text.includes(part)));
    expect(unused).to.deep.equal([]);
  });

  it('of a task are a file that the service reads', async () => {
    const { rest, project, root } = await serve().then(async (served) => ({
      rest: served.rest,
      project: await served.project(),
      root: served.root,
    }));
    await service!.store.flush();
    const [directory = ''] = readdirSync(join(root, 'projects'));
    const tasks = join(root, 'projects', directory, 'tasks');
    mkdirSync(tasks, { recursive: true });
    writeFileSync(join(tasks, 'take-payments.tsk_4n0c2m8w1x7k9q3f.md'), reference.task);
    writeFileSync(join(tasks, 'by-hand.md'), files.task);
    writeFileSync(join(tasks, 'open-the-shop.md'), files.order);
    writeFileSync(join(tasks, 'share.md'), reference.links);
    writeFileSync(join(tasks, 'public-page.md'), '');
    writeFileSync(join(root, 'projects', directory, 'goals', 'opening.md'), files.goal);
    const documents = join(root, 'projects', directory, 'documents');
    mkdirSync(join(documents, 'Plans/Set-up'), { recursive: true });
    writeFileSync(join(documents, '.folders.json'), reference.folders);
    await service!.store.rescan();
    const setUp = (await rest.get('/folders/fld_4n0c2m750x0wwksg')).body;
    expect(setUp).to.include({ name: 'Set/up', parent_folder_id: 'fld_4n0c2mak63hfkycv' });
    const goals = (await rest.get(`/projects/${project}/goals`)).body as { goals: { id: string; name: string }[] };
    const opening = goals.goals.find(({ name }) => name === 'Opening')!;
    const { body: listed } = await rest.get(`/projects/${project}/tasks?goal_id=${opening.id}`);
    expect((listed as { tasks: object[] }).tasks).to.have.length(1);
    expect((listed as { tasks: object[] }).tasks[0]).to.include({ label: 'Take payments', priority: 'high' });
    const { edges } = (await rest.get(`/projects/${project}/edges`)).body as { edges: { to_id: string }[] };
    expect(edges).to.have.length(2);
    expect(edges.map(({ to_id: to }) => to)).to.include('tsk_4n0c2m8w1x7k9q3f');
    const { body } = await rest.get(`/tasks/tsk_4n0c2m8w1x7k9q3f`);
    expect(body).to.include({ project_id: project, label: 'Take payments', status: 'todo', priority: 'high' });
    expect(body.tags).to.have.nested.property('[0].name', 'checkout');
    expect(body.created_at).to.equal('2026-03-02T09:30:00.000Z');
    expect(body.description.trim()).to.equal('Cards first, invoices later.');
  });

  it('of agents connect to the service as a program and as a URL', async () => {
    const served = await serve();
    const project = await served.project();
    await served.rest.post(`/projects/${project}/tasks`, { label: 'Nightly' });
    const { planner: remote } = (JSON.parse(using.url) as { mcpServers: { planner: { url: string } } }).mcpServers;
    expect(remote.url.replace(address, '')).to.equal('/mcp');
    expect(await (await served.mcp()).get('get_project', { project_id: project })).to.have.nested.property(
      'project.id',
      project,
    );
    const source = using.client.replace(
      '@planner-app/planner/client',
      new URL('../../src/client/index.ts', import.meta.url).href,
    );
    writeFileSync(at('work/client.ts'), source);
    const { body: key } = await served.rest.post('/keys', { kind: 'agent', name: 'nightly', project_id: project });
    const env = environment({ PLANNER_URL: served.url, PLANNER_MCP_TOKEN: (key as { secret: string }).secret });
    await promisify(execFile)(process.execPath, [at('work/client.ts')], { cwd: at('work'), env, timeout: 60_000 });
    const { body } = await served.rest.get(`/projects/${project}/tasks?status=done`);
    expect((body as { tasks: { label: string }[] }).tasks.map(({ label }) => label)).to.deep.equal(['Nightly']);
  });

  it('of the command line complete a plan', async function () {
    if (
      !(await promisify(execFile)('jq', ['--version']).then(
        () => true,
        () => false,
      ))
    )
      this.skip();
    git(at('work'), 'init', '--quiet');
    git(at('work'), 'commit', '--quiet', '--allow-empty', '-m', 'Begin');
    shell.program('work-on', 'echo "$1" >> worked-on');
    await run(using.loop, { 'npm test; ': 'true; ' });
    expect(readFileSync(at('work/worked-on'), 'utf8')).to.match(/^tsk_\w+\n$/);
    const exported = JSON.parse(readFileSync(at('work/plan.planner.json'), 'utf8')) as { tasks: { status: string }[] };
    expect(exported.tasks.map(({ status }) => status)).to.deep.equal(['done']);
  });

  it('of the command line name tasks by parts of their labels, and the surrounding words', async () => {
    const served = await serve();
    await served.project();
    const output = await run(using.names);
    expect(output)
      .to.match(/^\S{4} {2}todo {9}Take payments {2}\(high #checkout #spring\)$/m)
      .and.include('Waits for');
    expect(await run(using.beside))
      .to.match(/^ {4}Which currencies\?\n\S{4} {2}note +Ask the bank$/m)
      .and.include('For agents');
    expect(await run(using.back))
      .to.match(/^document|^task|^note/m)
      .and.include('Restored: the task Take payments.');
    expect(await run(using.goals)).to.match(/ complete +Launch /);
  });

  it('of content upload the same file in both ways', async () => {
    const served = await serve();
    const project = await served.project();
    writeFileSync(at('work/login.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
    const output = await run(using.upload, { $PROJECT: project });
    expect(output.match(/"id":"(fil_\w+)"/g)).to.have.length(2);
    expect(new Set(output.match(/"id":"(fil_\w+)"/g)).size).to.equal(1);
  });

  it('of REST create, finish and list a task', async () => {
    const served = await serve();
    const project = await served.project();
    const { body } = await served.rest.post(`/projects/${project}/tasks`, { label: 'Open the shop' });
    const output = await run(using.calls, { $PROJECT: project, $TASK: (body as { id: string }).id });
    expect(output)
      .to.include('"label":"Take payments"')
      .and.match(/"tasks":\[\{[^}]*"label":"Open the shop"/);
  });

  it('of search find a task in spite of a typo, with the members shown', async () => {
    const served = await serve();
    const project = await served.project();
    await served.rest.post(`/projects/${project}/tasks`, { label: 'Prepare the greenhouse' });
    const found = JSON.parse(await run(using.search)) as { tasks: object[] };
    const shown = JSON.parse(printedIn(using.search)) as { tasks: object[] };
    expect(Object.keys(found)).to.deep.equal(Object.keys(shown));
    expect(found.tasks.map((task) => Object.keys(task))).to.deep.equal(shown.tasks.map((task) => Object.keys(task)));
    expect(found.tasks[0]).to.include({ label: 'Prepare the greenhouse' });
  });

  it('of webhooks check the signature of a delivery', async () => {
    writeFileSync(at('work/receiver.mjs'), using.signature);
    type Check = (headers: Readonly<Record<string, string>>, body: string, secret: string) => boolean;
    const { isFromPlanner } = (await import(at('work/receiver.mjs'))) as { readonly isFromPlanner: Check };
    const secret = `whsec_${Buffer.from('a secret of a webhook').toString('base64')}`;
    const { headers, body } = signed(
      'msg_1',
      { type: 'task.done', changes: [] } as unknown as Event,
      secret,
      Date.now(),
    );
    expect(isFromPlanner(headers, body, secret)).to.equal(true);
    expect(isFromPlanner(headers, body, `whsec_${Buffer.from('another').toString('base64')}`)).to.equal(false);
    expect(isFromPlanner(headers, body.replace('done', 'made'), secret)).to.equal(false);
    expect(isFromPlanner({ ...headers, 'webhook-timestamp': '1' }, body, secret)).to.equal(false);
  });

  it('of the feed show an event as it is', async () => {
    const served = await serve();
    const project = await served.project();
    const { body } = await served.rest.post(`/projects/${project}/tasks`, { label: 'Prepare the greenhouse' });
    await served.rest.patch(`/tasks/${(body as { id: string }).id}`, { status: 'done' });
    const found = (await served.rest.get(`/projects/${project}/events?types=task.updated`)).body as FeedAnswer;
    const shown = JSON.parse(using.events) as FeedAnswer;
    expect(Object.keys(found)).to.deep.equal(Object.keys(shown));
    expect(found.events.map((event) => Object.keys(event))).to.deep.equal(
      shown.events.map((event) => Object.keys(event)),
    );
    expect(found.events[0]!.changes).to.deep.equal(shown.events[0]!.changes);
  });

  it('of sharing create links with the members shown', async () => {
    const served = await serve();
    const project = await served.project();
    const { body } = await served.rest.post(`/projects/${project}/tasks`, { label: 'Shared' });
    const link = await run(using.share, { 'tsk_…': (body as { id: string }).id });
    expect(keys(link)).to.deep.equal(keys(printedIn(using.share)));
    const guests = await run(using.participants, { 'prj_…': project });
    expect(keys(guests)).to.deep.equal(keys(printedIn(using.participants)));
  });

  it('of a remote are settings that doctor accepts, and log in', async () => {
    const served = await serve();
    const project = await served.project();
    await run(using.login, { 'https://plan.example.org': served.url });
    const settings = using.remote.replaceAll('prj_…', project).replace('https://plan.example.org', served.url);
    writeFileSync(at('work/.planner/config.json'), settings);
    expect(await run('planner doctor')).to.equal(noProblems);
  });

  it('of the log have the members of an entry', async () => {
    const served = await serve();
    const project = await served.project();
    const { body } = await served.rest.post(`/projects/${project}/tasks`, { label: 'Logged' });
    await served.rest.get(`/tasks/${(body as { id: string }).id}`);
    const entry = served.log.find((one) => (one as { route?: string }).route === '/api/v1/tasks/:task_id');
    expect(keys(JSON.stringify(entry))).to.have.members(keys(operating.log).filter((key) => key in entry!));
    expect(keys(operating.log).filter((key) => !(key in entry!))).to.deep.equal(['level']);
  });

  it('of keys create, list and revoke them', async () => {
    const served = await serve();
    await served.rest.post('/projects', { name: 'Web shop' });
    const { body } = await served.rest.post('/keys', { kind: 'owner', name: 'old' });
    const key = (body as { id: string }).id;
    const output = await run(operating.keys, { key_4n0c2m8w1x7k9q3f: key });
    expect(output).to.include('laptop').and.include('ci');
    const { body: left } = await served.rest.get('/keys');
    const names = (left as { keys: { name: string }[] }).keys.map(({ name }) => name);
    expect(names).to.have.members(['laptop', 'ci']);
  });

  rarely('of hosted services start them', async () => {
    const lines = operating.hosted.trim().split('\n');
    expect(lines).to.have.length(2);
    for (const line of lines) {
      const [command = ''] = line.split(/ +#/);
      const argv = command.split(' ').slice(1);
      const started = new Command([...argv, '--root', at('work'), '--port', '0'], { environment: environment() });
      try {
        expect(await started.firstLine()).to.include(
          'at https://plan.example.org (REST https://plan.example.org/api/v1',
        );
      } finally {
        await started.kill();
      }
      rmSync(at('work/.planner/local'), { recursive: true });
    }
  });

  it('of the export format export a project and import it twice', async () => {
    const served = await serve();
    await served.rest.post('/projects', { name: 'Web shop' });
    await run(reference.exports);
    const { body } = await served.rest.get('/projects');
    expect((body as { projects: { name: string }[] }).projects.map(({ name }) => name)).to.have.length(3);
  });
});
