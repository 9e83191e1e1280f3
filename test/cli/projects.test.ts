import { expect } from 'chai';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner projects', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['init']);
  });

  const projects = (path = ''): string => join(shell.directory, '.planner/projects', path);
  const lines = async (): Promise<string[]> => (await shell.ok(['projects'])).trimEnd().split('\n');

  it('lists the projects, and directories that are not served with reason and remedy [A.project.listed, D11.either]', async () => {
    expect(await lines()).to.deep.equal([
      'There is no project yet: planner connect creates one and binds this repository to it.',
    ]);
    const { project } = await shell.json(['call', 'create_project', '{"name": "Shop"}']);
    expect(await lines()).to.deep.equal([`${project.id}  Shop`]);
    mkdirSync(projects('prints-a1b2c3/tasks'), { recursive: true });
    writeFileSync(projects('prints-a1b2c3/tasks/a.md'), 'Text\n');
    const [first, second, ...more] = await lines();
    expect([first, more]).to.deep.equal([`${project.id}  Shop`, []]);
    expect(second).to.match(
      /^Not served: \.planner\/projects\/prints-a1b2c3\/project\.json: no_project_file: The file is missing, .+\. \w.+\.$/,
    );
    const list = await shell.json(['projects']);
    expect(list.projects.map(({ id }: { id: string }) => id)).to.deep.equal([project.id]);
    expect(list.problems).to.have.length(1);
    const service = await TestService.start({ directory: shell.directory });
    try {
      expect(await shell.json(['projects'])).to.deep.equal(list);
    } finally {
      await service.stop();
    }
  });

  it('and every command name the directory instead of saying that there are no projects [A.project.none]', async () => {
    const { project } = await shell.json(['call', 'create_project', '{"name": "Shop"}']);
    rmSync(join(projects(readdirSync(projects())[0]), 'project.json'));
    rmSync(join(shell.directory, '.planner/local'), { recursive: true });
    for (const argv of [
      ['task', 'list'],
      ['task', 'list', '--project', project.id],
      ['next'],
      ['connect', '--client', 'claude'],
      ['export'],
    ]) {
      const { code, errors } = await shell.run(argv);
      expect(code, argv.join(' ')).not.to.equal(0);
      expect(errors, argv.join(' '))
        .to.match(/\.planner\/projects\/shop-\w{6}\/project\.json: no_project_file/)
        .and.not.match(/no project yet/);
    }
    expect(readdirSync(projects()), 'no project is made').to.have.length(1);
  });
});
