import type { Command } from 'commander';
import { addPlanCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import type { CliTarget } from '../cli-target.ts';
import { idAmong } from '../find-record.ts';
import { chooseProject, projectOption } from '../project-choice.ts';
import type { ProjectOption } from '../project-choice.ts';

type Share = Readonly<Record<string, unknown>> & { readonly id: string };

/** `share`: lists and revokes share links. */
export function addShareCommands(deps: ProgramDeps, program: Command): void {
  const share = program.command('share').description('share links: list, revoke');
  addPlanCommand<ProjectOption>(
    deps,
    share,
    {
      usage: 'list',
      isDefault: true,
      description: 'list the links of a project, without their tokens',
      examples: ['share list', 'share list --project "Web shop" --json'],
      options: projectOption,
    },
    async (_, options, out, target) => {
      const { id } = await chooseProject(target, options);
      const result = await target.planner.call('list_shares', { project_id: id });
      const shares = result['shares'] as readonly Share[];
      out.print(result, shares.length === 0 ? 'No share links.' : shares.map(shareRow));
    },
  );
  addPlanCommand<ProjectOption>(
    deps,
    share,
    {
      usage: 'revoke <id>',
      description: 'revoke a link at once',
      examples: ['share revoke shr_4n0c2m8w'],
      options: projectOption,
    },
    async ([text], options, out, target) => {
      const listed = async (): Promise<readonly Share[]> => sharesOf(target, options);
      const id = await idAmong(listed, 'share', text!);
      await target.planner.call('revoke_share', { share_id: id });
      out.print({ revoked: id }, `${id} is revoked.`);
    },
  );
}

async function sharesOf(target: CliTarget, options: ProjectOption): Promise<readonly Share[]> {
  const { id } = await chooseProject(target, options);
  return (await target.planner.call('list_shares', { project_id: id }))['shares'] as readonly Share[];
}

function shareRow(share: Share): string {
  const { id, kind, title, target_type: type, target_id: target, audience_name: audience, state, expires_at } = share;
  const what = kind === 'participants' ? ['participants', audience] : [type, target, title];
  const shown = what.filter((text) => typeof text === 'string').join(' ');
  return `${String(id)}  ${String(state).padEnd(7)}  until ${String(expires_at)}  ${shown}`;
}
