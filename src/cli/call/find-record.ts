import { LikeNames, listNamed, meantBy, proposal } from '../../base/named.ts';
import { PlannerError } from '../../base/errors.ts';
import { projectCodeOf } from '../../base/ids.ts';
import type { FoundKind, FoundRecord } from '../../schema/types.ts';
import { present } from './command-line.ts';
import type { CliTarget } from './cli-target.ts';
import { chooseProject } from './project-choice.ts';
import type { ProjectOption } from './project-choice.ts';

/** The record that an argument means: an id, its beginning or a name. The bound project precedes the others. One request. */
export async function findRecord(
  { planner, config }: CliTarget,
  kinds: readonly FoundKind[] | undefined,
  text: string,
): Promise<FoundRecord> {
  if (text.trim() === '')
    throw new PlannerError('invalid_argument', 'A name is empty: give an id, its end, a label, or a part of a label.');
  const input = present({ text, kinds, current_project_id: config.project_id });
  try {
    return (await planner.call('find_record', input))['record'] as FoundRecord;
  } catch (thrown) {
    const [kind] = kinds ?? [];
    const add = kind && addCommands[kind];
    if (!(thrown instanceof PlannerError) || thrown.details['none'] !== true || add === undefined) throw thrown;
    throw new PlannerError(thrown.code, `${thrown.message} ${add} adds one.`, thrown.details);
  }
}

const addCommands: Readonly<Partial<Record<FoundKind, string>>> = {
  task: 'planner task add <label>',
  goal: 'planner goal add <name>',
  document: 'planner doc add <title>',
  note: 'planner note add <title>',
  artifact: 'planner artifact add <title>',
};

/** The records with exactly this name in a project, of which a text may mean several. */
export async function recordsNamed(
  { planner }: Pick<CliTarget, 'planner'>,
  kind: FoundKind,
  { project_id, name }: { readonly project_id: string | undefined; readonly name: string },
): Promise<readonly FoundRecord[]> {
  const found = planner.call('find_record', present({ text: name, kinds: [kind], current_project_id: project_id }));
  const meant = await found.then(
    ({ record }) => [record as FoundRecord],
    (thrown: unknown) => {
      if (!(thrown instanceof PlannerError) || !['not_found', 'conflict'].includes(thrown.code)) throw thrown;
      return (thrown.details['matches'] ?? []) as readonly FoundRecord[];
    },
  );
  return meant.filter((one) => one.name === name && one.project_id === project_id);
}

/** The id that an argument means. A whole id needs no request: the operation that gets it checks whether it exists. */
export async function idOf(target: CliTarget, kinds: readonly FoundKind[], text: string): Promise<string> {
  return isWholeId(text) ? text : (await findRecord(target, kinds, text)).id;
}

/** Finds the id in an option: undefined if it is not given, and an empty text, which clears a field, as it is. */
export async function idOfOption(
  target: CliTarget,
  kinds: readonly FoundKind[],
  text: string | undefined,
): Promise<string | undefined> {
  return text === undefined || text === '' ? text : idOf(target, kinds, text);
}

/** The project of a command and the goal of its --goal. Without --project, the goal names the project. */
export async function projectAndGoal(
  target: CliTarget,
  { project, goal }: ProjectOption & { readonly goal?: string },
): Promise<{ readonly project_id: string; readonly goal_id: string | undefined }> {
  if (goal === undefined) return { project_id: (await chooseProject(target, { project })).id, goal_id: undefined };
  if (project === undefined) {
    const found = await findRecord(target, ['goal'], goal);
    return { project_id: found.project_id, goal_id: found.id };
  }
  const { id } = await chooseProject(target, { project });
  return { project_id: id, goal_id: await idOf(inProject(target, id), ['goal'], goal) };
}

/** The target with the project of --project, if it is given. */
export async function near(target: CliTarget, { project }: ProjectOption): Promise<CliTarget> {
  return project === undefined ? target : inProject(target, (await chooseProject(target, { project })).id);
}

/** The target with another current project, whose names precede the names of other projects. */
export function inProject(target: CliTarget, project: string): CliTarget {
  return { ...target, config: { ...target.config, project_id: project } };
}

/**
 * The id of the record that a command changes, and where the names in its options are looked up: in the project of that record. `names`: the
 * values of these options.
 */
export async function recordToChange(
  target: CliTarget,
  kind: FoundKind,
  text: string,
  names: readonly (string | undefined)[],
): Promise<{ readonly id: string; readonly near: CliTarget }> {
  if (names.every((name) => name === undefined || name === '' || isWholeId(name)))
    return { id: await idOf(target, [kind], text), near: target };
  const { id, project_id } = await findRecord(target, [kind], text);
  return { id, near: inProject(target, project_id) };
}

export function isWholeId(text: string): boolean {
  return projectCodeOf(text) !== undefined;
}

/** Records that are listed for an argument. */
interface Listed {
  /** A noun for one of the records. */
  readonly what: string;
  /** The command that lists them. */
  readonly command: string;
}

/** The id that an argument means among records that are listed for it. A whole id needs no list. */
export async function idAmong(
  list: () => Promise<readonly { readonly id: string; readonly name?: unknown }[]>,
  { what, command }: Listed,
  text: string,
): Promise<string> {
  if (isWholeId(text)) return text;
  const records = (await list()).map(({ id, name }) => ({ id, name: typeof name === 'string' ? name : null }));
  const found = meantBy(records, text, { parts: true });
  if (found.length === 1) return found[0]!.id;
  if (found.length > 1)
    throw new PlannerError(
      'conflict',
      `${JSON.stringify(text)} can mean ${found.length} of them: choose one by its id. There are ${listNamed(found)}.`,
    );
  const like = new LikeNames(text);
  for (const { name } of records) like.add(name);
  const message = `There is no ${what} ${JSON.stringify(text)}: ${command} lists them.${proposal(like.found)}`;
  throw new PlannerError('not_found', message, { resource: what, id: text });
}
