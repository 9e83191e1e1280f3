import { conflict, PlannerError } from '../../errors.ts';
import type { View } from '../../store/index.ts';
import type { FindRecordInput, FoundKind, FoundRecord, PlannerCollections } from '../records/collections.ts';
import { listNamed, meantBy } from '../../named.ts';
import type { Named } from '../../named.ts';

type V = View<PlannerCollections>;

/** A record by what people call it. */
type Candidate = FoundRecord & Named;

/** How messages name what a kind is called by. */
const nameWords: Readonly<Record<FoundKind, string>> = {
  task: 'label',
  goal: 'name',
  document: 'title',
  folder: 'name',
  note: 'title',
  artifact: 'title',
  prototype: 'name',
};

const allKinds = Object.keys(nameWords) as FoundKind[];

/**
 * The one record that a text means. Records of the current project precede those of others. Throws `not_found`, and `conflict` with the
 * matches if there are several.
 */
export function findRecord(views: readonly V[], input: FindRecordInput, currentProject?: string): FoundRecord {
  const { text, kinds = allKinds, current_project_id: current = currentProject } = input;
  const isCurrent = ({ project }: V): boolean => project === current;
  for (const near of [views.filter(isCurrent), views.filter((view) => !isCurrent(view))]) {
    const found = meantBy(
      near.flatMap((view) => kinds.flatMap((kind) => candidates(view, kind))),
      text.trim(),
    );
    const [first, second] = found;
    if (second !== undefined) throw severalMeant(text, found);
    if (first !== undefined) return shown(first);
  }
  throw noneMeant(text, kinds);
}

function candidates(view: V, kind: FoundKind): Candidate[] {
  const project_id = view.project;
  switch (kind) {
    case 'task':
      return [...view.list(kind)].map(({ id, label }) => ({ kind, id, project_id, name: label }));
    case 'goal':
      return [...view.list(kind)].map(({ id, name, aliases }) => ({ kind, id, project_id, name, aliases }));
    case 'folder':
    case 'prototype':
      return [...view.list(kind)].map(({ id, name }) => ({ kind, id, project_id, name }));
    default:
      return [...view.list(kind)].map(({ id, title }) => ({ kind, id, project_id, name: title }));
  }
}

function shown({ kind, id, project_id, name }: Candidate): FoundRecord {
  return { kind, id, project_id, name };
}

function severalMeant(text: string, found: readonly Candidate[]): PlannerError {
  const message = `${JSON.stringify(text)} can mean ${found.length} records: choose one by its id. There are ${listNamed(found)}.`;
  return conflict(message, { matches: found.slice(0, matchesMax).map(shown) });
}

const matchesMax = 20;

function noneMeant(text: string, kinds: readonly FoundKind[]): PlannerError {
  const [kind] = kinds;
  const what = kinds.length === allKinds.length ? 'record' : kinds.join(' or ');
  const word = kinds.length === 1 && kind !== undefined ? nameWords[kind] : 'name';
  return new PlannerError(
    'not_found',
    `There is no ${what} ${JSON.stringify(text)}: give the id, its beginning (the type and at least 4 characters), or the ${word}.`,
    { resource: kinds.length === 1 && kind !== undefined ? kind : 'record', id: text },
  );
}
