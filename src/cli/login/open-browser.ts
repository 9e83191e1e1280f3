import { readProgramEnvironment } from '../../base/config.ts';
import { startProgram } from '../../platform/programs.ts';

/** The program that opens an address in the person's browser: BROWSER, else the system's default. */
function opener(browser: string | undefined): readonly [string, ...string[]] {
  if (browser !== undefined) return [browser];
  switch (process.platform) {
    case 'darwin':
      return ['open'];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler'];
    default:
      return ['xdg-open'];
  }
}

/**
 * Opens an address in the browser, which outlives this process. Resolves with whether the program could be started. It
 * runs in the home directory, so that programs that it starts are not looked up in a repository.
 */
export function openBrowser(
  url: string,
  { browser, homeDirectory }: { readonly browser: string | undefined; readonly homeDirectory: string },
): Promise<boolean> {
  const [program, ...args] = opener(browser);
  return new Promise((resolve) => {
    try {
      // No shell: the address is one argument.
      const child = startProgram(program, [...args, url], {
        env: readProgramEnvironment(),
        cwd: homeDirectory,
        stdio: 'ignore',
        detached: true,
      });
      child.once('error', () => resolve(false));
      child.once('spawn', () => {
        child.unref();
        resolve(true);
      });
    } catch {
      // The program is missing.
      resolve(false);
    }
  });
}
