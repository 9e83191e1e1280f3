import type { Command } from 'commander';
import { startInBackground } from '../../call/background-service.ts';
import { addCommand } from '../../call/command-line.ts';
import { serviceByUrl, serviceOf } from '../../call/cli-target.ts';
import { requireOwnLocal } from '../../machine/local-ownership.ts';
import { openBrowser } from '../../login/open-browser.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { readRootConfig } from '../../service/root.ts';
import type { Address } from '../../service/service-client.ts';
import { commandRoot } from '../../worktrees/command-root.ts';
import type { RootOptions } from '../../worktrees/command-root.ts';

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
      const { address, started } = await addressOf(deps, chosen);
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

async function addressOf(
  deps: ProgramDeps,
  chosen: RootOptions,
): Promise<{ readonly address: Address; readonly started: boolean }> {
  const { url } = deps.environment();
  if (chosen.root === undefined && url !== undefined) return { address: await serviceByUrl(deps, url), started: false };
  const root = await commandRoot(deps, chosen);
  await requireOwnLocal(deps, root);
  const running = await serviceOf(deps, root, await readRootConfig(root, deps.disk));
  if (running !== undefined) return { address: running, started: false };
  return { address: await startInBackground(deps, root), started: true };
}
