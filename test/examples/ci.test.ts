import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { builtProgram } from '../support/build.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { rarely } from '../support/rarely.ts';

const example = (name: string): string => join(repository, 'examples/ci', name);
const read = (name: string): string => readFileSync(example(name), 'utf8');
const scripts = ['check-plan.sh', 'comment-plan.sh', 'post-comment.mjs'];

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly if: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user?: { readonly login: string };
  readonly author?: { readonly id: number };
}

/** The interface for comments of a forge: it receives what the scripts send. */
class Forge {
  readonly comments: Comment[] = [];
  readonly requests: string[] = [];
  readonly secrets = new Set<string | undefined>();
  readonly #server: Server;
  /** The author of a comment that a request posts. */
  readonly #author: Partial<Comment>;

  constructor(author: Partial<Comment>) {
    this.#author = author;
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', 'http://forge');
    const content = await textOf(request);
    this.requests.push(`${method} ${url.pathname}`);
    this.secrets.add(headers.authorization ?? (headers['private-token'] as string | undefined));
    if (url.pathname === '/user') return { status: 200, body: { id: 5 } };
    if (
      !/^\/(?:repos\/shop\/web\/issues\/(?:7\/comments|comments\/\d+)|projects\/3\/merge_requests\/7\/notes(?:\/\d+)?)$/.test(
        url.pathname,
      )
    )
      return { status: 404, body: {} };
    if (method === 'GET') {
      const [size, page] = [Number(url.searchParams.get('per_page')), Number(url.searchParams.get('page'))];
      return { status: 200, body: this.comments.slice((page - 1) * size, page * size) };
    }
    const { body } = JSON.parse(content) as { readonly body: string };
    // As GitHub answers it.
    if (body.length > 65_536) return { status: 422, body: {} };
    const at = this.comments.findIndex(({ id }) => url.pathname.endsWith(`/${id}`));
    if (method === 'POST') this.comments.push({ id: 1000 + this.comments.length, body, ...this.#author });
    else this.comments[at] = { ...this.comments[at]!, body };
    return { status: method === 'POST' ? 201 : 200, body: {} };
  }
}

describe('The examples for CI', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);
  let forge: Forge | undefined;

  beforeEach(() => {
    mkdirSync(at('bin'));
    writeFileSync(at('bin/planner'), `#!/bin/sh\nexec '${process.execPath}' '${builtProgram()}' "$@"\n`);
    chmodSync(at('bin/planner'), 0o755);
    mkdirSync(at('origin.git'));
    git(at('origin.git'), 'init', '--quiet', '--bare', '--initial-branch=main');
    mkdirSync(at('author'));
    initRepository(at('author'));
    git(at('author'), 'remote', 'add', 'origin', at('origin.git'));
  });

  afterEach(() => {
    forge?.stop();
    forge = undefined;
  });

  function write(path: string, content: string): void {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  }

  function task(name: string, members: string): void {
    write(
      `author/.planner/projects/shop-abc123/tasks/${name}.md`,
      `---\nid: tsk_abc123${name.padEnd(10, '0')}\n${members}\n---\n`,
    );
  }

  function commit(message: string, ...refs: readonly string[]): void {
    git(at('author'), 'add', '--all');
    git(at('author'), 'commit', '--quiet', '--message', message);
    for (const ref of refs) git(at('author'), 'push', '--quiet', '--force', 'origin', `HEAD:${ref}`);
  }

  /** The base branch with the scripts and a plan, and a pull request that changes the plan. */
  function pullRequest(directory: string, head: string): void {
    for (const name of scripts) {
      mkdirSync(at(`author/${directory}`), { recursive: true });
      cpSync(example(name), at(`author/${directory}/${name}`));
    }
    write(
      'author/.planner/projects/shop-abc123/project.json',
      '{"id":"prj_abc1230000000000","name":"Shop","created_at":"2026-01-01T00:00:00.000Z","default_goal_id":"gol_abc123checkout00"}\n',
    );
    write(
      'author/.planner/projects/shop-abc123/goals/checkout.md',
      '---\nid: gol_abc123checkout00\nname: Checkout\n---\n',
    );
    task('pay', 'label: Take payments\nstatus: todo');
    commit('A plan', 'main');
    git(at('author'), 'switch', '--quiet', '--create', 'topic');
    task('pay', 'label: Take payments @everyone\nstatus: done');
    commit('Done', head);
  }

  interface Ran {
    readonly code: number;
    readonly output: string;
  }

  async function shell(line: string, directory: string, variables: Readonly<Record<string, string>>): Promise<Ran> {
    const env = {
      ...childEnvironment(),
      HOME: at('home'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH: [at('bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
      ...variables,
    };
    try {
      const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-e', '-c', line], { cwd: at(directory), env });
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as {
        readonly code: number;
        readonly stdout: string;
        readonly stderr: string;
      };
      return { code, output: stdout + stderr };
    }
  }

  /** Runs the steps of a job of the workflow with a shell, as GitHub does; the checkout is a clone that a test made. */
  async function runJob(name: string, directory: string, variables: Readonly<Record<string, string>>): Promise<Ran> {
    const { jobs } = parse(read('github.yml')) as { readonly jobs: Readonly<Record<string, Job>> };
    const contexts: Readonly<Record<string, string>> = {
      ...{ 'github.event.number': '7', 'github.token': 'secret' },
      'vars.PLANNER_REQUIRE_PROOFS': variables['PLANNER_REQUIRE_PROOFS'] ?? '',
    };
    const value = (text: string): string =>
      text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, context: string) => contexts[context]!);
    let output = '';
    for (const { run, env = {} } of jobs[name]!.steps) {
      // The tests have a build of this version.
      if (run === undefined || run.startsWith('npm install --global ')) continue;
      const own = Object.fromEntries(Object.entries(env).map(([key, text]) => [key, value(text)]));
      const ran = await shell(run, directory, { ...variables, ...own });
      output += ran.output;
      if (ran.code !== 0) return { code: ran.code, output };
    }
    return { code: 0, output };
  }

  const clone = (directory: string, branch: string): void =>
    void git(scratch.path, 'clone', '--quiet', '--branch', branch, at('origin.git'), at(directory));

  it('post one comment on GitHub, update it, and say when the plan is the same again [A.ci.comment]', async () => {
    pullRequest('.github/planner', 'refs/pull/7/head');
    clone('base', 'main');
    forge = new Forge({ user: { login: 'github-actions[bot]' } });
    const variables = { GITHUB_API_URL: await forge.start(), GITHUB_REPOSITORY: 'shop/web' };
    // Another author writes the marker: the comment is not theirs.
    const others = Array.from({ length: 100 }, (_, id) => ({
      id,
      body: '<!-- planner diff -->\nMine',
      user: { login: 'eve' },
    }));
    forge.comments.push(...others);
    expect(await runJob('comment', 'base', variables)).to.deep.equal({ code: 0, output: 'The comment is posted.\n' });
    const own = (): readonly Comment[] => forge!.comments.filter(({ user }) => user?.login !== 'eve');
    expect(own()).to.have.length(1);
    expect(own()[0]!.body)
      .to.include('### Plan: 1 task done')
      .and.include('- **Take payments &#64;&#8203;everyone** <code>todo → done</code>');
    task('more', 'label: One more');
    commit('More', 'refs/pull/7/head');
    expect((await runJob('comment', 'base', variables)).output).to.equal('The comment is updated.\n');
    expect(own()).to.have.length(1);
    expect(own()[0]!.body).to.include('1 task done, 1 added');
    git(at('author'), 'reset', '--quiet', '--hard', 'main');
    write('author/code.txt', 'No plan');
    commit('Code alone', 'refs/pull/7/head');
    expect((await runJob('comment', 'base', variables)).output).to.equal('The comment is updated.\n');
    expect(own()[0]!.body).to.include('no difference');
    expect(forge.comments.slice(0, 100)).to.deep.equal(others);
    forge.comments.length = 0;
    expect((await runJob('comment', 'base', variables)).output).to.include('there is no comment');
    expect(forge.comments).to.deep.equal([]);
    expect([...forge.secrets]).to.deep.equal(['Bearer secret']);
  });

  it('write no file of a pull request where the token is, and run nothing of it [A.ci.forks]', async () => {
    pullRequest('.github/planner', 'refs/pull/7/head');
    for (const name of scripts) write(`author/.github/planner/${name}`, '#!/bin/sh\ntouch "$HOME/ran"\n');
    write('author/.npmrc', 'registry=http://127.0.0.1:9/\n');
    write('author/evil.txt', 'x');
    commit('Evil', 'refs/pull/7/head');
    mkdirSync(at('home'), { recursive: true });
    clone('base', 'main');
    forge = new Forge({ user: { login: 'github-actions[bot]' } });
    const variables = { GITHUB_API_URL: await forge.start(), GITHUB_REPOSITORY: 'shop/web' };
    expect((await runJob('comment', 'base', variables)).output).to.equal('The comment is posted.\n');
    expect(['base/evil.txt', 'base/.npmrc', 'home/ran'].filter((path) => existsSync(at(path)))).to.deep.equal([]);
    expect(git(at('base'), 'status', '--short')).to.equal('');
  });

  it('give the token of GitHub to the job without code of the pull request alone, with the least permissions [A.ci.forks]', () => {
    const { on, permissions, jobs } = parse(read('github.yml')) as {
      readonly on: object;
      readonly permissions: object;
      readonly jobs: Readonly<Record<string, Job>>;
    };
    expect(Object.keys(on)).to.have.members(['pull_request', 'pull_request_target']);
    expect(permissions).to.deep.equal({});
    const { check, comment } = jobs as Readonly<Record<'check' | 'comment', Job>>;
    expect(Object.keys(jobs)).to.have.members(['check', 'comment']);
    expect(check.if).to.equal("github.event_name == 'pull_request'");
    expect(check.permissions).to.deep.equal({ contents: 'read' });
    expect(JSON.stringify(check)).not.to.match(/token|secrets/i);
    expect(comment.if).to.equal("github.event_name == 'pull_request_target'");
    expect(comment.permissions).to.deep.equal({ contents: 'read', 'pull-requests': 'write' });
    // The default ref is that of the base branch.
    const checkouts = comment.steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with)).to.deep.equal([{ 'fetch-depth': 0 }]);
    // A value of the event is no part of a shell's program.
    for (const { steps } of [check, comment]) for (const { run = '' } of steps) expect(run).not.to.include('${{');
  });

