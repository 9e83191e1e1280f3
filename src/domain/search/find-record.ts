import { conflict, PlannerError } from '../../base/errors.ts';
import type { FindRecordInput, FoundKind, FoundRecord, PlanReadTransaction } from '../records/collections.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { BestMatches, idEndMin, LikeNames, listNamed, proposal } from '../../base/named.ts';
import type { Named } from '../../base/named.ts';

/** A record by what people call it. */
type Candidate = FoundRecord & Named;

/** The word in messages for the name of each kind. */
const nameWords: Readonly<Record<FoundKind, string>> = {
  task: 'label',
  goal: 'name',
  document: 'title',
  folder: 'name',
  note: 'title',
  artifact: 'title',
  prototype: 'name',
};

export const foundKinds = Object.keys(nameWords) as FoundKind[];

/**
 * Finds the one record that a text means, in steps: its id, the beginning or end of its id, its name or a part of its
 * name. The project may change in between. Records of the current project precede records of other projects. Throws
 * `not_found`, and `conflict` with the matches if there are several.
 */
export function findRecord(
  views: readonly PlanReadTransaction[],
  input: FindRecordInput,
  {
    current: currentProject,
    isIncomplete = false,
  }: { current?: string | undefined; isIncomplete?: boolean | undefined } = {},
): Steps<FoundRecord> {
  const { text, kinds = foundKinds, current_project_id: current = currentProject } = input;
  const isCurrent = ({ project }: PlanReadTransaction): boolean => project === current;
  const groups = [views.filter(isCurrent), views.filter((view) => !isCurrent(view))];
  return bestOf(
    groups.map((near) => near.flatMap((view) => kinds.map((kind) => recordsOf(view, kind)))),
    { text: text.trim(), kinds, isIncomplete },
  );
}

interface Meant {
  readonly text: string;
  readonly kinds: readonly FoundKind[];
  /** Some projects were not looked at. */
  readonly isIncomplete: boolean;
}

function* bestOf(groups: readonly (readonly Iterable<Candidate>[])[], meant: Meant): Steps<FoundRecord> {
  const { text } = meant;
  for (const near of groups) {
    const matches = new BestMatches<Candidate>(text, { parts: true });
    for (const records of near) yield* eachInSteps(records, (record) => matches.add(record));
    const found = matches.found.length > matchesMax ? matches.found : matches.found.filter(isMeant);
    const [first, second] = found;
    if (second !== undefined) throw severalMeant(text, found);
    if (first !== undefined) return shown(first);
  }
  const like = new LikeNames(text);
  const names = new Set<string>();
  for (const records of groups.flat())
    yield* eachInSteps(records, ({ id, name }) => {
      like.add(name);
      if (names.size <= namesListedMax) names.add(name ?? id);
    });
  const instead = like.found.length > 0 ? proposal(like.found) : listOf(names, meant.kinds);
  throw noneMeant(meant, instead, names.size === 0);
}

/** Returns false for an artifact that is named after another match, as `Gate of Take payments` is: the other is meant. */
function isMeant({ kind, name }: Candidate, _: number, found: readonly Candidate[]): boolean {
  const isAfter = (other: Candidate): boolean =>
    other.kind !== 'artifact' && other.name !== null && other.name !== name && name?.includes(other.name) === true;
  return kind !== 'artifact' || !found.some(isAfter);
}

/** The records of a kind as they are now, converted one by one as they are read. */
function recordsOf(view: PlanReadTransaction, kind: FoundKind): Iterable<Candidate> {
  const records: readonly NamedRecord[] = [...view.list(kind)];
  const candidate = (record: NamedRecord): Candidate => candidateOf(record, kind, view.project);
  return { [Symbol.iterator]: () => records.values().map(candidate) };
}

/** A record of any of the kinds, by the fields that it is called by. */
interface NamedRecord {
  readonly id: string;
  readonly label?: string;
  readonly title?: string;
  readonly name?: string | null;
  readonly aliases?: readonly string[];
  readonly imported_from?: string | null;
}

/** Records that were imported have their id in the other tool as a further name. */
function candidateOf(record: NamedRecord, kind: FoundKind, project_id: string): Candidate {
  const { id, label, title, name, aliases = [], imported_from: origin } = record;
  const foreignId = origin?.slice(origin.indexOf(':') + 1);
  const names = foreignId === undefined ? aliases : [...aliases, foreignId];
  return { kind, id, project_id, name: label ?? title ?? name ?? null, aliases: names };
}

function shown({ kind, id, project_id, name }: Candidate): FoundRecord {
  return { kind, id, project_id, name };
}

function severalMeant(text: string, found: readonly Candidate[]): PlannerError {
  const how = found.some(({ id }) => id === text) ? 'name' : 'id';
  const message = `${JSON.stringify(text)} can mean ${found.length} records: choose one by its ${how}. There are ${listNamed(found)}.`;
  return conflict(message, { matches: found.slice(0, matchesMax).map(shown) });
}

const matchesMax = 20;

/** So many names are a list that is read; more are no help. */
const namesListedMax = 10;

function whatOf(kinds: readonly FoundKind[]): string {
  return kinds.length === foundKinds.length ? 'record' : kinds.join(' or ');
}

/** The existing names, if no name is similar to the text: ` There is "General".`; empty for too many. */
function listOf(names: ReadonlySet<string>, kinds: readonly FoundKind[]): string {
  if (names.size > namesListedMax) return '';
  if (names.size === 0) return ` There is no ${whatOf(kinds)} yet.`;
  return ` There ${names.size === 1 ? 'is' : 'are'} ${[...names].map((name) => JSON.stringify(name)).join(', ')}.`;
}

function noneMeant({ text, kinds, isIncomplete }: Meant, instead: string, none: boolean): PlannerError {
  const [kind] = kinds;
  const word = kinds.length === 1 && kind !== undefined ? nameWords[kind] : 'name';
  return new PlannerError(
    'not_found',
    `There is no ${whatOf(kinds)} ${JSON.stringify(text)}: give the id, its end of at least ${idEndMin} characters, or the ${word} or a part of it.${instead}${isIncomplete ? ' Projects that were not used lately were not looked at: name the project.' : ''}`,
    { resource: kinds.length === 1 && kind !== undefined ? kind : 'record', id: text, ...(none ? { none } : {}) },
  );
}
