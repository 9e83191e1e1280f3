import type { Command } from 'commander';
import type { Event, Revision } from '../../../schema/types.ts';
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
      const result = await target.planner.call(
        'list_revisions',
        present({ project_id, target_id: of?.id, author, limit: rows }),
      );
      const revisions = result['revisions'] as readonly Revision[];
      const hasOlder = result['next_cursor'] !== undefined;
      const since = hasOlder ? revisions.at(-1)?.created_at : undefined;
      const moves = await movesIn(target, { project_id, resource: of?.id, limit: rows }, { author, since });
      const lines = [...(await revisionLines(target, project_id, revisions)), ...moves.map(moveLine)];
      const newest = lines.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, rows);
      const width = Math.max(...newest.map(({ id }) => id.length));
      out.print(
        { ...result, moves },
        newest.length === 0
          ? 'No changes.'
          : newest.map(({ id, at, says }) => `${id.padEnd(width)}  ${minuteOf(at)}  ${says}`),
      );
      if (!out.json && hasOlder) deps.notice('There are older ones: --limit lists them.');
    },
  );
}

/** A line of the log. */
interface Line {
  /** As shown; empty of a change without a revision. */
  readonly id: string;
  readonly at: string;
  readonly says: string;
}

/** The newest moves of tasks in the order by hand, which make no revision, the last one first. */
async function movesIn(
  { planner }: CliTarget,
  where: { readonly project_id: string; readonly resource: string | undefined; readonly limit: number },
  { author, since = '' }: { readonly author: string | undefined; readonly since: string | undefined },
): Promise<readonly Event[]> {
  const input = present({ ...where, types: 'task.updated', before: 'now' });
  const events = (await planner.call('list_events', input))['events'] as readonly Event[];
  const isBy = (by: string): boolean => author === undefined || by === author || by.startsWith(`${author}:`);
  const isMove = ({ changes }: Event): boolean => changes.every(({ field }) => field === 'rank');
  return events.filter((event) => event.at >= since && isBy(event.author) && isMove(event)).toReversed();
}

const moveLine = ({ at, author, resource }: Event): Line => ({
  ...{ id: '', at },
  says: `${author}  task ${resource.label ?? resource.id}: moved`,
});

async function revisionLines(
  target: CliTarget,
  project_id: string,
  revisions: readonly Revision[],
): Promise<readonly Line[]> {
  const shown = await shownIds(
    target,
    project_id,
    revisions.map(({ id }) => id),
  );
  // Each record is looked up once, since several were changed more than once.
  const newest = new Map(revisions.toReversed().map((revision) => [revision.target_id, revision]));
  const names = new Map(
    await Promise.all([...newest].map(async ([id, revision]) => [id, await nameOfTarget(target, revision)] as const)),
  );
  return revisions.map(({ id, created_at: at, author, target_type: type, target_id, changed_fields: fields }) => {
    const what = `${type} ${names.get(target_id) ?? target_id}`;
    return { id: shown(id), at, says: `${author}  ${what}: ${fields.join(', ')}` };
  });
}
