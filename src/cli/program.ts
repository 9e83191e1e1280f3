import { Command, CommanderError, Help, Option } from 'commander';
import { addAdoptCommand } from './commands/service/adopt.ts';
import { addArtifactCommands } from './commands/plan/artifact.ts';
import { addAttachCommand } from './commands/plan/attach.ts';
import { addBoardCommand } from './commands/plan/board.ts';
import { addCallCommand } from './commands/plan/call.ts';
import { addCommentCommand } from './commands/plan/comment.ts';
import { addCommitCommand } from './commands/service/commit.ts';
import { addCompletionCommand } from './commands/service/completion.ts';
import { addConnectCommand } from './commands/service/connect.ts';
import { addDisconnectCommand } from './commands/service/disconnect.ts';
import { addDiffCommand } from './commands/plan/diff.ts';
import { addDemoCommand } from './commands/service/demo.ts';
import { addDependencyCommands } from './commands/plan/dep.ts';
import { addDocumentCommands } from './commands/plan/doc.ts';
import { addDoneCommand } from './commands/plan/done.ts';
import { addEventsCommand } from './commands/plan/events.ts';
import { addGoalCommands } from './commands/plan/goal.ts';
import { addInitCommand } from './commands/service/init.ts';
import { addKeyCommands } from './commands/service/keys.ts';
import { addLogCommand } from './commands/plan/log.ts';
import { addLoginCommand } from './commands/service/login.ts';
import { addMcpCommand } from './commands/service/mcp.ts';
import { addMergeDriverCommand } from './commands/service/merge-driver.ts';
import { addMigrateCommand } from './commands/service/migrate.ts';
import { addNoteCommands } from './commands/plan/note.ts';
import { addExportCommand } from './commands/plan/export.ts';
import { addImportCommand } from './commands/plan/import.ts';
import { addOpenCommand } from './commands/service/open.ts';
import { addPullCommand } from './commands/service/pull.ts';
import { addPushCommand } from './commands/service/push.ts';
import { addProjectsCommand } from './commands/plan/projects.ts';
import { addReleaseCommand } from './commands/plan/release.ts';
import { addResolveCommand } from './commands/service/resolve.ts';
import { addMergeCommand } from './commands/plan/merge.ts';
import { addRunCommand } from './commands/plan/run.ts';
import { addSearchCommand } from './commands/plan/search.ts';
import { addReviewCommands } from './commands/plan/review.ts';
import { addServeCommand } from './commands/service/serve.ts';
import { addServiceCommands } from './commands/service/service.ts';
import { addShareCommands } from './commands/plan/share.ts';
import { addShowCommand } from './commands/plan/show.ts';
import { addStopCommand } from './commands/service/stop.ts';
import { addStatusCommands } from './commands/plan/status.ts';
import { addSyncCommand } from './commands/service/sync.ts';
import { addTagCommands } from './commands/plan/tag.ts';
import { addTaskCommands } from './commands/plan/task.ts';
import { addTrashCommands } from './commands/plan/trash.ts';
import { addVerifyCommand } from './commands/plan/verify.ts';
import { addUndoCommand } from './commands/plan/undo.ts';
import { addWebhookCommands } from './commands/service/webhooks.ts';
import { addWorkCommands } from './commands/plan/work.ts';
import { addWorktreeCommand } from './commands/service/worktree.ts';
import { PlannerError } from '../base/errors.ts';
import { errorJson, errorText, forPeople, isUsage, usageJson } from './terminal/error-lines.ts';
import { exitCodes, withCommonOptions } from './call/command-line.ts';
import type { ProgramDeps } from './call/program-deps.ts';
import { programHelp } from './terminal/program-help.ts';
import { withOtherWord } from './terminal/other-words.ts';

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
  addConnectCommand(deps, group);
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
  addUndoCommand(deps, group);
  addDoneCommand(deps, group);
  addReleaseCommand(deps, group);
  addReviewCommands(deps, group);
  addVerifyCommand(deps, group);
  addRunCommand(deps, group);
  addMergeCommand(deps, group);
  addEventsCommand(deps, group);
}

function addGitCommands(deps: ProgramDeps, group: Command): void {
  addInitCommand(deps, group);
  addDiffCommand(deps, group);
  addSyncCommand(deps, group);
  addPushCommand(deps, group);
  addPullCommand(deps, group);
  addResolveCommand(deps, group);
  addWorktreeCommand(deps, group);
  addCommitCommand(deps, group);
  addMergeDriverCommand(deps, group);
}

function addSharingCommands(deps: ProgramDeps, group: Command): void {
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
    return exitCodeOf(error);
  }
}

/** The exit code of a command that failed: the one that it chose, else whether it was called wrongly. */
function exitCodeOf(error: Error): number {
  const chosen = error instanceof PlannerError ? error.details['exit'] : undefined;
  if (typeof chosen === 'number') return chosen;
  return isUsage(error) ? exitCodes.usage : exitCodes.failure;
}
