import { Command, CommanderError } from 'commander';
import { hostDefault, portDefault, portOf } from '../config.ts';
import { PlannerError } from '../errors.ts';
import { JournalCorruptError, UnreadableFileError, errorCode } from '../store/index.ts';
import { accessOf } from './access.ts';
import { addAdoptCommand } from './commands/adopt.ts';
import { addCallCommand } from './commands/call.ts';
import { addConnectCommand } from './commands/connect.ts';
import { addDocumentCommands } from './commands/doc.ts';
import { addInitCommand } from './commands/init.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLoginCommand } from './commands/login.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addMergeDriverCommand } from './commands/merge-driver.ts';
import { addMoveCommands } from './commands/move.ts';
import { addResolveCommand } from './commands/resolve.ts';
import { addServiceCommands } from './commands/service.ts';
import { addShareCommands } from './commands/share.ts';
import { addTaskCommands } from './commands/task.ts';
import { addWorkCommands } from './commands/work.ts';
import { addCommand, exitCodes, withCommonOptions } from './command-line.ts';
import type { CommonOptions } from './command-line.ts';
import { requireOwnLocal } from './own-local.ts';
import type { ProgramParts } from './parts.ts';
import { nearestRoot, rootIn } from './root.ts';
import { serve } from './serve.ts';

export type { ProgramParts } from './parts.ts';

/** The `planner` command. Its actions throw `PlannerError` for what the person can mend; commander throws for the rest. */
export function program(parts: ProgramParts, { json = false }: { readonly json?: boolean } = {}): Command {
  const command = withCommonOptions(new Command('planner'))
    .configureOutput({
      writeOut: (text) => parts.print(text.replace(/\n$/, '')),
      // With --json what is wrong with the command line is said by `runProgram`.
      writeErr: (text) => (json ? undefined : parts.remark(text.replace(/\n$/, ''))),
    })
    .description(
      'A planning workspace that people and software agents share, kept as Markdown and JSON files beside your code.',
    )
    .version(parts.version)
    .showHelpAfterError('(planner --help, or --help behind a command, shows what there is)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nCommands talk to the running service where there is one, and open the files themselves where there is none.\nExit codes: 0 done, 1 failure or the answer is no, 2 the command line is wrong.',
    );
  addServeCommand(parts, command);
  addInitCommand(parts, command);
  addLoginCommand(parts, command);
  addConnectCommand(parts, command);
  addMcpCommand(parts, command);
  addKeyCommands(parts, command);
  addShareCommands(parts, command);
  addMoveCommands(parts, command);
  addServiceCommands(parts, command);
  addAdoptCommand(parts, command);
  addWorkCommands(parts, command);
  addTaskCommands(parts, command);
  addDocumentCommands(parts, command);
  addCallCommand(parts, command);
  addMergeDriverCommand(parts, command);
  addResolveCommand(parts, command);
  return command;
}

interface ServeCommandOptions extends CommonOptions {
  readonly host: string;
  readonly hosted?: boolean;
  readonly baseUrl?: string;
  readonly port?: string;
}

function addServeCommand(parts: ProgramParts, parent: Command): void {
  addCommand<ServeCommandOptions>(
    parts,
    parent,
    {
      usage: 'serve',
      description: 'serve REST at /api/v1 and MCP at /mcp over the nearest .planner; makes one here when there is none',
      examples: ['serve', 'serve --root ../my-repository --port 4748'],
      options: (command) =>
        command
          .option('--host <host>', 'the address to listen on', hostDefault)
          .option(
            '--port <number>',
            `the port to listen on; 0 lets the system choose (default: PLANNER_PORT, else ${portDefault})`,
          )
          .option('--hosted', 'every caller needs a credential, as on any --host but loopback; for a proxy in front')
          .option('--base-url <url>', 'where others find a hosted service (default: PLANNER_BASE_URL)'),
    },
    async (_, options, answer) => {
      const port =
        options.port === undefined ? (parts.environment().port ?? portDefault) : portOf(options.port, '--port');
      const { disk, start, log, events } = parts;
      const ready = (url: string, root: string, listening?: string): void =>
        answer.give(
          { url, root, pid: process.pid, ...(listening === undefined ? {} : { listening }) },
          `Planner serves ${root} at ${url} (REST ${url}/api/v1, MCP ${url}/mcp)${listening === undefined ? '' : `, listening at ${listening}`}`,
        );
      const access = accessOf(parts.environment().access, options);
      const root = rootToServe(parts, options);
      await requireOwnLocal(parts, root);
      await serve({ start, disk, log, events, ready }, { root, host: options.host, port, access });
    },
  );
}

/** Runs one command line and answers the exit code. */
export async function runProgram(
  parts: Omit<ProgramParts, 'exitWith'>,
  argv: readonly string[],
  printError: (line: string) => void,
): Promise<number> {
  const json = argv.includes('--json');
  let exitCode: number = exitCodes.done;
  const command = program({ ...parts, exitWith: (code) => (exitCode = code) }, { json });
  if (argv.length === 0) {
    command.outputHelp();
    return exitCodes.done;
  }
  try {
    await command.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // To people commander has said it already.
      if (json && thrown.exitCode !== 0) printError(JSON.stringify(usageJson(thrown)));
      return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const error = errorCode(thrown) === 'EROFS' ? readOnlyError(thrown) : thrown;
    if (!isForPeople(error)) throw error;
    printError(json ? JSON.stringify(asJson(error)) : `planner: ${error.message}`);
    return isUsage(error) ? exitCodes.usage : exitCodes.failure;
  }
}

/** Every command but `doctor` writes at least the journal. */
function readOnlyError(thrown: unknown): PlannerError {
  return new PlannerError(
    'unavailable',
    `The files are on a read-only file system (${(thrown as Error).message}), and Planner keeps its lock and its journal in .planner/local. Make it writable; planner doctor checks the files as they are.`,
  );
}

/** Errors whose message is all that a person needs: no stack. */
function isForPeople(thrown: unknown): thrown is Error {
  if (thrown instanceof PlannerError || thrown instanceof UnreadableFileError) return true;
  // A file that cannot be read or written: the system names the path and why.
  return thrown instanceof JournalCorruptError || (thrown instanceof Error && 'syscall' in thrown && 'path' in thrown);
}

/** An option or an argument is wrong, and not what it names. */
function isUsage(error: Error): boolean {
  return error instanceof PlannerError && (error.details['usage'] === true || error.field?.startsWith('--') === true);
}

function usageJson({ message }: CommanderError): object {
  return new PlannerError('invalid_argument', message.replace(/^error: /, '')).toJSON();
}

function asJson(error: Error): object {
  if (!(error instanceof PlannerError)) return { error: 'conflict', message: error.message };
  const { usage: _, ...body } = error.toJSON();
  return body;
}

function rootToServe(parts: ProgramParts, { root }: CommonOptions): string {
  const named = root ?? parts.environment().root;
  if (named !== undefined) return rootIn(named);
  return nearestRoot(parts.workingDirectory, parts.disk) ?? rootIn(parts.workingDirectory);
}
