import { execFile, spawnSync } from 'node:child_process';
import { readGitEnvironment } from '../config.ts';

/**
 * The only place of the product that starts another program. Every call may happen inside a repository of somebody else's, whose settings
 * come with a clone (a directory shaped like a bare repository) or with an archive (`.git/config`): none of them may make git run a command.
 *
 * Two measures. Only plumbing commands are allowed, which run no text conversion, merge driver, editor or signing program whatever the
 * settings say, and no pager, since their output is no terminal. What these commands could still run is switched off by `hardened`,
 * `hardenedEnvironment` and `withoutFilters`.
 */
export type GitCommand =
  'cat-file' | 'check-ignore' | 'config' | 'ls-files' | 'merge-file' | 'rev-parse' | 'update-index';

export type GitArguments = readonly [GitCommand, ...string[]];

export interface GitResult {
  readonly ok: boolean;
  /** The exit status; node's error code if git could not be started; null if it was ended by a signal (a timeout). */
  readonly code: number | string | null;
  /** What it answered. */
  readonly bytes: Buffer;
  /** The same as text, without the white space around; what it wrote on its error output if it failed. */
  readonly output: string;
}

export interface GitOptions {
  /** What it reads. */
  readonly input?: string;
  /** It is ended after this time. Default 10 s. */
  readonly msMax?: number;
  /** The pathspecs carry magic of their own (`:(icase,literal)…`), which `--literal-pathspecs` would disable. */
  readonly magicPathspecs?: boolean;
  /**
   * Also ask a repository that belongs to another user. Only for reading: what such a repository says is needed to refuse what it tracks.
   */
  readonly anyOwner?: boolean;
}

/** Settings of the command line take precedence over those of the repository, whatever they include. */
const hardened: readonly string[] = [
  // ls-files and update-index start the program that this names.
  ...['-c', 'core.fsmonitor=false'],
  // A directory of a clone that is shaped like a bare repository is not taken for the repository.
  ...['-c', 'safe.bareRepository=explicit'],
  // update-index runs post-index-change.
  ...['-c', 'core.hooksPath=/dev/null'],
  // Should git ever come to a transport: none is allowed, and none of the programs that a repository may name is started for it.
  ...['-c', 'protocol.allow=never'],
  ...['-c', 'core.sshCommand=false'],
  ...['-c', 'core.gitProxy='],
  ...['-c', 'core.askPass='],
  ...['-c', 'credential.helper='],
];

/**
 * cat-file fetches a missing object from a promisor remote, by ssh or by what the remote names. `GIT_NO_LAZY_FETCH` prevents that; git before
 * 2.39.4 ignores it, and no transport is allowed either: the variable takes precedence over `protocol.<name>.allow` of a repository. Without a
 * transport git asks no proxy, no credential helper and nobody for a password.
 */
const hardenedEnvironment = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  // A `.planner` may be a mount inside a repository.
  GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
  // Messages decide between "there is no repository" and any other failure.
  LC_ALL: 'C',
} as const;

const answerBytesMax = 256 * 1024 * 1024;
const msMaxDefault = 10_000;

/** Runs git in a directory. Never throws: if git is missing, that is the result. */
export async function git(directory: string, args: GitArguments, options: GitOptions = {}): Promise<GitResult> {
  if (args[0] !== 'update-index') return run(directory, args, options, {});
  const filters = await run(directory, ['config', '-z', '--name-only', '--get-regexp', '^filter[.]'], {}, {});
  // 1: there are none.
  if (!filters.ok && filters.code !== 1) return filters;
  return run(directory, args, options, withoutFilters(namesIn(filters.bytes)));
}

/**
 * Switches the filters of a repository off. Whoever writes the index compares files that are as young as it with their content, and runs the
 * clean filter for that; no setting switches all of them off. Given as variables because a name may hold an equals sign, which ends it in `-c`.
 */
function withoutFilters(keys: readonly string[]): NodeJS.ProcessEnv {
  const names = new Set(keys.map((key) => key.slice(0, key.lastIndexOf('.'))));
  const settings = [...names].flatMap((name) => [
    ...['clean', 'process'].map((member) => [`${name}.${member}`, ''] as const),
    [`${name}.required`, 'false'] as const,
  ]);
  const numbered = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...(Object.fromEntries(numbered) as NodeJS.ProcessEnv) };
}

function run(
  directory: string,
  args: GitArguments,
  options: GitOptions,
  variables: NodeJS.ProcessEnv,
): Promise<GitResult> {
  const { input = '', msMax = msMaxDefault } = options;
  return new Promise((resolve) => {
    const settings = { ...processOptions(directory, msMax, variables), encoding: null } as const;
    const child = execFile('git', allArguments(args, options), settings, (error, bytes, errors) => {
      const text = error === null ? bytes.toString() : errors.toString() || error.message;
      resolve({ ok: error === null, code: error === null ? 0 : (error.code ?? null), bytes, output: text.trim() });
    });
    // If git ends before it has read all, its exit status says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** The same for the merge driver, which has nothing else to do meanwhile. Throws if git could not be started or did not end in time. */
export function gitStatus(directory: string, args: GitArguments): number | null {
  const { status, error } = spawnSync('git', allArguments(args, {}), processOptions(directory, msMaxDefault, {}));
  if (error !== undefined) throw error;
  return status;
}

function allArguments(args: GitArguments, { magicPathspecs = false, anyOwner = false }: GitOptions): readonly string[] {
  // The only one of these commands that takes patterns: a name like `[ab]` must not stand for other files.
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
  return { cwd: directory, env, timeout: msMax, windowsHide: true, maxBuffer: answerBytesMax };
}

interface ProcessOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeout: number;
  readonly windowsHide: boolean;
  readonly maxBuffer: number;
}

/** Whether git said for certain that a directory is in no repository. Any other failure says nothing. */
export function isOutsideRepository({ code, output }: GitResult): boolean {
  return code === 128 && /^fatal: not a git repository \(or any/m.test(output);
}

/** The names in an answer of `-z`. */
export function namesIn(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\0')
    .filter((name) => name !== '');
}
