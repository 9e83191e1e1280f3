import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { collections, type PlannerCollections } from '../../src/domain/records/collections.ts';
import { derivedIndexes } from '../../src/domain/derived-indexes.ts';
import { type ErrorBody, PlannerError } from '../../src/base/errors.ts';
import { canvasOperations } from '../../src/operations/canvas.ts';
import { type Call, Dispatcher, type Outcome } from '../../src/operations/pipeline/dispatch.ts';
import { documentOperations, filingOperations } from '../../src/operations/documents.ts';
import { edgeOperations } from '../../src/operations/edges.ts';
import { folderOperations } from '../../src/operations/folders.ts';
import type { PlannerOperation } from '../../src/operations/declaration/planner-operation.ts';
import { problemOperations } from '../../src/operations/problems.ts';
import { projectOperations } from '../../src/operations/projects.ts';
import { revisionOperations } from '../../src/operations/revisions.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import { tagOperations } from '../../src/operations/tags.ts';
import { taskOperations } from '../../src/operations/tasks.ts';
import { validator } from '../../src/schema/validators.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { memoryDirectory } from '../support/memory.ts';

/** The operations of the plan's resources. */
export const planOperations: readonly PlannerOperation[] = [
  ...projectOperations,
  ...taskOperations,
  ...tagOperations,
  ...edgeOperations,
  ...documentOperations,
  ...folderOperations,
  ...filingOperations,
  ...canvasOperations,
  ...revisionOperations,
  ...problemOperations,
];

const asOwner: Call = {
  caller: { kind: 'owner', id: 'loopback', author: 'human:test' },
  transport: 'rest',
  baseUrl: 'http://127.0.0.1',
};

type Input = Readonly<Record<string, unknown>>;

/** The operations in the real pipeline, over a real store in a scratch directory. */
export class Planner {
  readonly store: FileStore<PlannerCollections>;
  readonly #dispatcher: Dispatcher<PlannerCollections>;

  private constructor(store: FileStore<PlannerCollections>) {
    this.store = store;
    this.#dispatcher = new Dispatcher({ store, catalogue: planOperations, validator, clock: systemClock });
  }

  static async open(directory: string): Promise<Planner> {
    const root = join(directory, '.planner');
    const options = {
      root,
      collections,
      serviceCollections,
      derived: derivedIndexes,
      watch: false,
      rescanIntervalMs: 0,
    };
    return new Planner(await FileStore.open<PlannerCollections>({ ...options, writer: 'inline' }));
  }

  dispatch(name: string, input: Input, call: Partial<Call> = {}): Promise<Outcome> {
    const operation = this.#dispatcher.operations.get(name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    return this.#dispatcher.dispatch(operation, input, { ...asOwner, ...call });
  }

  /** Calls an operation that must succeed; answers the wrapped form. */
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  async call(name: string, input: Input = {}, call: Partial<Call> = {}): Promise<any> {
    return (await this.dispatch(name, input, call)).value;
  }

  /** Calls an operation that must fail; returns the error's body. */
  async refusal(name: string, input: Input = {}, call: Partial<Call> = {}): Promise<ErrorBody> {
    try {
      await this.dispatch(name, input, call);
    } catch (thrown) {
      if (thrown instanceof PlannerError) return thrown.toJSON();
      throw thrown;
    }
    throw new Error(`${name} was not refused.`);
  }

  /** A new project's id. */
  async project(name = 'Garden'): Promise<string> {
    const { project } = (await this.call('create_project', { name })) as { project: { id: string } };
    return project.id;
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/** A planner over an empty root, opened before and closed after each test of the suite that calls this. */
export function planner(): { readonly it: Planner; readonly root: string; readonly reopen: () => Promise<Planner> } {
  let directory: string;
  let open: Planner;
  beforeEach(async () => {
    directory = realpathSync(mkdtempSync(join(memoryDirectory(), 'planner-test-')));
    open = await Planner.open(directory);
  });
  afterEach(async () => {
    // The order matters: pending changes are written when the store closes.
    await open.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    get it() {
      return open;
    },
    get root() {
      return join(directory, '.planner');
    },
    reopen: async () => {
      await open.close();
      open = await Planner.open(directory);
      return open;
    },
  };
}
