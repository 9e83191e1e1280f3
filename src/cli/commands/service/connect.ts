import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { meantBy } from '../../../base/named.ts';
import { PlannerError } from '../../../base/errors.ts';
import { plainLine } from '../../../base/printable.ts';
import { addCommand, collect, usageError } from '../../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../../call/command-line.ts';
import { confirmService } from '../../service/confirmed-services.ts';
import type { BindResult } from '../../connect/bind.ts';
import { clientNames } from '../../connect/client-names.ts';
import type { ClientName } from '../../connect/client-names.ts';
import { workingTree } from '../../connect/git.ts';
import { serviceUrl } from '../../machine/saved-keys.ts';
import { makePlannerRoot } from '../../call/make-root.ts';
import { registerMergeDriver } from '../../git/merge-registration.ts';
import type { CallPort } from '../../service/planner-port.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { listed, projectsOf, severalProjects, unservedOf } from '../../call/project-choice.ts';
import type { NamedProject, ProjectList } from '../../call/project-choice.ts';
import { RemotePlanner } from '../../service/remote-planner.ts';
import { readRootConfig } from '../../service/root.ts';
import { checkingResponsesOf, ServiceClient } from '../../service/service-client.ts';
import { serviceByUrl, withTarget } from '../../call/cli-target.ts';
import { rootToCreate } from '../../worktrees/command-root.ts';
import { nameSharedRoot } from '../../worktrees/root-setting.ts';
import { isBelow } from '../../worktrees/shared-root.ts';
import { isDetached, workingTreeAround } from '../../worktrees/working-tree.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { Undo } from '../../terminal/undo.ts';

interface ConnectOptions extends CommonOptions {
  readonly project?: string;
  readonly create?: boolean;
  readonly client?: readonly string[];
  readonly url?: string;
}

/** `connect`: binds a repository to a project, for agents. */
export function addConnectCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'connect',
      isChange: true,
      description:
        'bind this repository to a project: config.json, an agent key in .planner/token, MCP entries and a guide for agents; a repeated run updates only outdated parts',
      examples: [
        'connect',
        'connect --project "Web shop"',
        'connect --project "Web shop" --create --client cursor --client codex',
        'connect --url https://plan.example.org --project prj_4n0c2m8w1x7k9q3f',
      ],
      options: (command) =>
        command
          .option(
            '--project <id or name>',
            'the project (default: the bound one, else the only one, else a new one named after the directory)',
          )
          .option('--create', 'create a project of that name if there is none')
          .option(
            '--client <name>',
            `also configure this client: ${clientNames.join(', ')}; repeat for several`,
            collect,
          )
          .option('--url <url>', 'a remote service that you have logged in to (default: the files here)'),
    },
    (_, options: ConnectOptions, out) => connect(deps, options, out),
  );
}

async function connect(deps: ProgramDeps, options: ConnectOptions, out: CommandOutput): Promise<void> {
  const named = (options.client ?? []).map(clientOf);
  const [{ bindRepository }, { clientNamed }] = await Promise.all([
    import('../../connect/bind.ts'),
    import('../../connect/clients.ts'),
  ]);
  const clients = named.map(clientNamed);
  const directory = dirname(await rootOf(deps, options));
  refuseSharedDirectories(deps, directory);
  const agents = linkedDirectory(deps, directory);
  await withConnectTarget(deps, directory, options, async (target, made) => {
    const undo = new Undo();
    let chosen: ChosenProject | undefined;
    const project = async (): Promise<NamedProject> =>
      (chosen = await projectToBind(target, options, directory, undo)).project;
    try {
      const bound = await bindRepository(deps, target, { directory, agents, project, clients }, undo);
      const done = [...made, ...(chosen?.done ?? []), ...(await configureGit(deps, directory, options))];
      const isNew = chosen !== undefined && chosen.done.length > 0;
      const hints = [...bound.hints, ...(await hintsFor(deps, target, directory, bound, isNew))];
      printResult(out, directory, done, { ...bound, hints });
    } catch (thrown) {
      await undo.run();
      throw thrown;
    }
  });
}

/** Further steps that a person may want. Plans of other tools are only named if the project is empty. */
async function hintsFor(
  { disk }: ProgramDeps,
  { url }: CliTarget,
  directory: string,
  { project }: BindResult,
  isNew: boolean,
): Promise<readonly string[]> {
  const { gitHints, plansIn } = await import('../../connect/next-steps.ts');
  const plans = isNew ? await plansIn(disk, directory) : [];
  return [
    ...(url === undefined ? await gitHints(disk, directory) : []),
    ...plans.map(
      (plan) => `planner import ${plan} --into ${JSON.stringify(project.name)} brings ${plan} into the plan.`,
    ),
  ];
}

function clientOf(given: string): ClientName {
  const name = clientNames.find((one) => one === given);
  if (name !== undefined) return name;
  throw usageError('--client', `--client is ${JSON.stringify(given)}; it must be one of ${clientNames.join(', ')}.`);
}

/**
 * The root, in this order: the given one, the one that the worktrees of the repository share, the nearest upwards, a new one at the repository's
 * top or in the working directory.
 */
function rootOf(deps: ProgramDeps, options: ConnectOptions): Promise<string> {
  const { workingDirectory } = deps;
  return rootToCreate(deps, options, async () => (await workingTree(workingDirectory)) ?? workingDirectory);
}

/** The linked worktree that the command is called in, if its root is elsewhere: its agents need their own entries. */
function linkedDirectory({ disk, workingDirectory }: ProgramDeps, directory: string): string | undefined {
  const tree = workingTreeAround(disk, workingDirectory);
  if (tree === undefined || isDetached(tree) || !tree.isLinked) return undefined;
  return isBelow(directory, tree.directory) ? undefined : tree.directory;
}

