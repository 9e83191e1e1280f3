import type { ChangeMeta, Collections, ServiceTx, Store, Tx } from '../../src/store/index.ts';
import type { Transactions } from '../../src/operations/declaration/transactions.ts';
import { Needed } from '../../src/store/record/look-ups.ts';
import type { Steps } from '../../src/base/slices.ts';

/** The result of a rule, or its error. */
export type Attempt = { readonly value: unknown } | { readonly thrown: unknown };

/** Called around the two runs of a rule. */
export interface RerunObserver {
  /** Before the first run, and after it was taken back. */
  readonly onState: (when: 'before' | 'taken back') => Promise<void>;
  readonly onRerun: (first: Attempt, second: Attempt) => void;
}

class TakenBack extends Error {}

/**
 * A store that runs each rule twice, as one over a shared log does when another node was faster: the first run is taken
 * back. The deletion of a project has no rule.
 */
export function rerunning<C extends Collections>(
  store: Store<C>,
  { onState, onRerun }: RerunObserver,
): Transactions<C> {
  /** `run` is called with a rule, twice. */
  async function twice<T, R>(
    rule: R,
    run: (rule: R) => Promise<T>,
    end: (rule: R, done: (of: Attempt) => void) => R,
  ): Promise<T> {
    let first: Attempt | undefined;
    await onState('before');
    const taken = end(rule, (attempt) => {
      first = attempt;
      throw new TakenBack('taken back');
    });
    try {
      await run(taken);
    } catch (thrown) {
      if (!(thrown instanceof TakenBack)) throw thrown;
    }
    await onState('taken back');
    return run(end(rule, (attempt) => onRerun(first!, attempt)));
  }
  const atOnce = <A extends ServiceTx | Tx<C>, T>(rule: (tx: A) => T, done: (of: Attempt) => void): ((tx: A) => T) => {
    return (tx) => {
      let value: T;
      try {
        value = rule(tx);
      } catch (thrown) {
        // The store runs it again on its own.
        if (thrown instanceof Needed) throw thrown;
        done({ thrown });
        throw thrown;
      }
      done({ value });
      return value;
    };
  };
  const sliced = <T>(rule: (tx: Tx<C>) => Steps<T>, done: (of: Attempt) => void): ((tx: Tx<C>) => Steps<T>) => {
    return function* (tx) {
      let value: T;
      try {
        value = yield* rule(tx);
      } catch (thrown) {
        // The store runs it again on its own.
        if (thrown instanceof Needed) throw thrown;
        done({ thrown });
        throw thrown;
      }
      done({ value });
      return value;
    };
  };
  return {
    hooked: (hooks) => store.hooked(hooks),
    locate: (id) => store.locate(id),
    locateDurably: (fn) => store.locateDurably(fn),
    stage: (pieces) => store.stage(pieces),
    read: (project, fn) => store.read(project, fn),
    peek: (project, fn) => store.peek(project, fn),
    peekAll: (fn) => store.peekAll(fn),
    readAll: (fn, records, prepare) => store.readAll(fn, records, prepare),
    readList: (fn) => store.readList(fn),
    unserved: () => store.unserved(),
    update: <T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T) =>
      twice(fn, (rule) => store.update(project, meta, rule), atOnce),
    updateSliced: <T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>) =>
      twice(fn, (rule) => store.updateSliced(project, meta, rule), sliced),
    createProject: <T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T, id?: string) =>
      twice(fn, (rule) => store.createProject(name, meta, rule, id), atOnce),
    createProjectSliced: <T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>, id?: string) =>
      twice(fn, (rule) => store.createProjectSliced(name, meta, rule, id), sliced),
    onEvents: (project, listener) => store.onEvents(project, listener),
    onServiceNames: (listener) => store.onServiceNames(listener),
    onServiceChange: (collection, listener) => store.onServiceChange(collection, listener),
    deleteProject: (project, meta, beside) => store.deleteProject(project, meta, beside),
    readService: (fn) => store.readService(fn),
    findAnswer: (collection, id, now) => store.findAnswer(collection, id, now),
    updateService: <T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T) =>
      twice(fn, (rule) => store.updateService(meta, rule), atOnce),
  };
}
