import { hostname } from 'node:os';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import { plainLine } from '../../base/printable.ts';
import type { Disk } from '../../store/index.ts';
import { packageName } from '../../base/version.ts';
import type { NewKey } from '../call/key.ts';
import type { CallPort } from '../service/planner-port.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import type { NamedProject } from '../call/project-choice.ts';
import type { CliTarget } from '../call/cli-target.ts';
import type { Undo } from '../terminal/undo.ts';
import { sharedClient } from './clients.ts';
import type { Client, Start } from './clients.ts';
import { readJsonc, setMember } from './edit-json.ts';
import { gitIgnores } from './git.ts';
import { guide, pointer } from './guide.ts';
import { editFile } from './owned-files.ts';
import type { FileEdit, FileReport } from './owned-files.ts';
import { markdownMarkers, withSection } from './section.ts';

export interface Binding {
  /** The directory that contains `.planner`. */
  readonly directory: string;
  /** A linked worktree whose agents use this root: the files of its clients are written as well. */
  readonly agents?: string | undefined;
  /** Chooses or creates the project; called when nothing else speaks against binding it. */
  readonly project: () => Promise<NamedProject>;
  /** Clients to configure in addition to `.mcp.json`. */
  readonly clients: readonly Client[];
}

/** The result of `planner connect`. */
export interface BindResult {
  readonly project: NamedProject;
  readonly files: readonly FileReport[];
  /** Steps that may remain for the user. */
  readonly hints: readonly string[];
}

const tokenPath = '.planner/token';

/**
 * Binds a repository to a project. Keeps the user's content in all files, and does not rewrite files that are up to
 * date. If git would commit the key, throws before any write. `undo` gets the reversal of each step.
 */
export async function bindRepository(
  deps: ProgramDeps,
  target: CliTarget,
  binding: Binding,
  undo: Undo,
): Promise<BindResult> {
  const { directory, agents } = binding;
  await requireIgnored(deps.disk, directory);
  const start = startOf(deps, directory);
  const file = (path: string, edit: (text: string) => string | undefined): FileEdit =>
    editFile({ disk: deps.disk, base: directory, path, shown: path }, edit);
  // The clients' files first: an error in one of them is detected before the project and the key are created.
  const entries = [...new Set([sharedClient, ...binding.clients])].map((client) =>
    configureClient(deps, directory, client, start.start),
  );
  const linked = agents === undefined ? [] : linkedEntries(deps, agents, binding);
  const project = await binding.project();
  const config = file('.planner/config.json', (text) => configWith(text, project.id, target));
  const guides = [
    file('.planner/AGENTS.md', (text) => withSection(text, guide(project), markdownMarkers)),
    file('AGENTS.md', (text) => withSection(text, pointer(project), markdownMarkers)),
  ];
  const token = await ensureToken(deps, target, directory, project, undo);
  const edits = [config, token, ...entries, ...guides, ...linked];
  for (const { write } of edits) undo.add(write());
  return { project, files: edits.map(({ report }) => report), hints: start.hints };
}

/** The entries of clients that read files of the directory in which they work. */
function linkedEntries(deps: ProgramDeps, directory: string, { clients }: Binding): readonly FileEdit[] {
  const { start } = startOf(deps, directory);
  return [...new Set([sharedClient, ...clients])]
    .filter(({ scope }) => scope === 'repository')
    .map((client) => configureClient(deps, directory, client, start))
    .map(({ report, write }) => ({ write, report: { ...report, path: join(directory, report.path) } }));
}

async function requireIgnored(disk: Disk, directory: string): Promise<void> {
  const ignored = await gitIgnores(disk, directory, tokenPath);
  if (ignored === 'ignored' || ignored === 'no_repository') return;
  throw new PlannerError(
    'conflict',
    ignored === 'tracked'
      ? `${tokenPath} is committed to git, so the key would be committed too. Remove it (git rm --cached ${tokenPath}), commit that, and run planner connect again.`
      : `Git does not ignore ${tokenPath} in ${directory} and would commit the key. git check-ignore -v ${tokenPath} shows the reason; .planner/.gitignore must have the line "token", and no other rule may negate it.`,
    { path: tokenPath },
  );
}

function configWith(text: string, project: string, { config: { server_url: server } }: CliTarget): string {
  const present = readJsonc(text, '.planner/config.json');
  let edited = text;
  if (present['project_id'] !== project) edited = setMember(edited, ['project_id'], project);
  if (server !== undefined && present['server_url'] !== server) edited = setMember(edited, ['server_url'], server);
  return edited;
}

