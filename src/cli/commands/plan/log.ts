import type { Command } from 'commander';
import type { Revision } from '../../../schema/types.ts';
import { addPlanCommand, numberOf, present } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { findRecord } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { nameOfTarget } from '../../records/revisions.ts';
import { shownIds } from '../../call/short-ids.ts';
import { minuteOf } from '../../terminal/show-text.ts';

interface LogOptions extends ProjectOption {
  readonly author?: string;
  readonly limit?: string;
}

/** Revisions that are listed by default: a screen. */
const limitDefault = 20;

/** `log`: the changes, newest first. */
export function addLogCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'log [record]',
      description: 'list the changes of the project or of a record, newest first; planner show shows one',
      examples: ['log', 'log "Take payments"', 'log --author agent --limit 50'],
      options: (command) =>
        projectOption(command)
          .option('--author <author>', 'of this author: human, agent:builder, file')
          .option('--limit <number>', `maximum number of changes; default ${limitDefault}`),
    },
    async ([text], { author, limit, ...options }: LogOptions, out, target) => {
      const of = text === undefined ? undefined : await findRecord(target, undefined, text);
      const project_id = of?.project_id ?? (await chooseProject(target, options)).id;
      const rows = numberOf(limit, '--limit') ?? limitDefault;
      const input = present({ project_id, target_id: of?.id, author, limit: rows });
      const result = await target.planner.call('list_revisions', input);
      const revisions = result['revisions'] as readonly Revision[];
      out.print(result, revisions.length === 0 ? 'No changes.' : await lines(target, project_id, revisions));
      if (!out.json && result['next_cursor'] !== undefined) deps.notice('There are older ones: --limit lists them.');
    },
  );
}

async function lines(
  target: CliTarget,
  project_id: string,
  revisions: readonly Revision[],
): Promise<readonly string[]> {
  const ids = revisions.map(({ id }) => id);
  const shown = await shownIds(target, project_id, ids);
  // Each record is looked up once, since several were changed more than once.
  const newest = new Map(revisions.toReversed().map((revision) => [revision.target_id, revision]));
  const names = new Map(
    await Promise.all([...newest].map(async ([id, revision]) => [id, await nameOfTarget(target, revision)] as const)),
  );
  const width = Math.max(...ids.map((id) => shown(id).length));
  return revisions.map(({ id, created_at: at, author, target_type: type, target_id, changed_fields: fields }) => {
    const what = `${type} ${names.get(target_id) ?? target_id}`;
    return `${shown(id).padEnd(width)}  ${minuteOf(at)}  ${author}  ${what}: ${fields.join(', ')}`;
  });
}
