import { ProjectReadTransaction, type TransactionContext } from '../../replica/transaction.ts';
import type { FeedPage, FeedQuery } from '../../record/feed.ts';
import { type LookUps, Needed } from '../../record/look-ups.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { ColdProject } from './cold-project.ts';
import type { HostedFeeds } from './hosted-feeds.ts';

export interface ColdViewDeps extends Pick<TransactionContext, 'service' | 'ids' | 'collections'> {
  readonly feeds: HostedFeeds | undefined;
  readonly lookUps: LookUps;
  readonly now: () => string;
  /** Runs with the project in memory; not at all if it is gone. */
  readonly loaded: (project: string, run: () => void) => Promise<void>;
}

/**
 * A view of a cold project: its own record, and its events as far as they are in memory. What else is asked for throws
 * `Needed`: the rule runs again once the project is loaded.
 */
export class ColdView extends ProjectReadTransaction {
  readonly #project: ColdProject;
  readonly #deps: ColdViewDeps;

  constructor(project: ColdProject, deps: ColdViewDeps) {
    super(contextOf(project, deps), deps.now);
    this.#project = project;
    this.#deps = deps;
  }

  override get(collection: string, id: string): StoredRecord | undefined {
    return id === this.#project.id ? this.#project.record : super.get(collection, id);
  }

  override get cursor(): string | undefined {
    const { id, replica } = this.#project;
    return this.#deps.feeds?.of(id).cursorAt(replica.tail.head);
  }

  /** Older events come from the project in memory, which may be dropped again before the rule runs. */
  override events(cursor: string | undefined, query: FeedQuery): FeedPage | undefined {
    const { id } = this.#project;
    const { feeds, lookUps, loaded } = this.#deps;
    if (feeds === undefined) return undefined;
    const read = (): FeedPage | undefined => feeds.of(id).read(cursor, query);
    const { isBackward = false } = query;
    const page = cursor === undefined && !isBackward ? undefined : read();
    // The project in memory may have more events before them.
    if (page !== undefined && (!isBackward || page.more)) return page;
    const key = `events ${id} ${isBackward} ${cursor ?? ''}`;
    const later = async (): Promise<[string, FeedPage | undefined][]> => {
      const found: [string, FeedPage | undefined][] = [];
      await loaded(id, () => found.push([key, read()]));
      return found;
    };
    return lookUps.get(key, { later });
  }
}

/** A project has to be loaded. */
export class NeededInMemory extends Needed {
  readonly project: string;

  constructor({ id }: ColdProject, { loaded }: Pick<ColdViewDeps, 'loaded'>) {
    super(id, async () => {
      await loaded(id, () => undefined);
      return [];
    });
    this.project = id;
  }
}

function contextOf(project: ColdProject, deps: ColdViewDeps): TransactionContext {
  const { service, ids, collections } = deps;
  const need = (): never => {
    throw new NeededInMemory(project, deps);
  };
  return {
    ...{ project: project.id, code: project.code, service, ids, collections },
    get index(): never {
      return need();
    },
    get history(): never {
      return need();
    },
    ...{ begin: need, linkedPart: need, bytes: need, storedBytes: need, problems: need, pathOf: need },
    ...{ fileByPerson: need, feed: need },
    problemOf: () => undefined,
  };
}
