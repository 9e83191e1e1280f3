import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import { addCommand } from '../../call/command-line.ts';
import { withTarget } from '../../call/cli-target.ts';
import { readToken } from '../../bridge/connected.ts';
import type { Removal } from '../../connect/unbind.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { forgetInGit } from '../../worktrees/forget-in-git.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { readRootConfig } from '../../service/root.ts';
import { commandRoot } from '../../worktrees/command-root.ts';

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly project_id: string | null;
}

/** `disconnect`: undoes `connect`. */
export function addDisconnectCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'disconnect',
      isChange: true,
      description:
        "undo connect: take the binding, the agent key, clients' entries, guides and settings of git out of this repository; the plan and your own content stay",
      examples: ['disconnect', 'disconnect --root ../my-repository'],
    },
    async (_, options, out) => {
      const root = await commandRoot(deps, options);
      const directory = dirname(root);
      const server = await serverOf(deps, root);
      const key = await revoked(deps, root);
      const { unbindFiles } = await import('../../connect/unbind.ts');
      const files: Removal[] = [...key.files, ...unbindFiles(deps, directory)];
      const settings = await forgetInGit(deps.disk, root);
      const lines = files.map(
        ({ path, what, reason }) => `  ${path}: ${what}${reason === undefined ? '' : `, ${reason}`}`,
      );
      const nothing = files.length + settings.length === 0;
      out.print({ directory, files, settings, notes: key.notes }, [
        nothing
          ? `${directory} is not connected.`
          : `${directory} is no longer connected; its plan is still ${server === undefined ? 'in .planner' : `at ${server}`}.`,
        ...lines,
        ...settings.map((name) => `  git config ${name}: removed`),
        ...key.notes.map((note) => `Note: ${note}`),
      ]);
    },
  );
}

/** The service that has the plan; undefined if its files are here. */
async function serverOf({ disk }: ProgramDeps, root: string): Promise<string | undefined> {
  try {
    return (await readRootConfig(root, disk)).server_url;
  } catch (thrown) {
    // The command that changes the settings reports their problems.
    if (!(thrown instanceof PlannerError)) throw thrown;
    return undefined;
  }
}

/** Revokes the key in `.planner/token` and removes the file. */
async function revoked(
  deps: ProgramDeps,
  root: string,
): Promise<{ readonly files: readonly Removal[]; readonly notes: readonly string[] }> {
  const path = join(root, 'token');
  const secret = readToken(root, deps.disk);
  if (secret === undefined) return { files: [], notes: [] };
  const notes: string[] = [];
  try {
    await withTarget(deps, { root: dirname(root) }, (target) => revokeKey(target, secret));
  } catch (thrown) {
    if (!(thrown instanceof PlannerError)) throw thrown;
    notes.push(
      `The key could not be revoked (${thrown.message}): planner keys list shows it, and planner keys revoke revokes it.`,
    );
  }
  deps.disk.remove(path);
  return { files: [{ path: '.planner/token', what: 'removed' }], notes };
}

/** The service knows only a digest of a key: the key of this directory is identified by its name and its project. */
async function revokeKey({ planner, config, root }: CliTarget, secret: string): Promise<void> {
  const { project_id: project } = config;
  const seen = await planner.projectsSeenWith(secret);
  if (project === undefined || root === undefined || seen?.includes(project) !== true) return;
  const { keyName } = await import('../../connect/bind.ts');
  const name = keyName(dirname(root));
  const { keys } = await planner.call('list_keys', {});
  const own = (keys as readonly KeyRow[]).filter((key) => key.name === name && key.project_id === project);
  if (own.length === 0) throw new PlannerError('not_found', 'no key has the name of this directory');
  if (own.length > 1 && config.server_url !== undefined)
    throw new PlannerError('conflict', `${own.length} keys have the name of this directory`);
  for (const { id } of own) await planner.call('revoke_key', { key_id: id });
}
