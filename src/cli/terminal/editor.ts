import { readProgramEnvironment } from '../../base/config.ts';
import { startProgram, startShell } from '../../platform/programs.ts';

/** Git's own default, if no editor is named. */
const editorDefault = 'vi';

/**
 * Opens a file in the user's editor, and waits until that ends. As git does, the shell reads the editor's name, which may have arguments
 * (`code --wait`), and gets the path as a word of its own. Resolves with the exit code, or the name of the signal that ended it.
 */
export function openEditor(
  path: string,
  { editor = editorDefault, directory }: { readonly editor: string | undefined; readonly directory: string },
): Promise<number | string> {
  const options = { env: readProgramEnvironment(), cwd: directory, stdio: 'inherit' } as const;
  return new Promise((resolve, reject) => {
    const child =
      process.platform === 'win32'
        ? startShell(`${editor} "${path}"`, options)
        : startProgram('/bin/sh', ['-c', `${editor} "$@"`, editor, path], options);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
}
