import type { Command } from 'commander';
import { meantBy, listNamed } from '../../../base/named.ts';
import { PlannerError } from '../../../base/errors.ts';
import type { RestoredFromTrash, TrashEntry } from '../../../schema/types.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { deletedProjects, restoreProject } from '../../records/deleted-projects.ts';
import type { DeletedProject } from '../../records/deleted-projects.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { checkOutProjects, chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { isRevisionId, nameOfTarget, revisionsMeant } from '../../records/revisions.ts';
import { shortAmong } from '../../call/short-ids.ts';
import { minuteOf } from '../../terminal/show-text.ts';
import { severalRevisions } from './show.ts';

/** Deletions: records of the chosen project, and projects. */
interface Deleted {
  /** Undefined if the project that the root binds is not there. */
  readonly project: string | undefined;
  readonly records: readonly TrashEntry[];
  readonly projects: readonly DeletedProject[];
}

/** `trash` and `restore`. */
export function addTrashCommands(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'trash',
      description: 'list deleted records and projects; planner restore brings them back for 30 days',
      examples: ['trash', 'trash --project "Web shop" --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const deleted = await deletedIn(deps, target, options);
      const lines = trashLines(deleted);
      const { project, records: trash, projects } = deleted;
      out.print({ trash, projects }, lines.length > 0 ? lines : ['The trash is empty.', otherWays(project)]);
    },
  );
  addPlanCommand(
    deps,
    program,
    {
      usage: 'restore <record|revision>',
      isChange: true,
      description: 'bring back a deleted record or project, or the state before a change of planner log',
      examples: ['restore "Take payments"', 'restore 4n0c'],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      if (isRevisionId(text)) return restoreRevision(target, out, text);
      const { project, records, projects } = await deletedIn(deps, target, options);
      const record = oneOf(
        records.map((entry) => ({ entry, id: entry.target_id, name: entry.label })),
        text,
      );
      if (record !== undefined) return restoreRecord(target, out, record.entry);
      const found = oneOf(projects, text);
      if (found !== undefined) {
        restoreProject(deps.disk, found);
        const again = 'Its agent keys were revoked: planner connect creates one.';
        return out.print({ restored: found }, [`Restored: the project ${found.name}. ${again}`]);
      }
      const ids = project === undefined ? [] : await revisionsMeant(target, project, text);
      if (ids.length > 1) throw severalRevisions(text, ids);
      if (ids[0] !== undefined) return restoreRevision(target, out, ids[0]);
      const message = `Nothing that was deleted or changed is ${JSON.stringify(text)}: planner trash lists what was deleted, planner log what was changed. ${otherWays(project)}`;
      throw new PlannerError('not_found', message, { id: text });
    },
  );
}

async function deletedIn({ disk }: ProgramDeps, target: CliTarget, options: ProjectOption): Promise<Deleted> {
  const projects = await deletedProjects(disk, target);
  try {
    const { id } = await chooseProject(target, options);
    const { trash } = await target.planner.call('list_trash', { project_id: id });
    return { project: id, records: trash as readonly TrashEntry[], projects };
  } catch (thrown) {
    if (!(thrown instanceof PlannerError)) throw thrown;
    // The project that is meant may be among the deleted ones, and the trash can be listed without the bound one.
    const { server_url: server } = target.config;
    const isBoundGone = thrown.code === 'not_found' && options.project === undefined && server === undefined;
    if (projects.length === 0 && !isBoundGone) throw thrown;
    return { project: undefined, records: [], projects };
  }
}

/** Ways to restore deletions that Planner did not make. */
function otherWays(project: string | undefined): string {
  if (project === undefined) return `The project that .planner/config.json binds is not here. ${checkOutProjects}`;
  return 'A record whose file was removed is in planner log: planner restore with the first column of its line brings it back.';
}

function trashLines({ records, projects }: Deleted): readonly string[] {
  const shown = shortAmong([...records.map((entry) => entry.target_id), ...projects.map(({ id }) => id)]);
  const row = (id: string, at: string, kind: string, name: string, beside: string): string =>
    `${shown(id)}  ${minuteOf(at)}  ${kind}  ${name}${beside}`;
  return [
    ...projects.map(({ id, deleted_at: at, name }) => row(id, at, 'project', name, '')),
    ...records.map(({ target_id: id, created_at: at, target_type: type, label, deleted_by: by, restorable }) =>
      row(id, at, type, label, `  (by ${by}${restorable ? '' : ', too large to be restored'})`),
    ),
  ];
}

/** The deletion that a text means; undefined if no deletion matches. Throws `conflict` if several do. */
function oneOf<T extends { readonly id: string; readonly name: string }>(
  deleted: readonly T[],
  text: string,
): T | undefined {
  const found = meantBy(deleted, text, { parts: true });
  if (found.length < 2) return found[0];
  const message = `${JSON.stringify(text)} can mean ${found.length} of what was deleted: choose one by its id. There are ${listNamed(found)}.`;
  throw new PlannerError('conflict', message);
}

async function restoreRecord(target: CliTarget, out: CommandOutput, entry: TrashEntry): Promise<void> {
  const { project_id, id: trash_id } = entry;
  const result = await target.planner.call('restore_from_trash', { project_id, trash_id });
  const { target_type: type, label, left_out: left } = result['restored'] as RestoredFromTrash;
  out.print(result, [
    `Restored: the ${type} ${label}.`,
    ...left.map((one) => `Left out: ${one.type} ${one.id}: ${one.reason}`),
  ]);
}

async function restoreRevision(target: CliTarget, out: CommandOutput, revision_id: string): Promise<void> {
  const { revision } = await target.planner.call('get_revision', { revision_id });
  const result = await target.planner.call('restore_revision', { revision_id });
  const {
    target_type: type,
    created_at: at,
    ...of
  } = revision as Parameters<typeof nameOfTarget>[1] & {
    readonly created_at: string;
  };
  const name = await nameOfTarget(target, { target_type: type, ...of });
  out.print(result, `Restored: the ${type} ${name}, as it was before ${minuteOf(at)}.`);
}
