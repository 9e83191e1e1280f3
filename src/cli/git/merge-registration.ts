import { sep } from 'node:path';
import { git } from './git.ts';

/** The running program, for git to start it again. */
export interface RunningProgram {
  /** Absolute path of node, or of the single executable. */
  readonly node: string;
  /** Absolute path of the main module; the single executable has none. */
  readonly main?: string;
}

export const nameKey = 'merge.planner.name';
export const driverKey = 'merge.planner.driver';
/** These arguments identify a driver as this program's. */
export const driverArguments = ' merge-driver %O %A %B %P';
const driverName = 'Planner: records merge field by field';

/**
 * Registers the merge driver in the configuration of the repository around a directory; other clones register their
 * own. Returns one line per change; an empty list without a repository or without a change. A user's own driver of that
 * name is kept.
 */
export async function registerMergeDriver(directory: string, program: RunningProgram): Promise<readonly string[]> {
  const inside = await git(directory, ['rev-parse', '--is-inside-work-tree']);
  if (inside.output !== 'true') return [];
  const driver = driverCommand(program);
  const [present, name] = await Promise.all(
    [driverKey, nameKey].map((key) => git(directory, ['config', '--local', key])),
  );
  if (present!.ok && !present!.output.includes(driverArguments))
    return [`git: ${driverKey} is set to a command of your own, which is kept.`];
  const settings = [
    ...(name!.ok ? [] : [[nameKey, driverName] as const]),
    ...(present!.output === driver ? [] : [[driverKey, driver] as const]),
  ];
  for (const [key, value] of settings) {
    const { ok, output } = await git(directory, ['config', key, value]);
    if (!ok)
      return [`git: the merge driver could not be registered (${output}); until it is, plans merge as plain text.`];
  }
  if (present!.output === driver) return [];
  return [
    present!.ok
      ? 'git: the merge driver now starts this installation of planner'
      : "git: the merge driver is registered in this repository's configuration; plans merge field by field",
  ];
}

/**
 * Returns whether git expects the merge driver for the plan of a root although it is not registered: the repository was
 * cloned, and not connected.
 */
export async function lacksMergeDriver(root: string): Promise<boolean> {
  const { ok, output } = await git(root, ['check-attr', 'merge', '--', 'config.json']);
  if (!ok || !output.endsWith(': planner')) return false;
  // A driver for all repositories of a person counts, too. The exit code is 1 without a driver.
  return (await git(root, ['config', driverKey])).code === 1;
}

/**
 * The command that git passes to its shell in the top directory of the working tree. It names node and this program by absolute path, which
 * is fast and works for a planner in node_modules, a global one, one in npx's cache and a single executable. If those paths no longer exist
 * (another version of node, an emptied cache), it falls back to the planner on the PATH, unless that is one of the repository by a relative
 * entry, and then to git's own text merge.
 */
function driverCommand({ node, main }: RunningProgram): string {
  const conditions = [`[ -x ${quoted(node)} ]`, ...(main === undefined ? [] : [`[ -f ${quoted(main)} ]`])].join(' && ');
  const words = [node, ...(main === undefined ? [] : [main])].map(quoted).join(' ');
  return [
    `if ${conditions}; then ${words} merge-driver %O %A %B %P;`,
    'elif case "$(command -v planner)" in /*) ;; *) false ;; esac; then planner merge-driver %O %A %B %P;',
    'else git merge-file -L ours -L base -L theirs %A %O %B; fi',
  ].join(' ');
}

/** Quotes a word for git's shell (Git's own on Windows). Percent signs are escaped, since git expands them. */
function quoted(path: string): string {
  return `'${path
    .replaceAll(sep, '/')
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('%', '%%')}'`;
}
