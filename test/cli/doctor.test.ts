import { expect } from 'chai';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { type FoundProblem, Shell, shellTestMs } from './planner.ts';

describe('planner doctor', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(() => {
    shell = new Shell(scratch.path);
  });

  const root = (path = ''): string => join(shell.directory, '.planner', path);
  const projectDirectory = (): string => root(join('projects', readdirSync(root('projects')).sort()[0]!));
  const kinds = (problems: readonly FoundProblem[]): string[] => problems.map(({ kind }) => kind);

  const problems = (...more: readonly string[]): Promise<readonly FoundProblem[]> => shell.problems(...more);

  /** A plan of two tasks, the second after the first, and a document. */
  async function plan(): Promise<{ readonly first: string; readonly second: string }> {
    await shell.ok(['init']);
    const tasks = ['First', 'Second'].map((label) => ({ key: label, label }));
    const edges = [{ from: 'First', to: 'Second' }];
    const input = { name: 'Web shop', tasks, edges, documents: [{ title: 'Guide', body: 'See above.' }] };
    const { scaffold } = await shell.json(['call', 'scaffold_project_from_plan', JSON.stringify(input)]);
    return { first: scaffold.key_to_id.First, second: scaffold.key_to_id.Second };
  }

  const fileOf = (id: string, project = projectDirectory()): string => {
    const directory = join(project, 'tasks');
    return join(
      directory,
      readdirSync(directory).find((name) => name.includes(id))!,
    );
  };

  it('names every dangling reference, missing prerequisites included [D11.commands, D3.prerequisites]', async () => {
    const { first, second } = await plan();
    expect(await problems()).to.deep.equal([]);
    rmSync(fileOf(second));
    const found = await problems();
    expect(kinds(found)).to.deep.equal(['dangling_reference']);
    expect(found[0]!.path).to.include(first);
    expect(found[0]!.reason).to.include(second);
    // The problem does not block other commands.
    expect((await shell.json(['next'])).next.next_task.id).to.equal(first);
  });

  it('checks the settings, the configuration of git and the permissions of the token, and makes safe repairs', async () => {
    await plan();
    writeFileSync(root('.gitignore'), '# mine\nnotes.txt');
    writeFileSync(root('token'), 'pln_agent_x\n', { mode: 0o600 });
    chmodSync(root('token'), 0o644);
    writeFileSync(root('local/server.json'), JSON.stringify({ url: 'http://127.0.0.1:9', pid: 1 }));
    writeFileSync(
      root('config.json'),
      JSON.stringify({ format: 1, project_id: 'prj_gone', private: ['comments'], worktree: 'own' }),
    );
    rmSync(root('.gitattributes'));
    writeFileSync(root('.gitattributes'), '');
    const found = await problems();
    expect(found.find(({ kind }) => kind === 'ignored_value')?.reason).to.equal(
      'worktree is unknown; did you mean worktrees?',
    );
    expect(kinds(found).sort()).to.deep.equal([
      'ignored_value',
      'line_endings',
      'not_ignored',
      'open_token',
      'settings',
      'unknown_token',
    ]);
    const { code, output } = await shell.run(['doctor', '--fix']);
    expect(code).to.equal(1);
    expect(output.match(/^Repaired: /gm)).to.have.length(5);
    expect(kinds(await problems()).sort()).to.deep.equal(['ignored_value', 'settings', 'unknown_token']);
    expect(readFileSync(root('.gitignore'), 'utf8')).to.equal(
      '# mine\nnotes.txt\ntoken\nlocal/\nprojects/*/comments/\n',
    );
    expect(readFileSync(root('.gitattributes'), 'utf8')).to.match(/^\* -text\nconfig\.json merge=planner\n/);
    expect(statSync(root('token')).mode & 0o777).to.equal(0o600);
    expect(existsSync(root('local/server.json'))).to.equal(false);
  });

  it('notes variables of the environment that mean nothing, and proposes names', async () => {
    await shell.ok(['init']);
    const environment = { PLANNER_PROT: '4800', PLANNER_PORT: '4801' };
    const { code, output } = await shell.run(['doctor', '--json'], { environment });
    const noted = (JSON.parse(output).problems as readonly FoundProblem[]).filter(({ path }) =>
      path.startsWith('PLANNER_'),
    );
    expect(noted.map(({ path, reason }) => [path, reason])).to.deep.equal([
      ['PLANNER_PROT', 'it is no variable of Planner. Did you mean PLANNER_PORT?'],
    ]);
    expect(code).to.equal(0);
  });

  it('gives a copied project ids of its own, and keeps the copy as it was in the trash [A.edit.two-projects]', async () => {
    const { first } = await plan();
    await shell.ok(['task', 'set', first, '--label', 'First of all']);
    const original = projectDirectory();
    cpSync(original, `${original} copy`, { recursive: true });
    const text = readFileSync(fileOf(first, original), 'utf8');
    expect(kinds(await problems())).to.deep.equal(['duplicate_project']);
    const { mended } = await shell.json(['doctor', '--fix']);
    expect(mended).to.have.length(1);
    expect(existsSync(`${original} copy`)).to.equal(false);
    expect(readFileSync(fileOf(first, original), 'utf8')).to.equal(text);
    const { projects } = await shell.json(['call', 'list_projects']);
    expect(projects).to.have.length(2);
    const [a, b] = await Promise.all(
      projects.map(({ id }: { id: string }) => shell.json(['task', 'list', '--project', id])),
    );
    const labels = (list: { tasks: { label: string }[] }): string[] => list.tasks.map(({ label }) => label);
    expect(labels(a)).to.deep.equal(labels(b));
    const ids = [...a.tasks, ...b.tasks].map(({ id }: { id: string }) => id);
    expect(new Set(ids)).to.have.lengthOf(4);
    // The dependencies and the history came along.
    const copy = b.tasks.find(({ label }: { label: string }) => label === 'Second');
    expect(copy.waiting_on).to.deep.equal([
      b.tasks.find(({ label }: { label: string }) => label === 'First of all').id,
    ]);
    const target = { project_id: copy.project_id, target_type: 'task', target_id: copy.waiting_on[0] };
    expect((await shell.json(['call', 'list_revisions', JSON.stringify(target)])).revisions).to.have.length(1);
    expect(await problems()).to.deep.equal([]);
    expect(readdirSync(root('local/trash')).filter((name) => name.endsWith(' copy'))).to.have.length(1);
  });

  it('gives a copied file a record of its own', async () => {
    const { first } = await plan();
    const file = fileOf(first);
    cpSync(file, join(projectDirectory(), 'tasks/by hand.md'));
    cpSync(file, file.replace(/first\./, 'zebra.'));
    expect(kinds(await problems())).to.deep.equal(['duplicate_id', 'duplicate_id']);
    expect((await shell.json(['doctor', '--fix'])).mended).to.have.length(2);
    const { tasks } = await shell.json(['task', 'list']);
    expect(tasks).to.have.length(4);
    expect(new Set(tasks.map(({ id }: { id: string }) => id))).to.have.lengthOf(4);
    expect(readFileSync(join(projectDirectory(), 'tasks/by hand.md'), 'utf8')).not.to.match(/^id:/m);
    expect(existsSync(join(projectDirectory(), 'tasks/zebra.md'))).to.equal(true);
  });

  it('does the same under a running service, which reads the repaired files [D11.either]', async () => {
    const { first } = await plan();
    const service = await TestService.start({ directory: shell.directory });
    try {
      const original = projectDirectory();
      cpSync(original, `${original} copy`, { recursive: true });
      cpSync(fileOf(first), join(original, 'tasks/copy.md'));
      await service.store.rescan();
      expect(kinds(await problems())).to.have.members(['duplicate_project', 'duplicate_id']);
      expect(await problems('--fix')).to.deep.equal([]);
      expect((await service.rest.get('/projects')).body.projects).to.have.length(2);
      expect(await problems()).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });

  it('leaves unsafe repairs to the user, and repairs nothing during a git operation', async () => {
    const { first } = await plan();
    const file = fileOf(first);
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('label: First', '<<<<<<< a\nlabel: A\n=======\nlabel: B\n>>>>>>> b'),
    );
    const before = readFileSync(file, 'utf8');
    expect(kinds(await problems('--fix'))).to.deep.equal(['unreadable']);
    expect(readFileSync(file, 'utf8')).to.equal(before);
    initRepository(shell.directory);
    renameSync(root('.gitattributes'), root('.gitattributes.kept'));
    writeFileSync(root('.gitattributes'), '');
    writeFileSync(join(shell.directory, '.git/MERGE_HEAD'), '0'.repeat(40));
    expect(await shell.refused(1, ['doctor', '--fix'])).to.include('A git operation is in progress');
    // Two files with one id are two versions of a record then.
    cpSync(file, join(projectDirectory(), 'tasks/renamed.md'));
    const copy = (await problems()).find(({ kind }) => kind === 'duplicate_id');
    expect(copy?.remedy).to.include('planner resolve').and.not.include('--fix');
    expect(readFileSync(root('.gitattributes'), 'utf8')).to.equal('');
  });
});
