import { readGitEnvironment } from '../../base/config.ts';
import { conflict } from '../../base/errors.ts';
import { execProgram, execProgramSync } from '../../platform/programs.ts';
import { meaningOf } from '../terminal/system-errors.ts';

/**
 * The only code of the product that starts git. Any call may run in an untrusted repository, whose settings come with a clone (a directory
 * shaped like a bare repository) or an archive (`.git/config`). No setting may make git run a command.
 *
 * Two measures: only plumbing commands and `worktree` are allowed, which run no text conversion, merge driver, editor, signing program or
 * pager, whatever the settings are. Programs that these commands could still run are disabled by `hardened`, `hardenedEnvironment`, `filters` and `mergeDrivers`.
 */
export type GitCommand =
  | 'cat-file'
  | 'check-attr'
  | 'check-ignore'
  | 'commit-tree'
  | 'config'
  | 'diff-index'
  | 'diff-tree'
  | 'hash-object'
  | 'ls-files'
  | 'ls-tree'
  | 'merge-base'
  | 'merge-file'
  | 'merge-tree'
  | 'read-tree'
  | 'rev-list'
  | 'rev-parse'
  | 'update-index'
  | 'update-ref'
  | 'worktree'
  | 'write-tree';

export type GitArguments = readonly [GitCommand, ...string[]];

export interface GitResult {
  readonly ok: boolean;
  /** The exit status; node's error code if git could not be started; null if it was ended by a signal (a timeout). */
  readonly code: number | string | null;
  /** Standard output. */
  readonly bytes: Buffer;
  /** Standard output as trimmed text; if git failed, standard error. */
  readonly output: string;
}

export interface GitOptions {
  /** Standard input. */
  readonly input?: string;
  /** Timeout, after which git is killed. Default 10 s. */
  readonly msMax?: number;
  /** The pathspecs use magic (`:(icase,literal)…`), which `--literal-pathspecs` would disable. */
  readonly magicPathspecs?: boolean;
  /** An index in place of the repository's, absolute. */
  readonly index?: string;
  /** Accept a repository of another user. For reads only, to reject files that such a repository tracks. */
  readonly anyOwner?: boolean;
}

/** Settings on the command line take precedence over all settings of the repository. */
const hardened: readonly string[] = [
  // ls-files and update-index run this program.
  ...['-c', 'core.fsmonitor=false'],
  // Ignore directories of a clone that are shaped like a bare repository.
  ...['-c', 'safe.bareRepository=explicit'],
  // update-index runs the hook post-index-change, worktree add the hook post-checkout.
  ...['-c', 'core.hooksPath=/dev/null'],
  // merge-tree would run the filters of files.
  ...['-c', 'merge.renormalize=false'],
  // Allow no transport, and disable the programs that a repository can configure for one.
  ...['-c', 'protocol.allow=never'],
  ...['-c', 'core.sshCommand=false'],
  ...['-c', 'core.gitProxy='],
  ...['-c', 'core.askPass='],
  ...['-c', 'credential.helper='],
];

/**
 * cat-file fetches a missing object from a promisor remote, by ssh or a command that the remote names. `GIT_NO_LAZY_FETCH` prevents this. Git
 * before 2.39.4 ignores it, so `GIT_ALLOW_PROTOCOL` also forbids every transport; it takes precedence over `protocol.<name>.allow` of a
 * repository. Without a transport git runs no proxy command or credential helper and prompts for no password.
 */
const hardenedEnvironment = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  // A `.planner` may be a mount inside a repository.
  GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
  // `isOutsideRepository` parses messages.
  LC_ALL: 'C',
} as const;

/** The text of a result without git. */
const notInstalled = 'git is not installed, or not in an absolute directory of PATH';

const answerBytesMax = 256 * 1024 * 1024;
const msMaxDefault = 10_000;

/** Runs git in a directory. Never rejects: a missing git is reported in the result. */
export async function git(directory: string, args: GitArguments, options: GitOptions = {}): Promise<GitResult> {
  const programs = args[0] === 'merge-tree' ? mergeDrivers : filtersContent(args) ? filters : undefined;
  if (programs === undefined) return run(directory, args, options, {});
  const configured = await run(directory, ['config', '-z', '--name-only', '--get-regexp', programs.settings], {}, {});
  // Exit status 1: no such settings.
  if (!configured.ok && configured.code !== 1) return configured;
  const names = new Set(namesIn(configured.bytes).map((key) => key.slice(0, key.lastIndexOf('.'))));
  return run(directory, args, options, numbered([...names].flatMap(programs.without)));
}

