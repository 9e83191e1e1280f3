import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemError } from '../../src/cli/terminal/system-errors.ts';
import type { Disk } from '../../src/store/index.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { BridgeWindow, closeWindows } from '../support/bridge.ts';
import { git, initRepository } from '../support/git.ts';
import { HostedService } from '../support/hosted-service.ts';
import { builtProgram } from '../support/build.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

/** The names of errors as the system has them, and its own sentences. */
const raw = /\bE[A-Z]{3,}\b|no such file|illegal operation|, (?:open|lstat|mkdir|rename|scandir) '|\n\s+at /;

describe('Messages of the command line [D11.messages]', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  const path = process.env['PATH'];
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
  });
  afterEach(() => void (process.env['PATH'] = path));

  /** The one refusal, which shows nothing raw. */
  const refusal = async (code: number, ...argv: readonly string[]): Promise<string> => {
    const errors = await shell.refused(code, argv);
    expect(errors).not.to.match(raw);
    return errors;
  };

  it('say which place is wrong and the remedy, not the code of the system', async () => {
    const file = join(scratch.path, 'file');
    writeFileSync(file, '');
    expect(await refusal(1, 'task', 'list', '--root', file))
      .to.include(`${file} is not a directory`)
      .and.include('name the directory that contains .planner');
    expect(await refusal(1, 'init', '--root', file)).to.include(`${file} is not a directory`);
    expect(await refusal(2, 'export', '-o', shell.directory)).to.include('is a directory: name a file');
    expect(await refusal(2, 'export', '-o', 'missing/x.json')).to.include('is not a directory: create it');
    expect(await refusal(1, 'import', '.')).to.include(shell.directory);
    expect(await refusal(1, 'serve', '--root', file, '--port', '0')).to.include('name the directory that contains');
    expect(await refusal(1, 'connect', '--root', file)).to.include(`${file} is not a directory: name one`);
    expect(await refusal(2, 'merge-driver', 'a', 'b', 'c', 'd')).to.include(`There is no ${shell.directory}/a`);
    if (existsSync('/dev/full')) {
      expect(await refusal(2, 'export', '-o', '/dev/full')).to.include('/dev/full is no file');
      expect(await refusal(1, 'import', '/dev/full')).to.include('planner import - reads standard input');
    }
    mkdirSync(join(shell.directory, 'plan.json'));
    expect(await refusal(1, 'call', 'list_tasks', '@plan.json')).to.include('plan.json is a directory');
    expect(await refusal(2, 'serve', '--host', '203.0.113.1', '--port', '0', '--hosted', '--base-url', 'https://x.org'))
      .to.include('203.0.113.1 is no address of this machine')
      .and.include('127.0.0.1');
  });

  it('of a process whose output or directory is gone describe the problem, without a trace', () => {
    const script = '"$1" "$2" --version; cd "$3" && rmdir "$3" && "$1" "$2" task list';
    const gone = join(scratch.path, 'gone');
    mkdirSync(gone);
    const { stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, builtProgram(), gone], {
      cwd: shell.directory,
      env: { ...process.env, HOME: shell.home },
      stdio: ['ignore', existsSync('/dev/full') ? openSync('/dev/full', 'w') : 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (existsSync('/dev/full'))
      expect(stderr).to.include('Standard output cannot be written: no space left on device.');
    expect(stderr).to.include('The working directory does not exist any more').and.not.match(raw);
  });

  it('translate every error of the system that has a place', () => {
    const missing = join(scratch.path, 'no/file');
    const others: Disk = {
      ...nodeDisk,
      stat: (at) => {
        if (at.startsWith('/theirs/')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
        return at === '/theirs' ? { ...nodeDisk.stat('/')!, uid: process.getuid!() + 1 } : nodeDisk.stat(at);
      },
    };
    const of = (code: string, more: object): string | undefined =>
      systemError(
        Object.assign(new Error(`${code}: raw, open '${missing}'`), { code, syscall: 'open', ...more }),
        others,
      )?.message;
    const codes =
      'EACCES EPERM ENOENT ENOTDIR EISDIR EEXIST ELOOP ENOSPC EDQUOT EROFS EIO EBUSY EMFILE ENAMETOOLONG EFBIG';
    for (const code of codes.split(' '))
      expect(of(code, { path: missing }), code)
        .to.include(scratch.path)
        .and.not.match(raw);
    expect(of('ENOENT', { path: missing })).to.include(`There is no ${join(scratch.path, 'no')}, which`);
    expect(of('EISDIR', { path: 'a.tmp', dest: scratch.path })).to.include(`${scratch.path} is a directory`);
    expect(of('EACCES', { path: '/theirs/.planner/local', syscall: 'scandir' })).to.include(
      '/theirs belongs to another user',
    );
    expect(of('EACCES', { path: join(scratch.path, '.planner'), syscall: 'mkdir' })).to.include('You may not write');
    expect(of('EACCES', { path: join(scratch.path, '.12-3.tmp') })).to.include(`not write ${scratch.path}`);
    expect(of('ENOENT', { path: join(scratch.path, '.12-3.tmp') })).to.include(`can be made in ${scratch.path}`);
    expect(of('ENOSPC', { syscall: 'write' })).to.include('no space');
    expect(of('ECONNREFUSED', { syscall: 'connect', address: '10.0.0.1', port: 5432 })).to.include('10.0.0.1:5432');
    expect(of('EBADF', { syscall: 'read' }), 'a defect').to.equal(undefined);
  });

  it('name the option whose value is wrong, and its form', async () => {
    expect(await refusal(2, 'task', 'add', 'Dig', '--due', 'someday')).to.include('--due must be a date: YYYY-MM-DD');
    await shell.ok(['task', 'add', 'Dig']);
    expect(await refusal(2, 'task', 'set', 'dig', '--goal', '')).to.include(
      '--goal is empty, and every task belongs to a goal',
    );
    expect(await refusal(1, 'task', 'list', '--goal', '')).to.include('A name is empty');
    expect(await refusal(1, 'next', '--goal', 'Genral')).to.include('Did you mean "General"?');
    const { code, errors } = await shell.run(['task', 'list'], { environment: { PLANNER_PORT: 'abc' } });
    expect([code, errors]).to.deep.equal([2, 'planner: PLANNER_PORT is "abc"; a port is a number from 0 to 65535.\n']);
  });

  it('show all violations of a call, one a line, the fields of its tool with --help, and names that are alike', async () => {
    const errors = (await refusal(1, 'call', 'create_edge', '{"from_id": "x"}')).trim().split('\n');
    expect(errors).to.deep.equal([
      'planner: from_type is missing. planner call create_edge --help shows its fields.',
      '  to_type is missing.',
      '  to_id is missing.',
    ]);
    const help = await shell.ok(['call', 'create_edge', '--help']);
    expect(help)
      .to.match(/^\* from_type +\(task, document, artifact, prototype\)$/m)
      .and.match(/^ {2}label +\(text\) depends_on: the to task precedes/m)
      .and.include('$ planner call create_edge \'{"from_type"');
    expect(
      Math.max(
        ...help
          .split('\n')
          .filter((line) => !line.includes('$'))
          .map(({ length }) => length),
      ),
    ).to.be.at.most(100);
    const { fields } = await shell.json(['call', 'complete_goal', '--help']);
    expect(fields).to.deep.include({ name: 'goal_id', type: 'text', required: true });
    expect(fields.map(({ name }: { name: string }) => name)).to.include('evidence.exit_code');
    expect(await refusal(2, 'call', 'creat_edge')).to.include('Did you mean "create_edge"');
    expect(await shell.ok(['call', '--help'])).to.include('Usage: planner call');
  });

  it('take names for both ends of an edge in a call, as for other ids', async () => {
    for (const label of ['Dig', 'Sow']) await shell.ok(['task', 'add', label]);
    const ends = { from_type: 'task', from_id: 'Dig', to_type: 'task', to_id: 'sow' };
    await shell.ok(['call', 'create_edge', JSON.stringify(ends)]);
    expect(await shell.ok(['task', 'list', '--blocked'])).to.include('Sow');
    expect(await refusal(1, 'call', 'create_edge', JSON.stringify({ ...ends, from_type: 'x' }))).to.include(
      'from_type must be',
    );
  });

  it('of events say which cursor to go on with', async () => {
    await shell.ok(['task', 'add', 'Dig']);
    expect(await refusal(2, 'events', '--since', 'xyz')).to.include('--since is "xyz", which is no cursor');
    expect(await refusal(1, 'events', '--types', 'task', '--exec', 'false'))
      .to.include('ended with 1 at task.created of Dig')
      .and.include('run it again without --since');
    const [first, second] = (await shell.json(['events'])).events;
    expect(await refusal(1, 'events', '--since', first.cursor, '--exec', 'false'))
      .to.include(`again with --since ${first.cursor}`)
      .and.include(`behind this event, with --since ${second.cursor}`);
  });

  it('of a project that is gone name the trash, and of a goal count one task as one', async () => {
    const kind = 'human_sign_off';
    const goal = { name: 'Beds', objective: 'Beds', verification_surface: { kind } };
    const goal_id = (await shell.json(['call', 'create_goal', JSON.stringify(goal)])).goal.id;
    await shell.ok(['task', 'add', 'Dig', '--goal', 'Beds']);
    const input = { goal_id, evidence: { kind, approved_by: 'me' } };
    expect(await refusal(1, 'call', 'complete_goal', JSON.stringify(input))).to.include('has 1 task that is not done');
    const [{ id }] = (await shell.json(['call', 'list_projects'])).projects;
    const service = await TestService.start({ directory: shell.directory });
    await service.rest.delete(`/projects/${id}`);
    await service.stop();
    expect(await refusal(1, 'task', 'list'))
      .to.include(`binds the project "${id}"`)
      .and.include('planner trash');
    expect((await shell.run(['doctor'])).output).to.include(`planner restore ${id}`);
  });

  it('say that git is missing, where git is needed', async () => {
    process.env['PATH'] = join(scratch.path, 'nothing');
    await shell.ok(['connect']);
    const inside = join(scratch.path, 'inside');
    mkdirSync(inside);
    process.env['PATH'] = path;
    initRepository(inside);
    await shell.ok(['init'], { cwd: inside });
    process.env['PATH'] = join(scratch.path, 'nothing');
    const { code, errors } = await shell.run(['connect'], { cwd: inside });
    expect([code, errors])
      .to.satisfy(([, text]: [number, string]) => /git is not installed/i.test(text))
      .and.not.match(raw);
    expect(await shell.ok(['worktree'], { cwd: inside })).to.include('unknown, since git is not installed');
    process.env['PATH'] = path;
    expect(git(inside, 'status', '--short')).to.include('.planner');
  });

  it('list the projects of a hosted service for planner pull', async () => {
    const hosted = await HostedService.start();
    try {
      for (const name of ['Garden', 'Shop']) await hosted.project(name);
      const { secret } = await hosted.key('owner', { name: 'me' });
      const environment = { PLANNER_URL: hosted.url, PLANNER_MCP_TOKEN: secret };
      const copy = ['pull', hosted.url, '--into', join(scratch.path, 'copy')];
      const { code, errors } = await shell.run(copy, { environment });
      expect([code, errors]).to.satisfy(([, text]: [number, string]) => /\(Garden\).*\(Shop\)/.test(text));
    } finally {
      await hosted.stop();
    }
  });

  it('of REST name the parameter of a query as it is called there', async () => {
    const service = await TestService.start();
    try {
      const { body } = await service.rest.get('/search');
      expect(body).to.include({ field: 'q', message: 'q is missing.' });
    } finally {
      await service.stop();
    }
  });

  it('to an MCP client whose key was revoked say where it is and how to replace it', async () => {
    const [key] = (await shell.json(['keys'])).keys;
    await shell.ok(['keys', 'revoke', key.id]);
    const options = shell.options();
    const opened = BridgeWindow.open({ cwd: shell.directory, environment: { ...options.environment } });
    const failure = await opened.then(
      () => expect.fail('It was not refused.'),
      (error: unknown) => (error as Error).message,
    );
    expect(failure)
      .to.include(join(shell.directory, '.planner/token'))
      .and.include('Run planner connect')
      .and.not.include('Authorization');
    await closeWindows();
  });
});
