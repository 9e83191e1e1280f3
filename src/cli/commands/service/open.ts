import type { Command } from 'commander';
import { serviceOrStart } from '../../call/background-service.ts';
import { addCommand } from '../../call/command-line.ts';
import { openBrowser } from '../../login/open-browser.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';

/** `open`: shows the page of whatever serves the root. */
export function addOpenCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'open',
      isChange: true,
      description:
        'open the page in the browser; starts a service in the background if none serves this root (planner stop ends it)',
      examples: ['open', 'open --no-browser'],
      options: (command) => command.option('--no-browser', 'print the address only'),
    },
    async (_, { browser, ...chosen }: { readonly browser: boolean }, out) => {
      const { address, started } = await serviceOrStart(deps, chosen);
      const where = { browser: deps.environment().browser, homeDirectory: deps.homeDirectory };
      const opened = browser && (await openBrowser(address.url, where));
      out.print({ url: address.url, started, opened }, [
        address.url,
        ...(started ? ['A service was started in the background: planner stop ends it.'] : []),
        ...(browser && !opened ? ['No browser could be started here: open this address yourself.'] : []),
      ]);
    },
  );
}
