import { RootLayout, checkRootFiles, makeRoot } from '../store/index.ts';
import { localSigner } from './local-ownership.ts';
import type { LocalOwnershipOptions } from './local-ownership.ts';

const files = {
  'config.json': 'the settings, for git',
  '.gitignore': "keeps this machine's own files and keys out of git",
  '.gitattributes': 'keeps git from converting line endings',
  projects: 'one directory a project',
} as const;

/** Makes a `.planner`, or what is missing of it; what a person wrote stays. Answers what was done, one line each. */
export function makePlannerRoot(owner: LocalOwnershipOptions, root: string): readonly string[] {
  const { disk } = owner;
  const layout = new RootLayout(root);
  const missing = Object.entries(files).filter(([name]) => disk.stat(`${root}/${name}`) === undefined);
  makeRoot(disk, layout, { signLocal: localSigner(owner, root) });
  const made = missing.map(([name, what]) => `${name}: made; ${what}`);
  const lines = checkRootFiles(disk, layout, new Set()).filter(({ problem }) =>
    problem.path.startsWith('.planner/.git'),
  );
  return [...made, ...lines.flatMap(({ mend }) => (mend === undefined ? [] : [mend()]))];
}
