import { expect } from 'chai';
import { globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';

const modules = join(repository, 'node_modules');
// 10 MB more than before the Agent Client Protocol, whose only library is 8.5 MB with its schemas.
const installedBytesMax = 460_000_000;
const developmentDependenciesMax = 35;

interface Manifest {
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as Manifest;

/** The bytes of all installed files; a file with several names counts once. */
function installedBytes(): number {
  const files = readdirSync(modules)
    // The scope of the workspaces has links to them.
    .filter((name) => !name.startsWith('.') && name !== '@planner-app')
    .flatMap((name) => readdirSync(join(modules, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => lstatSync(join(entry.parentPath, entry.name)));
  const sizes = new Map(files.map(({ ino, size }) => [ino, size]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

describe('The manifests of the repository', () => {
  const root = manifestOf('.');
  const workspaces = root.workspaces!;

  it('are one of the product, one of the page and one of the tests, with one lock file [A.manifests]', () => {
    const found = globSync('{src,test}/**/package{,-lock}.json', {
      cwd: repository,
      exclude: ['**/{fixtures,node_modules}/**'],
    });
    expect(found.sort()).to.deep.equal(workspaces.map((folder) => join(folder, 'package.json')));
    for (const folder of workspaces) expect(manifestOf(folder).private, folder).to.equal(true);
  });

  it('name each package once, and replace none by an empty one [A.manifests]', () => {
    const manifests = [root, ...workspaces.map(manifestOf)];
    const names = manifests.flatMap((one) => Object.keys({ ...one.dependencies, ...one.devDependencies }));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).to.deep.equal([]);
    expect(Object.keys(root.devDependencies!).length).to.be.within(1, developmentDependenciesMax);
    expect(Object.values(root.overrides ?? {}).filter((target) => target.includes('skip-dependency'))).to.deep.equal(
      [],
    );
  });

  it('install at most 460 MB [A.manifests]', () => {
    expect(installedBytes()).to.be.within(1e8, installedBytesMax);
  });
});
