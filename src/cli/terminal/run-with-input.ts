import { readProgramEnvironment } from '../../base/config.ts';
import { startShell } from '../../platform/programs.ts';

/**
 * Runs a command line of the user in the user's shell, with this text on standard input. Nothing is added to the command
 * line: no text of a plan reaches the shell. Resolves with the exit code, or the name of the signal that ended it.
 */
export function runWithInput(command: string, input: string, directory: string): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = startShell(command, {
      env: readProgramEnvironment(),
      cwd: directory,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
    // A command may end without reading its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
