import { Command, CommanderError, Help, Option } from 'commander';
import { addAdoptCommand } from './commands/adopt.ts';
import { addArtifactCommands } from './commands/artifact.ts';
import { addAttachCommand } from './commands/attach.ts';
import { addBoardCommand } from './commands/board.ts';
import { addCallCommand } from './commands/call.ts';
import { addCommentCommand } from './commands/comment.ts';
import { addCommitCommand } from './commands/commit.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConnectCommand } from './commands/connect.ts';
import { addDisconnectCommand } from './commands/disconnect.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDependencyCommands } from './commands/dep.ts';
import { addDocumentCommands } from './commands/doc.ts';
import { addDoneCommand } from './commands/done.ts';
import { addEventsCommand } from './commands/events.ts';
import { addGoalCommands } from './commands/goal.ts';
import { addInitCommand } from './commands/init.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLogCommand } from './commands/log.ts';
import { addLoginCommand } from './commands/login.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addMergeDriverCommand } from './commands/merge-driver.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addNoteCommands } from './commands/note.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addOpenCommand } from './commands/open.ts';
import { addPullCommand } from './commands/pull.ts';
import { addPushCommand } from './commands/push.ts';
import { addProjectsCommand } from './commands/projects.ts';
import { addReleaseCommand } from './commands/release.ts';
import { addResolveCommand } from './commands/resolve.ts';
import { addSearchCommand } from './commands/search.ts';
import { addReviewCommands } from './commands/review.ts';
import { addServeCommand } from './commands/serve.ts';
import { addServiceCommands } from './commands/service.ts';
import { addShareCommands } from './commands/share.ts';
import { addShowCommand } from './commands/show.ts';
import { addStopCommand } from './commands/stop.ts';
import { addStatusCommands } from './commands/status.ts';
import { addSyncCommand } from './commands/sync.ts';
import { addTagCommands } from './commands/tag.ts';
import { addTaskCommands } from './commands/task.ts';
import { addTrashCommands } from './commands/trash.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { addWorkCommands } from './commands/work.ts';
import { addWorktreeCommand } from './commands/worktree.ts';
import { errorJson, errorText, forPeople, isUsage, usageJson } from './error-lines.ts';
import { exitCodes, withCommonOptions } from './command-line.ts';
import type { ProgramDeps } from './program-deps.ts';
import { programHelp } from './program-help.ts';
import { withOtherWord } from './other-words.ts';

/** The `planner` command. Its actions throw `PlannerError` for errors that the user can correct; commander throws for usage errors. */
export function program(deps: ProgramDeps, { json = false }: { readonly json?: boolean } = {}): Command {
  const command = withCommonOptions(new Command('planner'))
    .configureOutput({
      writeOut: (text) => deps.print(text.replace(/\n$/, '')),
      // With --json, `runProgram` prints usage errors.
      writeErr: (text) => (json ? undefined : deps.remark(text.replace(/\n$/, ''))),
      outputError: (text, write) => write(withOtherWord(text)),
    })
    .description('A plan that people and software agents share, as files beside your code.')
    .version(deps.version)
    .addOption(new Option('-v', 'print the version').hideHelp())
    .on('option:v', () => printVersion(deps))
    .showHelpAfterError('(run planner --help, or --help after a command, for usage)')
    .exitOverride();
  command.configureHelp({
    formatHelp: (shown, helper) => (shown === command ? programHelp(command) : plainHelp(shown, helper)),
  });
  addPlanCommands(deps, command.commandsGroup('Plan'));
  addWorkingCommands(deps, command.commandsGroup('Work'));
  addGitCommands(deps, command.commandsGroup('Git'));
  addSharingCommands(deps, command.commandsGroup('Share'));
  addOperatingCommands(deps, command.commandsGroup('Operate'));
  return command;
}

/** The short option that many programs have; commander's own is -V. */
function printVersion(deps: ProgramDeps): never {
  deps.print(deps.version);
  throw new CommanderError(exitCodes.done, 'commander.version', deps.version);
}

