import { sep } from 'node:path';
import { git } from './git.ts';

/** The program that runs now: what started it, so that git can. */
export interface RunningProgram {
  /** Absolute path of node. */
  readonly node: string;
  /** Absolute path of what node runs. */
  readonly main: string;
}

const nameKey = 'merge.planner.name';
const driverKey = 'merge.planner.driver';
const driverName = 'Planner: records merge field by field';

/**
 * Tells the repository that a directory lies in how to merge the files of a plan: two lines of its own configuration, which no other
 * clone has. Answers what was done, one line each; none where there is no repository or nothing to do. A driver of that name that is
 * none of ours stays.
 */
export async function registerMergeDriver(directory: string, program: RunningProgram): Promise<readonly string[]> {
  const inside = await git(directory, ['rev-parse', '--is-inside-work-tree']);
  if (inside.output !== 'true') return [];
  const driver = driverCommand(program);
  const [present, name] = await Promise.all(
    [driverKey, nameKey].map((key) => git(directory, ['config', '--local', key])),
  );
  if (present!.ok && !present!.output.includes(' merge-driver %O %A %B %P'))
    return [`git: ${driverKey} is a command of your own, and stays.`];
  const wanted = [
    ...(name!.ok ? [] : [[nameKey, driverName] as const]),
    ...(present!.output === driver ? [] : [[driverKey, driver] as const]),
  ];
  for (const [key, value] of wanted) {
    const { ok, output } = await git(directory, ['config', key, value]);
    if (!ok)
      return [`git: the merge driver could not be registered (${output}); plans merge as plain text until it is.`];
  }
  if (present!.output === driver) return [];
  return [
    present!.ok
      ? 'git: the merge driver starts this planner from now on'
      : "git: the merge driver is registered in this repository's configuration; plans merge field by field",
  ];
}

/**
 * The command line that git hands to its shell, in the top directory of the working tree. It names this node and this program by their
 * paths: quick, and the same for a planner in node_modules, a global one and one that npx keeps. Where those are gone (another version of
 * node, an emptied cache) the planner on the PATH does it, and else git itself, as for any text.
 */
function driverCommand({ node, main }: RunningProgram): string {
  const [quotedNode, quotedMain] = [quoted(node), quoted(main)];
  return [
    `if [ -x ${quotedNode} ] && [ -f ${quotedMain} ]; then ${quotedNode} ${quotedMain} merge-driver %O %A %B %P;`,
    'elif command -v planner >/dev/null 2>&1; then planner merge-driver %O %A %B %P;',
    'else git merge-file -L ours -L base -L theirs %A %O %B; fi',
  ].join(' ');
}

/** One word for the shell that git starts, which is Git's own on Windows. A percent sign would be git's. */
function quoted(path: string): string {
  return `'${path
    .replaceAll(sep, '/')
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('%', '%%')}'`;
}
