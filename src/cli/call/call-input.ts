import { PlannerError } from '../../base/errors.ts';
import { projectCodeOf } from '../../base/ids.ts';
import { idMembers } from '../../operations/pipeline/find-project.ts';
import type { FoundKind, FoundRecord } from '../../schema/types.ts';
import type { CliTarget } from './cli-target.ts';
import { findRecord, inProject, isWholeId } from './find-record.ts';
import type { Input } from '../service/planner-port.ts';
import { chooseProject } from './project-choice.ts';
import type { ProjectOption } from './project-choice.ts';

/**
 * The input of `planner call` as the tool takes it: the beginnings and names in its members for ids become ids, and a
 * tool that takes a project gets the one of `project_id` or --project, else the project of the first id, else the
 * project of every command.
 */
export async function callInput(
  target: CliTarget,
  { takesProject }: { readonly takesProject: boolean },
  given: Input,
  { project }: ProjectOption,
): Promise<Input> {
  const named = await namedProject(target, project ?? given['project_id']);
  const { ids, holder } = await wholeIds(named === undefined ? target : inProject(target, named), given);
  const input = { ...given, ...ids };
  if (named !== undefined) return { ...input, project_id: named };
  if (!takesProject || Object.hasOwn(input, 'project_id')) return input;
  const { project_id: bound } = target.config;
  const id = holder ?? (await projectHolding(target, input, bound)) ?? bound ?? (await chooseProject(target, {})).id;
  return { ...input, project_id: id };
}

async function namedProject(target: CliTarget, project: unknown): Promise<string | undefined> {
  if (typeof project !== 'string' || isWholeId(project)) return project as string | undefined;
  return (await chooseProject(target, { project })).id;
}

/** The ids for which the input has a beginning or a name, and the project of the first one. */
async function wholeIds(
  target: CliTarget,
  input: Input,
): Promise<{ readonly ids: Record<string, string>; readonly holder?: string | undefined }> {
  const ids: Record<string, string> = {};
  let holder: string | undefined;
  for (const [member, resource] of Object.entries(idMembers)) {
    const text = input[member];
    // The kind of `from_id` is in `from_type`.
    const kind = resource ?? input[member.replace(/_id$/, '_type')];
    if (typeof kind !== 'string' || typeof text !== 'string' || text === '' || isWholeId(text)) continue;
    const found = await foundRecord(target, [kind as FoundKind], text);
    if (found === undefined) continue;
    ids[member] = found.id;
    holder ??= found.project_id;
  }
  return { ids, holder };
}

/**
 * The project that holds the first id of an input; undefined if no project does. An id of the bound project needs no
 * request.
 */
async function projectHolding(target: CliTarget, input: Input, bound: string | undefined): Promise<string | undefined> {
  const id = Object.keys(idMembers).flatMap((member) => input[member] ?? [])[0];
  if (typeof id !== 'string') return undefined;
  const code = projectCodeOf(id);
  if (bound !== undefined && code !== undefined && code === projectCodeOf(bound)) return bound;
  return (await foundRecord(target, undefined, id))?.project_id;
}

/** Returns whether an error is about the kinds themselves. */
function isOfKinds({ field }: PlannerError): boolean {
  return field?.startsWith('kinds') === true;
}

/** Undefined if there is no such record: the tool reports that itself. */
async function foundRecord(
  target: CliTarget,
  kinds: readonly FoundKind[] | undefined,
  text: string,
): Promise<FoundRecord | undefined> {
  try {
    return await findRecord(target, kinds, text);
  } catch (thrown) {
    const isForTool = thrown instanceof PlannerError && (thrown.code === 'not_found' || isOfKinds(thrown));
    if (isForTool) return undefined;
    throw thrown;
  }
}