  it('fail on a plan with a problem and, if proofs are required, on a goal without one [A.ci.comment, A.ci.proofs]', async () => {
    pullRequest('.github/planner', 'main');
    clone('checkout', 'main');
    expect(await runJob('check', 'checkout', {})).to.include({ code: 0 });
    write(
      'author/.planner/projects/shop-abc123/goals/checkout.md',
      '---\nid: gol_abc123checkout00\nname: Checkout\nstatus: complete\nverification_surface:\n  kind: gate_command\n  command: npm test\n---\n',
    );
    commit('Complete without a proof', 'main');
    git(at('checkout'), 'pull', '--quiet');
    expect((await runJob('check', 'checkout', {})).output).to.match(/no proof .*Checkout[^]*does not fail the check/);
    expect(await runJob('check', 'checkout', { PLANNER_REQUIRE_PROOFS: '1' })).to.include({ code: 1 });
    write('author/.planner/projects/shop-abc123/tasks/pay.md', '<<<<<<< ours\n=======\n>>>>>>> theirs\n');
    commit('Conflict', 'main');
    rmSync(at('checkout'), { recursive: true });
    clone('checkout', 'main');
    const { code, output } = await runJob('check', 'checkout', {});
    expect(code).to.equal(1);
    expect(output).to.include('tasks/pay.md');
  });

