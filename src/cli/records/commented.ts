import type { CommentTarget } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { findRecord, isWholeId } from '../call/find-record.ts';

/** The kinds that can have comments, and are found by their names. */
const kinds = ['task', 'document', 'note', 'artifact'] as const;

/** A record that can have comments, as operations name it. */
export interface Commented {
  readonly on: { readonly project_id?: string; readonly target_type: CommentTarget; readonly target_id: string };
  readonly name: string;
}

/** The record that an argument means, to comment on it. A submission is meant by its id alone: a guest chose its title. */
export async function findCommented(target: CliTarget, text: string): Promise<Commented> {
  if (text.startsWith('sub_') && isWholeId(text))
    return { on: { target_type: 'submission', target_id: text }, name: text };
  const { kind, id, project_id, name } = await findRecord(target, kinds, text);
  return { on: { project_id, target_type: kind as (typeof kinds)[number], target_id: id }, name: name ?? id };
}
