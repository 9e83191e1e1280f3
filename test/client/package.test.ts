import { expect } from 'chai';
import { isBuiltin } from 'node:module';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

const run = promisify(execFile);
const compiler = join(repository, 'node_modules/typescript-native/bin/tsc');

/** A program of a user who installed the package. */
const program = `import { PlannerClient, PlannerError, type Task, type ToolTypes } from '<name>/client';

const client = await PlannerClient.connect();
const { project } = await client.call('create_project', { name: 'Installed' });
const made: ToolTypes['create_task']['answer'] = await client.call('create_task', { project_id: project.id, label: 'Typed' });
const task: Task = made.task;
// @ts-expect-error: a task has a label.
await client.call('create_task', { project_id: project.id }).catch((error: unknown) => {
  if (error instanceof PlannerError) console.log(error.code, error.field);
});
// @ts-expect-error: there is no such tool.
await client.call('delete_task', {}).catch(() => undefined);
console.log(task.label);
await client.close();
`;

describe('The package', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    readonly files: readonly string[];
    readonly scripts: Readonly<Record<string, string>>;
    readonly dependencies: Readonly<Record<string, string>>;
    readonly homepage: string;
    readonly bugs: string;
    readonly repository: Readonly<Record<string, string>>;
  };

  it('exports the client with its types, and package.json [D11.client]', () => {
    expect(manifest.exports['./package.json']).to.equal('./package.json');
    const targets = Object.entries(manifest.exports['./client'] as Readonly<Record<string, string>>);
    expect(targets.map(([condition]) => condition)).to.deep.equal(['types', 'default']);
    for (const [, target] of targets) {
      expect(target).to.match(/^\.\/dist\/client\/index\.(d\.ts|js)$/);
      expect(existsSync(join(repository, target.replace('dist', 'src').replace(/(\.d)?\.(ts|js)$/, '.ts')))).to.equal(
        true,
      );
    }
    expect(manifest.files).to.include('dist');
  });

  rarely('contains in its build everything that it imports, and no script of the repository [D11.client]', () => {
    const built = globSync('**/*.js', { cwd: join(repository, 'dist'), exclude: ['web/**', 'swagger-ui/**'] });
    const foreign = built.flatMap((path) => {
      const text = readFileSync(join(repository, 'dist', path), 'utf8');
      return ts
        .preProcessFile(text, true, false)
        .importedFiles.map(({ fileName }) => fileName)
        .filter((name) => !name.startsWith('.') && !isBuiltin(name))
        .map((name) => `${path}: ${name}`);
    });
    expect(built).to.include.members(['main.js', 'client/index.js']);
    expect(foreign).to.deep.equal([]);
    const licenses = readFileSync(join(repository, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const named = Object.keys(manifest.dependencies).filter((name) => licenses.includes(`\n${name} `));
    expect(named.length).to.be.greaterThan(20);
    // The page, its threads, its fonts and its icons.
    for (const name of ['react', '@dagrejs/dagre', '@fontsource-variable/inter', '@iconify-json/lucide'])
      expect(licenses).to.match(new RegExp(`^${name} \\S+\\n\\n(?:.+\\n\\n)?Copyright `, 'm'));
    const home = `https://github.com/${manifest.name.slice(1)}`;
    expect(manifest.name).to.match(/^@[a-z-]+\/[a-z-]+$/);
    expect([manifest.homepage, manifest.bugs, manifest.repository['url']]).to.deep.equal([
      `${home}#readme`,
      `${home}/issues`,
      `git+${home}.git`,
    ]);
  });

  it('serves a program that imports it by name, typed and without another package [D11.client, S.auth.2]', async () => {
    const installed = join(scratch.path, 'node_modules', manifest.name);
    mkdirSync(installed, { recursive: true });
    cpSync(join(repository, 'package.json'), join(installed, 'package.json'));
    const isOfThePage = /[\\/]dist[\\/](?:web|swagger-ui)$/;
    cpSync(join(repository, 'dist'), join(installed, 'dist'), {
      recursive: true,
      filter: (path) => !isOfThePage.test(path),
    });
    mkdirSync(join(scratch.path, 'node_modules/@types'));
    for (const name of ['node', 'undici-types']) {
      const from = [join(repository, 'node_modules/@types', name), join(repository, 'node_modules', name)].find(
        existsSync,
      )!;
      symlinkSync(from, join(scratch.path, 'node_modules', name === 'node' ? '@types/node' : name));
    }
    writeFileSync(join(scratch.path, 'package.json'), '{"type": "module"}');
    writeFileSync(join(scratch.path, 'program.ts'), program.replace('<name>', manifest.name));
    const checks = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      'program.ts',
    ];
    await run(process.execPath, [compiler, ...checks], { cwd: scratch.path }).catch((error: unknown) =>
      expect.fail((error as { stdout: string }).stdout),
    );
    const service = await TestService.start();
    try {
      const environment = { ...process.env, PLANNER_URL: service.url };
      const { stdout } = await run(process.execPath, ['program.ts'], { cwd: scratch.path, env: environment });
      expect(stdout).to.equal('invalid_argument label\nTyped\n');
    } finally {
      await service.stop();
    }
  });
});