const plainHelp = (command: Command, helper: Help): string => Help.prototype.formatHelp.call(helper, command, helper);

function addPlanCommands(deps: ProgramDeps, group: Command): void {
  addInitCommand(deps, group);
  addTaskCommands(deps, group);
  addGoalCommands(deps, group);
  addDependencyCommands(deps, group);
  addDocumentCommands(deps, group);
  addNoteCommands(deps, group);
  addTagCommands(deps, group);
  addArtifactCommands(deps, group);
  addAttachCommand(deps, group);
  addCommentCommand(deps, group);
  addSearchCommand(deps, group);
  addBoardCommand(deps, group);
  addProjectsCommand(deps, group);
  addImportCommand(deps, group);
  addExportCommand(deps, group);
}

function addWorkingCommands(deps: ProgramDeps, group: Command): void {
  addStatusCommands(deps, group);
  addWorkCommands(deps, group);
  addLogCommand(deps, group);
  addShowCommand(deps, group);
  addTrashCommands(deps, group);
  addDoneCommand(deps, group);
  addReleaseCommand(deps, group);
  addReviewCommands(deps, group);
  addEventsCommand(deps, group);
}

function addGitCommands(deps: ProgramDeps, group: Command): void {
  addSyncCommand(deps, group);
  addPushCommand(deps, group);
  addPullCommand(deps, group);
  addResolveCommand(deps, group);
  addWorktreeCommand(deps, group);
  addCommitCommand(deps, group);
  addMergeDriverCommand(deps, group);
}

function addSharingCommands(deps: ProgramDeps, group: Command): void {
  addConnectCommand(deps, group);
  addDisconnectCommand(deps, group);
  addMcpCommand(deps, group);
  addShareCommands(deps, group);
  addKeyCommands(deps, group);
  addLoginCommand(deps, group);
  addWebhookCommands(deps, group);
}

function addOperatingCommands(deps: ProgramDeps, group: Command): void {
  addServeCommand(deps, group);
  addOpenCommand(deps, group);
  addStopCommand(deps, group);
  addDemoCommand(deps, group);
  addServiceCommands(deps, group);
  addCallCommand(deps, group);
  addMigrateCommand(deps, group);
  addAdoptCommand(deps, group);
  addCompletionCommand(deps, group);
}

/** `help task add` as `task add --help`. The word of an unknown command is left alone: that is an error. */
function helpOf(whole: Command, words: readonly string[]): string[] {
  let at: Command | undefined = whole;
  const known: string[] = [];
  for (const word of words) {
    at = at?.commands.find((command) => command.name() === word);
    if (at !== undefined) known.push(word);
  }
  return known.length === 0 && words.length > 0 ? [...words.slice(0, 1)] : [...known, '--help'];
}

/** Runs one command line. Resolves with the exit code. */
export async function runProgram(
  deps: Omit<ProgramDeps, 'exitWith' | 'notice'>,
  argv: readonly string[],
  printError: (line: string) => void,
): Promise<number> {
  const json = argv.includes('--json');
  let exitCode: number = exitCodes.done;
  const isQuiet = argv.includes('-q') || argv.includes('--quiet');
  const notice = isQuiet ? (): void => undefined : deps.remark;
  const command = program({ ...deps, json, notice, exitWith: (code) => (exitCode = code) }, { json });
  if (argv.length === 0) {
    command.outputHelp();
    return exitCodes.done;
  }
  try {
    await command.parseAsync(argv[0] === 'help' ? helpOf(command, argv.slice(1)) : [...argv], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Without --json, commander has printed the error already.
      if (json && thrown.exitCode !== 0) printError(JSON.stringify(usageJson(thrown)));
      return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const error = forPeople(thrown, deps.disk);
    if (error === undefined) throw thrown;
    printError(json ? JSON.stringify(errorJson(error)) : errorText(error));
    return isUsage(error) ? exitCodes.usage : exitCodes.failure;
  }
}
