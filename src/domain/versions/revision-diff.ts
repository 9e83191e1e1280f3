import { equal, membersOf } from '../../store/index.ts';
import type { Revision as StoredRevision } from '../../store/index.ts';
import { collections, type FieldChange, type PlanReadTransaction, type RevisionDiff } from '../records/collections.ts';
import {
  isDeletion,
  markOfRevision,
  showRevision,
  stateBefore,
  takeFromNewer,
  wireName,
  wireValue,
} from './revisions.ts';
import type { Renderings } from '../text/renderers.ts';
type Fields = Readonly<Record<string, unknown>>;

/** The changes of a revision, field by field, with texts as unified diffs, for people. For a deletion, the whole record. */
export function diffOf(view: PlanReadTransaction, revision: StoredRevision, renderings: Renderings): RevisionDiff {
  const { target_type: type } = revision;
  const before = stateBefore(view, revision);
  const fields = isDeletion(revision) ? Object.keys(before) : revision.fields;
  const after = isDeletion(revision) ? {} : stateAfter(view, revision);
  const changes = fields
    .filter((name) => !equal(before[name] ?? null, after[name] ?? null))
    .map((name) => {
      const value = (state: Fields): unknown =>
        name in state ? (wireValue(view, type, name, state[name]) ?? null) : null;
      return fieldChange(type, name, value(before), value(after), renderings);
    });
  return { ...showRevision(view, revision), changes, ...markOfRevision(view, revision) };
}

/** The fields that a revision changed, after the change: from the next newer revision that changed them, else from the record. */
function stateAfter(view: PlanReadTransaction, revision: StoredRevision): Fields {
  const { target, target_type: type, fields } = revision;
  const names = new Set(fields);
  const state: Record<string, unknown> = {};
  const take = (source: Fields): void => {
    for (const name of names) {
      if (!(name in source)) continue;
      state[name] = source[name];
      names.delete(name);
    }
  };
  takeFromNewer(view, revision, names, take);
  const present = view.find(target);
  if (present?.collection === type) take(membersOf(present.record));
  return state;
}

const texts: ReadonlyMap<string, readonly string[]> = new Map(
  collections.map(({ name, texts: names }) => [name, names]),
);

function fieldChange(type: string, name: string, before: unknown, after: unknown, renderings: Renderings): FieldChange {
  const field = wireName(type, name);
  const isText = texts.get(type)?.includes(name) === true;
  if (!isText || !isTextOrNothing(before) || !isTextOrNothing(after)) return { field, before, after } as FieldChange;
  const [from, to] = [before ?? '', after ?? ''];
  return { field, unified: renderings.of('unified', from + to, { field, beforeCharacters: from.length }) };
}

function isTextOrNothing(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
