import { firstWhere } from '../../../base/first-where.ts';
import { type Moment, isAsked, isOfKind, newestFirst } from '../../replica/revision-index.ts';
import type { HistoryQuery } from '../../record/record.ts';
import { LostIndexFile } from './history-blocks.ts';
import type { Reference } from './history-reference.ts';
import { type Key, ofTarget } from './history-rows.ts';
import type { IndexFiles } from './index-files.ts';
import type { RecentRevisions } from './recent-revisions.ts';

/** What a history consists of. */
export interface References {
  readonly recent: RecentRevisions;
  readonly files: IndexFiles | undefined;
  /** Changes when references come to be in another place: an iteration then finds its position again. */
  readonly generation: number;
  /** A file of the index cannot be read: what it had is read again. */
  lose(path: string): void;
}

type Compare = (a: Moment, b: Moment) => number;

const oldestFirst: Compare = (a, b) => newestFirst(b, a);

/** The references that a query asks for, in its order, each id once. Correct under concurrent changes. */
export function* orderedReferences(history: References, query: HistoryQuery): Generator<Reference> {
  const compare = query.newer === undefined ? newestFirst : oldestFirst;
  let last: Moment | undefined = query.newer ?? query.after;
  for (let isComplete = false; !isComplete;) {
    const { generation } = history;
    try {
      isComplete = true;
      for (const reference of merged(sourcesOf(history, query, last), compare)) {
        if (reference.id === last?.id || !isAsked(reference, query)) continue;
        last = reference;
        yield reference;
        if ((isComplete = history.generation === generation)) continue;
        break;
      }
    } catch (error) {
      if (!(error instanceof LostIndexFile)) throw error;
      history.lose(error.path);
      isComplete = false;
    }
  }
}

/** Runs until no file turns out to be lost. */
export function untilFound<T>(history: References, find: () => T): T {
  for (;;) {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof LostIndexFile)) throw error;
      history.lose(error.path);
    }
  }
}

/** The references behind `from` in memory and in each file. */
function sourcesOf(
  { recent, files }: References,
  query: HistoryQuery,
  from: Moment | undefined,
): readonly Iterator<Reference>[] {
  const { target, newer } = query;
  const isAscending = newer !== undefined;
  const inMemory = recent.newestFirst(target);
  const isBehind = (one: Moment): boolean =>
    from === undefined || (isAscending ? newestFirst(one, from) >= 0 : newestFirst(one, from) > 0);
  const start = firstWhere(inMemory, isBehind);
  const sources = [
    isAscending ? inMemory.slice(0, start).reverse().values() : fromIndex(inMemory, start),
    ...(files?.all ?? []).map((file) => {
      const isBeyond = ({ target: of, ...moment }: Key): boolean =>
        target === undefined || of === target ? isBehind(moment) : of > target;
      const order = target === undefined ? 'time' : 'target';
      const rows = isAscending
        ? file.backward(order, isBeyond)
        : file.forward(order, isBeyond, (kinds) => kinds.some(([type, author]) => isOfKind({ type, author }, query)));
      return target === undefined ? rows : ofTarget(rows, target);
    }),
  ];
  return sources;
}

function* fromIndex(references: readonly Reference[], start: number): Generator<Reference> {
  for (let at = start; at < references.length; at++) yield references[at]!;
}

/** Items of several sources that are in order, in order. */
function* merged(sources: readonly Iterator<Reference>[], compare: Compare): Generator<Reference> {
  let heads = sources.flatMap((source) => headOf(source));
  while (heads.length > 0) {
    let first = heads[0]!;
    for (const head of heads) if (compare(head.value, first.value) < 0) first = head;
    yield first.value;
    const next = first.source.next();
    if (next.done === true) heads = heads.filter((head) => head !== first);
    else first.value = next.value;
  }
}

interface SourceHead {
  readonly source: Iterator<Reference>;
  value: Reference;
}

function headOf(source: Iterator<Reference>): SourceHead[] {
  const first = source.next();
  return first.done === true ? [] : [{ source, value: first.value }];
}
