import type { Command } from 'commander';
import { addPlanCommand } from '../call/command-line.ts';
import type { CommandOutput } from '../call/command-line.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { findRecord, idOf, near } from '../call/find-record.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { chooseProject, projectOption } from '../call/project-choice.ts';
import type { ProjectOption } from '../call/project-choice.ts';
import { shownIds } from '../call/short-ids.ts';
import { row, span } from '../terminal/style.ts';
import type { StyledLine } from '../terminal/style.ts';

/** Kinds of records that have a title and a text, and the member of the text. */
const texts = { document: 'body', note: 'body', artifact: 'content' } as const;
type TextKind = keyof typeof texts;

/** The members of a note or an artifact that are printed. */
export interface TitledRow {
  readonly id: string;
  readonly title: string;
  /** The kind of an artifact. */
  readonly kind?: string;
}

/** A line for each record, with the short id that commands take. */
export async function titledRows(
  target: CliTarget,
  project_id: string,
  rows: readonly TitledRow[],
): Promise<readonly StyledLine[]> {
  const ids = rows.map(({ id }) => id);
  const shown = await shownIds(target, project_id, ids);
  const width = Math.max(...ids.map((id) => shown(id).length));
  return rows.map(({ id, title, kind }) =>
    row(span('dim', shown(id).padEnd(width)), `  ${title}${kind === 'html' ? '  (html)' : ''}`),
  );
}

/** `list` of notes or artifacts. */
export function addTitledList(deps: ProgramDeps, group: Command, kind: 'note' | 'artifact'): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'list',
      description: `list ${kind}s, oldest first`,
      examples: [`${kind} list`, `${kind} list --project "Web shop" --json`],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => listTitled(target, kind, options, out),
  );
}

/** Prints the notes or artifacts of a project. */
export async function listTitled(
  target: CliTarget,
  kind: 'note' | 'artifact',
  options: ProjectOption,
  out: CommandOutput,
): Promise<void> {
  const { id } = await chooseProject(target, options);
  const result = await target.planner.call(`list_${kind}s`, { project_id: id });
  const rows = result[`${kind}s`] as readonly TitledRow[];
  out.print(result, rows.length === 0 ? `No ${kind}s.` : await titledRows(target, id, rows));
}

/** `show`: prints the text of a record, as it is; without one, `list` prints the records. */
export function addTextShow(
  deps: ProgramDeps,
  group: Command,
  kind: TextKind,
  {
    what,
    example,
    list,
  }: {
    readonly what: string;
    readonly example: string;
    readonly list: (target: CliTarget, options: ProjectOption, out: CommandOutput) => Promise<void>;
  },
): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: `show [${kind}]`,
      isDefault: true,
      description: `print ${what}; also planner ${group.name()} <${kind}>; without one, list`,
      examples: [`${group.name()} show ${example}`, `${group.name()} show 9q3f > text.md`, group.name()],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      if (text === undefined) return list(target, options, out);
      const result = await recordOf(target, kind, await idOf(await near(target, options), [kind], text));
      out.print(result, { block: textOfRecord(kind, result) });
    },
  );
}

/** A record as the operation that gets it returns it. */
export function recordOf({ planner }: CliTarget, kind: string, id: string): Promise<Readonly<Record<string, unknown>>> {
  return planner.call(`get_${kind}`, { [`${kind}_id`]: id });
}

export function textOfRecord(kind: TextKind, result: Readonly<Record<string, unknown>>): string {
  return (result[kind] as Readonly<Record<string, string | undefined>>)[texts[kind]] ?? '';
}

/** `rm`: deletes records of a kind. All are looked up before one is deleted. */
export function addRemoval(
  deps: ProgramDeps,
  group: Command,
  kind: TextKind | 'task',
  examples: readonly string[],
): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: `rm <${kind}...>`,
      isChange: true,
      description: `delete ${kind}s, with their links and comments; planner restore brings them back`,
      examples,
    },
    async (given, _, out, target) => {
      const found = await Promise.all(given.map((text) => findRecord(target, [kind], text)));
      for (const { id } of found) await target.planner.call(`delete_${kind}`, { [`${kind}_id`]: id });
      printDeleted(out, found);
    },
  );
}

/** Prints the deletions of a command, and the way to restore them. */
export function printDeleted(
  out: CommandOutput,
  found: readonly { readonly id: string; readonly name: string | null }[],
): void {
  out.print({ deleted: found.map(({ id }) => id) }, [
    ...found.map(({ name }) => `Deleted: ${name ?? ''}`),
    'planner restore brings back what was deleted.',
  ]);
}