/** Keeps an existing key if it is valid for exactly this project; else creates a new one. */
async function ensureToken(
  { disk }: ProgramDeps,
  { planner }: CliTarget,
  directory: string,
  project: NamedProject,
  undo: Undo,
): Promise<FileEdit> {
  const path = join(directory, tokenPath);
  const stat = disk.stat(path);
  if (stat !== undefined && stat.kind !== 'file')
    throw new PlannerError('conflict', `${path} is not a regular file: remove it and run planner connect again.`);
  const present = stat === undefined ? '' : disk.read(path).toString().trim();
  const seen = present === '' ? undefined : await planner.projectsSeenWith(present);
  const serves = seen?.length === 1 && seen[0] === project.id && present.startsWith('pln_agent_');
  const secret = serves ? present : await newKey(planner, directory, project, undo);
  return editFile({ disk, base: directory, path: tokenPath, shown: tokenPath, mode: 0o600 }, () => `${secret}\n`);
}

/** The name of the key that `connect` makes for a directory. */
export function keyName(directory: string): string {
  return plainLine(`${basename(directory)} on ${hostname()}`);
}

async function newKey(planner: CallPort, directory: string, { id }: NamedProject, undo: Undo): Promise<string> {
  const made = await planner.call('create_key', { kind: 'agent', project_id: id, name: keyName(directory) });
  const key = made['key'] as NewKey;
  undo.add(() => planner.call('revoke_key', { key_id: key.id }));
  return key.secret;
}

function configureClient(deps: ProgramDeps, directory: string, client: Client, start: Start): FileEdit {
  const { disk, homeDirectory } = deps;
  const path = client.path.join('/');
  const atHome = client.scope === 'home';
  const shown = atHome ? `~/${path}` : path;
  const meant = atHome ? startAnywhere(directory, start) : start;
  return editFile({ disk, base: atHome ? homeDirectory : directory, path, shown }, (text) =>
    client.edit(text, meant, shown),
  );
}

/**
 * Returns the command for a file of the home directory, which applies to no particular repository: it passes this
 * repository with --root. npx would start the program of the repository that the client is in, so the command names
 * this repository's program by path.
 */
function startAnywhere(directory: string, { command, args }: Start): Start {
  const name = process.platform === 'win32' ? 'planner.cmd' : 'planner';
  return command === 'npx'
    ? { command: join(directory, 'node_modules', '.bin', name), args: ['mcp', '--root', directory] }
    : { command, args: [...args, '--root', directory] };
}

/** The command with which clients start the bridge: by program name, so that a committed entry works on every machine. */
function startOf(
  { disk, environment, program }: ProgramDeps,
  directory: string,
): { readonly start: Start; readonly hints: readonly string[] } {
  if (hasOwnPlanner(disk, directory))
    return { start: { command: 'npx', args: ['--no-install', 'planner', 'mcp'] }, hints: [] };
  const start = { command: 'planner', args: ['mcp'] };
  const onPath = (environment().path ?? '').split(delimiter).some((place) => isAbsolute(place) && isProgram(place));
  const remedy =
    program.main === undefined
      ? `copy ${program.node} to a directory on it, under the name planner`
      : 'run npm install --global . in the directory of its clone, or npm install --global with its tarball';
  return {
    start,
    hints: onPath ? [] : [`planner is not on your PATH, so clients cannot start it yet: ${remedy}.`],
  };

  function isProgram(place: string): boolean {
    return ['planner', 'planner.cmd', 'planner.exe'].some((name) => disk.stat(join(place, name)) !== undefined);
  }
}

/**
 * Returns whether this package is among the packages of a directory: npm has an unrelated package named `planner`,
 * which starts by that name too.
 */
function hasOwnPlanner(disk: Disk, directory: string): boolean {
  const places = [directory, join(directory, 'node_modules', ...packageName.split('/'))];
  const isLinked = disk.stat(join(directory, 'node_modules', '.bin', 'planner')) !== undefined;
  return isLinked && places.some((place) => nameIn(disk.readIfExists(join(place, 'package.json'))) === packageName);
}

function nameIn(manifest: Buffer | undefined): unknown {
  try {
    return (JSON.parse(manifest?.toString() ?? '{}') as { readonly name?: unknown } | null)?.name;
  } catch {
    return undefined;
  }
}