  /** The job of GitLab in a clone of the source branch, as its script says. */
  async function runGitLab(variables: Readonly<Record<string, string>>): Promise<Ran> {
    const { plan } = parse(read('gitlab.yml')) as { readonly plan: { readonly script: readonly string[] } };
    const lines = plan.script.filter((line) => !line.startsWith('npm install --global '));
    return shell(lines.join('\n'), 'checkout', {
      CI_MERGE_REQUEST_DIFF_BASE_SHA: git(at('checkout'), 'merge-base', 'origin/main', 'HEAD').trim(),
      CI_COMMIT_SHA: git(at('checkout'), 'rev-parse', 'HEAD').trim(),
      ...variables,
    });
  }

  rarely('post one comment on GitLab, and update it [A.ci.comment]', async () => {
    pullRequest('.gitlab/planner', 'topic');
    clone('checkout', 'topic');
    forge = new Forge({ author: { id: 5 } });
    forge.comments.push({ id: 1, body: '<!-- planner diff -->\nMine', author: { id: 6 } });
    const variables = {
      CI_API_V4_URL: await forge.start(),
      ...{ CI_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '7', PLANNER_COMMENT_TOKEN: 'secret' },
    };
    const posted = await runGitLab(variables);
    expect(posted.output).to.include('The comment is posted.').and.include('No problems.');
    expect(posted.code).to.equal(0);
    expect((await runGitLab(variables)).output).to.include('The comment is updated.');
    expect(forge.comments).to.have.length(2);
    expect(forge.comments[1]!.body).to.include('### Plan: 1 task done');
    expect([...forge.secrets]).to.deep.equal(['secret']);
    const refused = await runGitLab({ ...variables, CI_MERGE_REQUEST_IID: '8' });
    expect(refused.code).to.equal(1);
    expect(refused.output).to.include('was answered with 404').and.not.include('secret');
  });

  rarely('print the comment where there is no token, as in a fork [A.ci.forks]', async () => {
    pullRequest('.gitlab/planner', 'topic');
    clone('checkout', 'topic');
    const { code, output } = await runGitLab({});
    expect(code).to.equal(0);
    expect(output).to.include('### Plan: 1 task done').and.include('printed and not posted');
  });
});