/** Throws for the home and the root directory: a key there would apply to all directories below. */
function refuseSharedDirectories({ homeDirectory, disk }: ProgramDeps, directory: string): void {
  // With a trailing dot, a home directory that is a symbolic link is resolved.
  const [here, home] = [disk.stat(`${directory}/.`), disk.stat(`${homeDirectory}/.`)];
  const isHome = directory === homeDirectory || (here !== undefined && here.ino === home?.ino && here.dev === home.dev);
  if (!isHome && dirname(directory) !== directory) return;
  throw new PlannerError(
    'conflict',
    `${directory} is ${isHome ? 'your home directory' : 'the root directory'}: a key there would apply to everything below it. Run planner connect in a repository, or set --root to one.`,
  );
}

/**
 * Opens the service of `--url`, else the root itself, which is created if it does not exist. A root that was created is removed if the command
 * fails.
 */
async function withConnectTarget(
  deps: ProgramDeps,
  directory: string,
  { url, own }: ConnectOptions,
  use: (target: CliTarget, made: readonly string[]) => Promise<void>,
): Promise<void> {
  const root = join(directory, '.planner');
  const meant = url ?? deps.environment().url;
  const address = meant === undefined ? undefined : await serviceByUrl(deps, serviceUrl(meant).href);
  if (address !== undefined && address.authorization === undefined)
    throw new PlannerError('unauthorized', `You have not logged in to ${address.url}: planner login ${address.url}`);
  const isNew = deps.disk.stat(root) === undefined;
  try {
    const made = makePlannerRoot(deps, root, address?.url).map(
      (what) => `.planner/${what.replace(/^\.planner\//, '')}`,
    );
    if (address === undefined)
      return await withTarget(deps, { root: directory, ...(own === undefined ? {} : { own }) }, (target) =>
        use(target, made),
      );
    const config = { ...(await readRootConfig(root, deps.disk)), server_url: address.url };
    const target = { planner: new RemotePlanner(new ServiceClient(address)), root, config, url: address.url };
    await checkingResponsesOf(address.url, () => use(target, made));
    await confirmService(deps, root, address.url);
  } catch (thrown) {
    if (isNew) deps.disk.removeTree(root);
    throw thrown;
  }
}

/** Git's own configuration last: it is changed only for a repository that is bound. */
async function configureGit(deps: ProgramDeps, directory: string, { own }: ConnectOptions): Promise<readonly string[]> {
  return [
    ...(await registerMergeDriver(directory, deps.program)),
    ...(own === true ? [] : await nameSharedRoot(deps.disk, join(directory, '.planner'))),
  ];
}

interface ChosenProject {
  readonly project: NamedProject;
  /** The steps that were done, one line each. */
  readonly done: readonly string[];
}

/**
 * The project of --project, else the bound one, else the only one; if there is no project, a new one with the name of
 * the repository. Throws if several could be meant.
 */
async function projectToBind(
  { planner, config }: CliTarget,
  { project: named, create }: ConnectOptions,
  directory: string,
  undo: Undo,
): Promise<ChosenProject> {
  if (create === true && named === undefined)
    throw usageError('--create', '--create needs the name of the project in --project.');
  const list = await projectsOf(planner);
  const { projects } = list;
  const meant = named ?? config.project_id;
  const found = meant === undefined ? projects : meantBy(projects, meant);
  if (found.length === 1) return { project: found[0]!, done: [] };
  // A plan is here: to create another needs an option.
  if (meant === undefined && found.length === 0 && unservedOf(list).length === 0)
    return newProject(planner, plainLine(basename(directory)) || 'Plan', 'named after this directory', undo);
  if (named !== undefined && create === true && found.length === 0)
    return newProject(planner, named, 'as --create says', undo);
  throw notChosen(list, found, { named, bound: config.project_id });
}

async function newProject(planner: CallPort, name: string, why: string, undo: Undo): Promise<ChosenProject> {
  const project = (await planner.call('create_project', { name }))['project'] as NamedProject;
  undo.add(() => planner.call('delete_project', { project_id: project.id }));
  return { project, done: [`project ${project.name}: created, ${why}`] };
}

function notChosen(
  list: ProjectList,
  found: readonly NamedProject[],
  { named, bound }: { readonly named: string | undefined; readonly bound: string | undefined },
): PlannerError {
  if (named !== undefined && found.length > 1) return severalProjects(found, named);
  const others = list.projects.length === 0 && unservedOf(list).length === 0 ? '' : ` ${listed(list)}`;
  if (named !== undefined)
    return new PlannerError(
      'not_found',
      `There is no project ${JSON.stringify(named)}; with --create it is created.${others}`,
      { resource: 'project', id: named },
    );
  const why =
    bound === undefined
      ? 'Choose the project'
      : `.planner/config.json binds the project ${JSON.stringify(bound)}, which is not here: choose another one`;
  return usageError(
    '--project',
    `${why} with --project <id or name>, or create one with --project <name> --create.${others}`,
  );
}

function printResult(
  out: CommandOutput,
  directory: string,
  done: readonly string[],
  { project: { id, name }, files, hints }: BindResult,
): void {
  const lines = files.map(({ path, what, reason }) => `  ${path}: ${what}${reason === undefined ? '' : `, ${reason}`}`);
  out.print({ directory, project: { id, name }, done, files, hints }, [
    `${directory} is bound to ${name} (${id}).`,
    ...done.map((what) => `  ${what}`),
    ...lines,
    ...hints.map((hint) => `Note: ${hint}`),
    'Next: planner task add "Take payments" plans work, planner open shows the page. Start your coding agent here, or start it again: it finds the plan.',
  ]);
}