/** Runs git in a directory. Rejects with `conflict` if it fails. */
export async function requireGit(
  directory: string,
  args: GitArguments,
  options?: GitOptions,
): Promise<Pick<GitResult, 'bytes' | 'output'>> {
  const result = await git(directory, args, options);
  if (!result.ok) throw conflict(`git ${args[0]} failed in ${directory}: ${result.output}`);
  return result;
}

/** Programs that a repository names, and the settings without them. Passed as variables because a name may contain an equals sign, which ends it in `-c`. */
interface NamedPrograms {
  readonly settings: string;
  readonly without: (name: string) => readonly (readonly [key: string, value: string])[];
}

/**
 * Files that are as recent as the index are compared by content, which runs their clean filter, and a checkout runs their smudge filter; no
 * single setting disables all filters.
 */
const filters: NamedPrograms = {
  settings: '^filter[.]',
  without: (name) => [
    ...['clean', 'smudge', 'process'].map((member) => [`${name}.${member}`, ''] as const),
    [`${name}.required`, 'false'],
  ],
};

/** A merge with a driver that fails has a conflict: without a command git would take one side. */
const mergeDrivers: NamedPrograms = {
  settings: '^merge[.].*[.]driver$',
  without: (name) => [[`${name}.driver`, 'false']],
};

/** The commands that may compare files with the index by content, or write them. */
const filtering: ReadonlySet<GitCommand> = new Set([
  ...(['diff-index', 'read-tree', 'update-index', 'worktree', 'write-tree'] as const),
]);

function filtersContent([command, ...args]: GitArguments): boolean {
  return filtering.has(command) || args.includes('--modified');
}

function numbered(settings: readonly (readonly [string, string])[]): NodeJS.ProcessEnv {
  const variables = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...(Object.fromEntries(variables) as NodeJS.ProcessEnv) };
}

async function run(
  directory: string,
  args: GitArguments,
  options: GitOptions,
  variables: NodeJS.ProcessEnv,
): Promise<GitResult> {
  const { input = '', msMax = msMaxDefault, index } = options;
  const all = index === undefined ? variables : { ...variables, GIT_INDEX_FILE: index };
  const settings = { ...processOptions(directory, msMax, all), input };
  const { error, stdout: bytes, stderr } = await execProgram('git', allArguments(args, options), settings);
  const why =
    error?.code === 'ENOENT' ? notInstalled : typeof error?.code === 'string' ? notStarted(error.code) : error?.message;
  const text = error === null ? bytes.toString() : stderr.toString() || why!;
  return { ok: error === null, code: error === null ? 0 : (error.code ?? null), bytes, output: text.trim() };
}

function notStarted(code: string): string {
  return `git cannot be started (${meaningOf(code)})`;
}

/** Runs git synchronously, for the merge driver. Throws if git could not be started or exceeded the timeout. */
export function gitStatus(directory: string, args: GitArguments): number | null {
  const options = processOptions(directory, msMaxDefault, {});
  const { status, error } = execProgramSync('git', allArguments(args, {}), options);
  if (error !== undefined) throw error;
  return status;
}

function allArguments(args: GitArguments, { magicPathspecs = false, anyOwner = false }: GitOptions): readonly string[] {
  // Only ls-files takes patterns: a file name like `[ab]` must not match other files.
  const isLiteral = args[0] === 'ls-files' && !magicPathspecs;
  return [
    ...hardened,
    ...(anyOwner ? ['-c', 'safe.directory=*'] : []),
    ...(isLiteral ? ['--literal-pathspecs'] : []),
    ...args,
  ];
}

function processOptions(directory: string, msMax: number, variables: NodeJS.ProcessEnv): ProcessOptions {
  const env = { ...readGitEnvironment(), ...hardenedEnvironment, ...variables };
  return { cwd: directory, env, timeout: msMax, maxBuffer: answerBytesMax };
}

interface ProcessOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeout: number;
  readonly maxBuffer: number;
}

/** Returns whether git reported that a directory is in no repository. Any other failure is inconclusive. */
export function isOutsideRepository({ code, output }: GitResult): boolean {
  return code === 128 && /^fatal: not a git repository \(or any/m.test(output);
}

/** The names in `-z` output. */
export function namesIn(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\0')
    .filter((name) => name !== '');
}
