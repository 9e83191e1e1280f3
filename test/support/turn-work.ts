import { renderers } from '../../src/domain/text/renderers.ts';
import { limits } from '../../src/base/limits.ts';
import { ProjectIndex } from '../../src/store/replica/project-index.ts';
import { Table } from '../../src/store/replica/table.ts';
import { HistoryIndex } from '../../src/store/files/project/history.ts';

/** The work that one turn of the event loop handled. */
export interface TurnWork {
  /** Records, links and revisions that were read from memory, one by one or as a list, each time. */
  readonly read: number;
  /** Records that were changed. */
  readonly changed: number;
  /** Characters of JSON that was written, and of texts that were rendered or compared. */
  readonly characters: number;
}

/** Work on fewer records is done in one step. */
const few = 64;

const nothing: TurnWork = { read: 0, changed: 0, characters: 0 };
type Counted = { -readonly [K in keyof TurnWork]: TurnWork[K] };
let counted: Counted = { ...nothing };

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces methods by ones that count, until the function that is returned is called. */
function replaced(on: object, methods: Readonly<Record<string, (original: Method) => Method>>): () => void {
  const originals = Object.keys(methods).map((name) => [name, Object.getOwnPropertyDescriptor(on, name)!] as const);
  for (const [name, { value }] of originals)
    Object.defineProperty(on, name, { value: methods[name]!(value as Method), configurable: true, writable: true });
  return () => {
    for (const [name, descriptor] of originals) Object.defineProperty(on, name, descriptor);
  };
}

const eachRead = (original: Method): Method =>
  function* (this: unknown, ...args: unknown[]) {
    for (const item of original.apply(this, args) as Iterable<unknown>) {
      counted.read++;
      yield item;
    }
  };

const listRead = (original: Method): Method =>
  function (this: unknown, ...args: unknown[]) {
    const found = original.apply(this, args) as readonly unknown[];
    counted.read += found.length;
    return found;
  };

const oneRead = (original: Method): Method =>
  function (this: unknown, ...args: unknown[]) {
    counted.read++;
    return original.apply(this, args);
  };

const oneChanged = (original: Method): Method =>
  function (this: unknown, ...args: unknown[]) {
    counted.changed++;
    return original.apply(this, args);
  };

const written = (original: Method): Method =>
  function (this: unknown, ...args: unknown[]) {
    const text: unknown = original.apply(this, args);
    if (typeof text === 'string') counted.characters += text.length;
    return text;
  };

const rendered = (original: Method): Method =>
  function (this: unknown, ...args: unknown[]) {
    counted.characters += (args[0] as string).length;
    return original.apply(this, args);
  };

/**
 * Counts what each turn of this process handles while `run` runs, one step of work in slices for each turn, with slices for `few` records
 * already; returns the most of each. Every operation reads records through the tables of a project or of the service, whatever it does with
 * them, so that a new one is counted as well.
 */
export async function longestTurnOf(run: () => Promise<unknown>): Promise<TurnWork> {
  const { turnBudgetMs, readAtOnceRecordsMax, slicedChangeRecordsMin, slicedEntryChangesMin } = limits;
  const original = { turnBudgetMs, readAtOnceRecordsMax, slicedChangeRecordsMin, slicedEntryChangesMin };
  const restore = [
    replaced(Table.prototype, { get: oneRead, list: eachRead, values: eachRead, by: listRead, keys: eachRead }),
    replaced(ProjectIndex.prototype, { edges: eachRead, incoming: listRead, edge: oneRead, apply: oneChanged }),
    replaced(HistoryIndex.prototype, { revisions: eachRead, ids: eachRead, revision: oneRead }),
    replaced(JSON, { stringify: written }),
    ...Object.values(renderers).map((renderer) => replaced(renderer, { render: rendered })),
  ];
  let most: TurnWork = nothing;
  let running = true;
  const endTurn = (): void => {
    most = {
      read: Math.max(most.read, counted.read),
      changed: Math.max(most.changed, counted.changed),
      characters: Math.max(most.characters, counted.characters),
    };
    counted = { ...nothing };
    if (running) setImmediate(endTurn);
  };
  Object.assign(limits, {
    turnBudgetMs: 0,
    readAtOnceRecordsMax: few,
    slicedChangeRecordsMin: few,
    slicedEntryChangesMin: few,
  });
  counted = { ...nothing };
  setImmediate(endTurn);
  try {
    await run();
  } finally {
    running = false;
    endTurn();
    Object.assign(limits, original);
    for (const each of restore) each();
  }
  return most;
}
