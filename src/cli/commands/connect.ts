import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { PlannerError } from '../../errors.ts';
import { addCommand, collect, usageError } from '../command-line.ts';
import type { CommandOutput, CommonOptions } from '../command-line.ts';
import type { BindResult } from '../connect/bind.ts';
import { clientNames } from '../connect/client-names.ts';
import type { ClientName } from '../connect/client-names.ts';
import { workingTree } from '../connect/git.ts';
import { serviceUrl } from '../saved-keys.ts';
import { makePlannerRoot } from '../make-root.ts';
import { registerMergeDriver } from '../merge-registration.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { chooseProject, projectsOf } from '../project-choice.ts';
import type { NamedProject } from '../project-choice.ts';
import { RemotePlanner } from '../remote-planner.ts';
import { nearestRoot, readRootConfig, rootIn } from '../root.ts';
import { checkingResponsesOf, ServiceClient } from '../service-client.ts';
import { serviceByUrl, withTarget } from '../cli-target.ts';
import type { CliTarget } from '../cli-target.ts';

interface ConnectOptions extends CommonOptions {
  readonly project?: string;
  readonly create?: boolean;
  readonly client?: readonly string[];
  readonly url?: string;
}

/** `connect`: binds a repository to a project, for agents. */
export function addConnectCommand(deps: ProgramDeps, program: Command): void {
  addCommand<ConnectOptions>(
    deps,
    program,
    {
      usage: 'connect',
      description:
        'bind this repository to a project: config.json, an agent key in .planner/token, MCP entries and a guide for agents; a repeated run updates only what is out of date',
      examples: [
        'connect --project "Web shop"',
        'connect --project "Web shop" --create --client cursor --client codex',
        'connect --url https://plan.example.org --project prj_4n0c2m8w1x7k9q3f',
      ],
      options: (command) =>
        command
          .option('--project <id or name>', 'the project (default: the bound one, else the only one)')
          .option('--create', 'create a project of that name if there is none')
          .option(
            '--client <name>',
            `also configure this client: ${clientNames.join(', ')}; repeat for several`,
            collect,
          )
          .option('--url <url>', 'a remote service that you have logged in to (default: the files here)'),
    },
    async (_, options, out) => {
      const wanted = (options.client ?? []).map(clientOf);
      const [{ bindRepository }, { clientNamed }] = await Promise.all([
        import('../connect/bind.ts'),
        import('../connect/clients.ts'),
      ]);
      const clients = wanted.map(clientNamed);
      const directory = await repositoryOf(deps, options.root);
      refuseSharedDirectories(deps, directory);
      await withConnectTarget(deps, directory, options, async (target, made) => {
        const project = await projectToBind(target, options);
        const bound = await bindRepository(deps, target, { directory, project, clients, url: options.url });
        printResult(out, directory, project, { ...bound, done: [...made, ...bound.done] });
      });
    },
  );
}

function clientOf(given: string): ClientName {
  const name = clientNames.find((one) => one === given);
  if (name !== undefined) return name;
  throw usageError('--client', `--client is ${JSON.stringify(given)}; it must be one of ${clientNames.join(', ')}.`);
}

/** The directory for `.planner`, in this order: the given one, the nearest parent that has one, the repository's top, the working directory. */
async function repositoryOf(deps: ProgramDeps, root: string | undefined): Promise<string> {
  const { workingDirectory, disk, environment } = deps;
  const named = root ?? environment().root;
  if (named !== undefined) return dirname(rootIn(named, deps.workingDirectory));
  const nearest = nearestRoot(workingDirectory, disk);
  return nearest === undefined ? ((await workingTree(workingDirectory)) ?? workingDirectory) : dirname(nearest);
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

/** Opens the service of `--url` or config.json, else the root itself, which is created if it does not exist. */
async function withConnectTarget(
  deps: ProgramDeps,
  directory: string,
  { url }: ConnectOptions,
  use: (target: CliTarget, made: readonly string[]) => Promise<void>,
): Promise<void> {
  const root = join(directory, '.planner');
  const meant = url ?? deps.environment().url;
  const made = [
    ...makePlannerRoot(deps, root).map((what) => `.planner/${what.replace(/^\.planner\//, '')}`),
    ...(await registerMergeDriver(directory, deps.program)),
  ];
  if (meant === undefined) return withTarget(deps, directory, (target) => use(target, made));
  const address = await serviceByUrl(deps, serviceUrl(meant).href);
  if (address.authorization === undefined)
    throw new PlannerError('unauthorized', `You have not logged in to ${address.url}: planner login ${address.url}`);
  const config = { ...(await readRootConfig(root, deps.disk)), server_url: address.url };
  const target = { planner: new RemotePlanner(new ServiceClient(address)), root, config, url: address.url };
  await checkingResponsesOf(address.url, () => use(target, made));
}

async function projectToBind(target: CliTarget, { project, create }: ConnectOptions): Promise<NamedProject> {
  if (create !== true) return chooseProject(target, { ...(project === undefined ? {} : { project }) });
  if (project === undefined) throw usageError('--create', '--create needs the name of the project in --project.');
  const projects = await projectsOf(target.planner);
  const there = projects.filter(({ id, name }) => id === project || name.toLowerCase() === project.toLowerCase());
  if (there.length > 0) return chooseProject(target, { project });
  return (await target.planner.call('create_project', { name: project }))['project'] as NamedProject;
}

function printResult(
  out: CommandOutput,
  directory: string,
  project: NamedProject,
  { done, files, hints }: BindResult,
): void {
  const { id, name } = project;
  const lines = files.map(({ path, what, reason }) => `  ${path}: ${what}${reason === undefined ? '' : `, ${reason}`}`);
  out.print({ directory, project: { id, name }, done, files, hints }, [
    `${directory} is bound to ${name} (${id}).`,
    ...done.map((what) => `  ${what}`),
    ...lines,
    ...hints.map((hint) => `Note: ${hint}`),
  ]);
}
