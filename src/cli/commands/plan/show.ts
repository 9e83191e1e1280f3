import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import type { FieldChange, FoundRecord, RevisionDiff } from '../../../schema/types.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import type { ShownLine } from '../../terminal/style.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { findRecord } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject } from '../../call/project-choice.ts';
import { recordOf, textOfRecord } from '../../records/record-commands.ts';
import { isRevisionId, nameOfTarget, revisionsMeant } from '../../records/revisions.ts';
import { minuteOf } from '../../terminal/show-text.ts';
import { showTask } from './task-show.ts';

/** `show`: a revision, or any record. */
export function addShowCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'show <revision|record>',
      description: 'show a change that planner log lists, or a record',
      examples: ['show 4n0c', 'show "Take payments"'],
    },
    async ([text], _, out, target) => {
      if (isRevisionId(text)) return showRevision(target, out, text);
      let unknown: unknown;
      try {
        return await showRecord(target, out, await findRecord(target, undefined, text));
      } catch (thrown) {
        if (!(thrown instanceof PlannerError) || thrown.code !== 'not_found') throw thrown;
        unknown = thrown;
      }
      const [id, ...more] = await revisionsMeant(target, (await chooseProject(target, {})).id, text);
      if (id === undefined) throw unknown;
      if (more.length > 0) throw severalRevisions(text, [id, ...more]);
      return showRevision(target, out, id);
    },
  );
}

export function severalRevisions(text: string, ids: readonly string[]): PlannerError {
  const message = `${JSON.stringify(text)} can mean ${ids.length} revisions: choose one by its id. There are ${ids.join(', ')}.`;
  return new PlannerError('conflict', message);
}

async function showRevision(target: CliTarget, out: CommandOutput, revision_id: string): Promise<void> {
  const result = await target.planner.call('diff_revision', { revision_id });
  const diff = result['diff'] as RevisionDiff;
  const { target_type: type, author, created_at: at, changed_fields: fields, changes } = diff;
  const name = await nameOfTarget(target, diff);
  const happened = fields.includes('deleted') ? ' was deleted' : '';
  out.print(result, [
    `${type} ${name}${happened}`,
    `${minuteOf(at)}  ${author}  ${revision_id}`,
    ...changes.flatMap(changeLines),
  ]);
}

/** A text as a unified diff without its header and the marks of missing line ends, any other value before and after. */
function changeLines({ field, before, after, unified }: FieldChange): readonly ShownLine[] {
  if (unified === undefined) return ['', `${field}: ${valueText(before)} → ${valueText(after)}`];
  const lines = unified.slice(Math.max(0, unified.search(/^@@/m))).replace(/^\\ .*\n?/gm, '');
  return ['', `${field}:`, { block: lines.trimEnd() }];
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function showRecord(target: CliTarget, out: CommandOutput, { kind, id }: FoundRecord): Promise<void> {
  if (kind === 'task') return showTask(target, out, id);
  const result = await recordOf(target, kind, id);
  if (kind === 'document' || kind === 'note' || kind === 'artifact')
    return out.print(result, { block: textOfRecord(kind, result) });
  const fields = Object.entries(result[kind] as Readonly<Record<string, unknown>>);
  const shown = fields.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '');
  const width = Math.max(...shown.map(([field]) => field.length));
  return out.print(
    result,
    shown.map(([field, value]) => ({ block: `${field.padEnd(width)}  ${String(value)}` })),
  );
}
