import { dirname } from 'node:path';
import type { CliEnvironment } from '../service/cli-environment.ts';
import { noRoot } from '../service/no-root.ts';
import { rootIn } from '../service/root.ts';
import { findRoot, isBelow, mainOfLinked } from './shared-root.ts';
import { workingTreeAround } from './working-tree.ts';

/** How the command line chooses a root. */
export interface RootOptions {
  /** --root: the directory that contains `.planner`. */
  readonly root?: string;
  /** --own: the worktree's own files. */
  readonly own?: boolean;
  /** --database: the database of a service with several nodes, instead of files. */
  readonly database?: string;
}

/** The root of a command that does not create one. Rejects with `not_found` if there is no root. */
export async function commandRoot(cli: CliEnvironment, options: RootOptions): Promise<string> {
  const { disk, workingDirectory } = cli;
  const root = namedRoot(cli, options) ?? (await rootAround(cli, workingDirectory, options));
  if (root !== undefined && disk.stat(root)?.kind === 'directory') return root;
  throw noRoot(root === undefined ? `in ${workingDirectory} or above it` : `at ${root}`);
}

/** The root of a directory, and a note to the user if it is not above that directory. Undefined without a root. */
export async function rootAround(
  cli: CliEnvironment,
  directory: string,
  { own }: RootOptions = {},
): Promise<string | undefined> {
  const found = await findRoot(cli.disk, directory, { own });
  if (found !== undefined && !isBelow(cli.workingDirectory, dirname(found.root))) noteRoot(cli, found.root);
  return found?.root;
}

/**
 * The root of a command that creates one if necessary: in the main worktree if the command is called in a linked one,
 * which may be removed any time; else in the directory that `otherwise` returns.
 */
export async function rootToCreate(
  cli: CliEnvironment,
  options: RootOptions,
  otherwise: () => Promise<string> | string,
): Promise<string> {
  const root = namedRoot(cli, options) ?? (await rootAround(cli, cli.workingDirectory, options));
  return root ?? newRoot(cli, options, otherwise);
}

async function newRoot(
  cli: CliEnvironment,
  options: RootOptions,
  otherwise: () => Promise<string> | string,
): Promise<string> {
  const { disk, workingDirectory } = cli;
  const main = options.own === true ? undefined : await mainOfLinked(disk, workingDirectory);
  const made = rootIn(main?.directory ?? (await otherwise()), workingDirectory);
  if (main !== undefined) noteRoot(cli, made);
  return made;
}

/** The root of `planner init`: the working directory's, also below another root; in a linked worktree the shared one. */
export async function rootToInit(cli: CliEnvironment, options: RootOptions): Promise<string> {
  const { disk, workingDirectory } = cli;
  const here = rootIn('.', workingDirectory);
  const named = namedRoot(cli, options);
  if (named !== undefined || options.own === true) return named ?? here;
  const found = await findRoot(disk, workingDirectory);
  const tree = workingTreeAround(disk, workingDirectory);
  if (found?.source === 'own' || (tree !== undefined && isBelow(found?.root ?? '', tree.directory))) return here;
  if (found === undefined || found.source === 'nearest') return newRoot(cli, options, () => '.');
  return (await rootAround(cli, workingDirectory)) ?? here;
}

/** The root that --root or PLANNER_ROOT names. --own takes precedence over the variable. */
export function namedRoot(
  { environment, workingDirectory }: CliEnvironment,
  { root, own }: RootOptions,
): string | undefined {
  const named = root ?? (own === true ? undefined : environment().root);
  return named === undefined ? undefined : rootIn(named, workingDirectory);
}

/** The roots for which each run of the command line has printed the note. */
const noted = new WeakMap<CliEnvironment, Set<string>>();

/** Prints once that a command works on the files of another directory. */
function noteRoot(cli: CliEnvironment, root: string): void {
  const known = noted.get(cli) ?? new Set();
  noted.set(cli, known);
  if (known.has(root)) return;
  known.add(root);
  const notice = `works on ${root}, which the worktrees of this repository share (planner worktree shows more)`;
  cli.notice(cli.json === true ? JSON.stringify({ notice, root }) : `planner: ${notice}`);
}
