import { RootLayout, checkRootFiles, makeRoot } from '../../store/index.ts';
import { localSigner } from '../machine/local-ownership.ts';
import type { LocalOwnershipOptions } from '../machine/local-ownership.ts';

const files = {
  'config.json': 'the settings, to be committed',
  '.gitignore': "keeps this machine's own files and keys out of git",
  '.gitattributes': 'keeps git from converting line endings',
  projects: 'one directory per project',
} as const;

/** Creates a `.planner`, or its missing files; existing files are kept. Returns one line per change. `service`: the one that has the plan. */
export function makePlannerRoot(owner: LocalOwnershipOptions, root: string, service?: string): readonly string[] {
  const { disk } = owner;
  const layout = new RootLayout(root);
  const missing = Object.entries(files).filter(([name]) => disk.stat(`${root}/${name}`) === undefined);
  makeRoot(disk, layout, { signLocal: localSigner(owner, root) });
  const whatIn = (name: string, what: string): string =>
    name === 'projects' && service !== undefined ? `the plan itself is at ${service}` : what;
  const made = missing.map(([name, what]) => `${name}: created; ${whatIn(name, what)}`);
  const lines = checkRootFiles(disk, layout, new Set()).filter(({ problem }) =>
    problem.path.startsWith('.planner/.git'),
  );
  return [...made, ...lines.flatMap(({ repair }) => (repair === undefined ? [] : [repair()]))];
}
