import type { Command } from 'commander';
import type { ShareLink } from '../../../schema/types.ts';
import { addPlanCommand, present } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { findRecord, idAmong } from '../../call/find-record.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { shortAmong } from '../../call/short-ids.ts';
import { minuteOf } from '../../terminal/show-text.ts';

type Share = Readonly<Record<string, unknown>> & { readonly id: string };

/** `share`: lists, creates and revokes share links. */
export function addShareCommands(deps: ProgramDeps, program: Command): void {
  const share = program.command('share').description('share links: list, create, revoke');
  addPlanCommand(
    deps,
    share,
    {
      usage: 'list',
      isDefault: true,
      description: 'list the links of a project, without their tokens',
      examples: ['share list', 'share list --project "Web shop" --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const result = await target.planner.call('list_shares', { project_id: id });
      const shares = result['shares'] as readonly Share[];
      const shown = shortAmong(shares.map(({ id: link }) => link));
      const rows = shares.map((link) => shareRow(link, shown(link.id)));
      out.print(result, rows.length === 0 ? 'No share links.' : rows);
    },
  );
  addShareCreate(deps, share);
  addPlanCommand(
    deps,
    share,
    {
      usage: 'revoke <id>',
      isChange: true,
      description: 'revoke a link at once',
      examples: ['share revoke 9q3f'],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      const listed = async (): Promise<readonly Share[]> => sharesOf(target, options);
      const id = await idAmong(listed, { what: 'share link', command: 'planner share' }, text);
      await target.planner.call('revoke_share', { share_id: id });
      out.print({ revoked: id }, `${id} is revoked.`);
    },
  );
}

async function sharesOf(target: CliTarget, options: ProjectOption): Promise<readonly Share[]> {
  const { id } = await chooseProject(target, options);
  return (await target.planner.call('list_shares', { project_id: id }))['shares'] as readonly Share[];
}

function addShareCreate(deps: ProgramDeps, share: Command): void {
  addPlanCommand(
    deps,
    share,
    {
      usage: 'create <record>',
      description: 'create a link that shows one task, document or prototype without the rest of the plan',
      examples: ['share create "Take payments"', 'share create "Decision 7" --expires 7d'],
      options: (command) => command.option('--expires <time>', '1h to 30d; default 24h'),
    },
    async ([text], { expires }: { readonly expires?: string }, out, target) => {
      const { kind, id } = await findRecord(target, ['task', 'document', 'prototype'], text);
      const link = await target.planner.call('create_share_link', present({ [`${kind}_id`]: id, expires }));
      const { url, markdown_url, expires_at } = link as unknown as ShareLink;
      out.print(link, [
        `For people  ${url}`,
        `For agents  ${markdown_url}`,
        `Until       ${minuteOf(expires_at)}; planner share revoke ends it earlier.`,
      ]);
    },
  );
}

function shareRow(share: Share, id: string): string {
  const { kind, title, target_type: type, target_id: target, audience_name: audience, state, expires_at } = share;
  const what = kind === 'participants' ? ['participants', audience] : [type, target, title];
  const shown = what.filter((text) => typeof text === 'string').join(' ');
  return `${id}  ${String(state).padEnd(7)}  until ${minuteOf(String(expires_at))}  ${shown}`;
}
