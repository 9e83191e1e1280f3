import { expect } from 'chai';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { admitIdentity } from '../../src/domain/people/identities.ts';
import { beginSignIn } from '../../src/domain/people/sign-ins.ts';
import { describeEntry } from '../../src/domain/feed/describe-entry.ts';
import { derivedIndexes } from '../../src/domain/derived-indexes.ts';
import { collections, type PlannerCollections } from '../../src/domain/records/collections.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { type Call, Dispatcher } from '../../src/operations/pipeline/dispatch.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import { validator } from '../../src/schema/validators.ts';
import type { Name, ReadTransaction } from '../../src/store/index.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { pathMembers, schemaOf } from '../support/catalogue-calls.ts';
import { memoryDirectory } from '../support/memory.ts';
import { Random } from '../support/random.ts';
import { RandomInput } from '../support/random-input.ts';
import { type Attempt, rerunning } from '../support/rerunning-store.ts';
import { TestService } from '../support/service.ts';
import { populate, type World } from '../support/world.ts';

const asOwner: Call = {
  caller: { kind: 'owner', id: 'loopback', author: 'human:Ada' },
  transport: 'rest',
  baseUrl: 'http://127.0.0.1',
};
const system = { author: 'system', source: 'system' } as const;
const drawsMax = 12;
const succeedingMin = 2;
/** Needs another service, or a delivery, which their own tests have; here they are refused. */
const refused: ReadonlySet<string> = new Set(['sync_pull', 'redeliver_webhook']);
const names = collections.map(({ name }) => name) as Name<PlannerCollections>[];

describe('Every operation that changes something', () => {
  let directory: string;
  const seed = Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_101);
  let store: FileStore<PlannerCollections>;
  let dispatcher: Dispatcher<PlannerCollections>;
  let world: World;
  let known: Set<string>;
  let former: string;
  let compared: number;

  /** Stores to be closed. */
  const opened: FileStore<PlannerCollections>[] = [];

  before(async () => {
    directory = mkdtempSync(join(memoryDirectory(), 'planner-rerun-'));
    const service = await TestService.start({ directory });
    world = await populate(service, new Random(seed));
    await service.stop();
    store = await FileStore.open<PlannerCollections>({
      ...{ root: join(directory, '.planner'), collections, serviceCollections, derived: derivedIndexes },
      ...{ describe: describeEntry, watch: false, rescanIntervalMs: 0, writer: 'inline' },
    });
    opened.push(store);
    const observed = rerunning(store, {
      onState: async (when) => {
        const [ids, state] = await shown();
        known = ids;
        if (when === 'before') former = state;
        else expect(state, 'what was taken back leaves nothing').to.equal(former);
      },
      onRerun: (first, second) => {
        compared++;
        expect(comparable(second)).to.deep.equal(comparable(first));
      },
    });
    dispatcher = new Dispatcher({ store: observed, catalogue, validator, clock: systemClock });
  });
  after(async () => {
    for (const one of opened) await one.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const incomingOf = (view: ReadTransaction<PlannerCollections>, id: string): readonly string[] =>
    view
      .incoming(id)
      .map((one) => JSON.stringify(one))
      .sort();

  /** Everything that a transaction could change, and the ids in it. */
  async function shown(): Promise<[ids: Set<string>, state: string]> {
    const projects = await store.readAll((views) =>
      views.map((view) => ({
        project: view.project,
        versions: names.map((name) => view.version(name)),
        history: [view.historyVersion, ...[...view.history({})].map(({ id }) => id)],
        records: names.map((name) => [...view.list(name)]),
        // The lists have no order of their own.
        incoming: names.flatMap((name) => [...view.list(name)].map(({ id }) => [id, incomingOf(view, id)])),
        problems: [...view.problems],
      })),
    );
    const service = await store.readService((records) => serviceCollections.map(({ name }) => [...records.list(name)]));
    const state = JSON.stringify({ projects, service });
    return [new Set(state.match(/\b[a-z]{3}_[0-9a-z]{16}\b/g)), state];
  }

  /** An outcome without the differences between runs: times, new ids, and random or derived values. */
  function comparable(attempt: Attempt): unknown {
    if ('thrown' in attempt) {
      const { thrown } = attempt;
      if (thrown instanceof PlannerError) return normal(JSON.stringify(thrown.toJSON()));
      return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : thrown;
    }
    const { value, etag } = attempt.value as { readonly value: unknown; readonly etag?: string | undefined };
    return [normal(JSON.stringify(value) ?? ''), etag === undefined];
  }

  function normal(json: string): unknown {
    const text = json
      .replaceAll(/\b([a-z]{3})_[0-9a-z]{16}\b/g, (id, kind) => (known.has(id) ? id : `<new ${kind}>`))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
      .replaceAll(/(\/[sp]\/|\/share\/|planner_)[\w-]{20,}/g, '$1<secret>')
      .replaceAll(/("secret":")[^"]{20,}/g, '$1<secret>')
      .replaceAll(/("redo":")[0-9a-z-]+/g, '$1<place>');
    return text === '' ? undefined : JSON.parse(text);
  }

  type Made = Readonly<Record<string, unknown>>;

  // Answers of every shape are looked into.
  // oxlint-disable-next-line typescript/no-explicit-any
  async function call(name: string, input: Made = {}): Promise<any> {
    return (await dispatcher.dispatch(dispatcher.operations.get(name)!, input, asOwner)).value;
  }

  /** A project with a goal, two tasks of it, and a prototype with a screen. */
  async function garden(): Promise<Record<'project' | 'goal' | 'task' | 'other' | 'prototype' | 'screen', string>> {
    const project = (await call('create_project', { name: 'Garden' })).project.id as string;
    const goal = (await call('create_goal', { project_id: project, objective: 'Harvest' })).goal.id as string;
    // One after the other: the states before and after a call that is taken back are compared.
    const task = (await call('create_task', { project_id: project, goal_id: goal, label: 'Dig' })).task.id as string;
    const other = (await call('create_task', { project_id: project, goal_id: goal, label: 'Plant' })).task.id as string;
    const viewport = { width: 390, height: 844 };
    const made = await call('create_prototype', { project_id: project, name: 'Shop', viewport });
    const prototype = made.prototype.id as string;
    const screen = await call('create_artifact', {
      ...{ project_id: project, title: 'Beds', kind: 'html', content: '<h1>Beds</h1>', prototype_id: prototype },
    });
    return { project, goal, task, other, prototype, screen: screen.artifact.id as string };
  }

  async function hook(): Promise<string> {
    const { project } = await garden();
    const made = await call('create_webhook', { project_id: project, url: 'https://example.com/hook' });
    return made.webhook.id as string;
  }

  async function signIn(): Promise<{ identity: string; signIn: string }> {
    const now = new Date(systemClock.now()).toISOString();
    return store.updateService(system, (tx) => {
      const claims = { issuer: 'https://id.example', subject: 'a', email: 'a@x.example', emailVerified: true };
      const identity = admitIdentity(tx, { ...claims, name: undefined }, { owners: new Set(['a@x.example']) }, now).id;
      return { identity, signIn: beginSignIn(tx, { by: 'identity', by_id: identity, name: 'G' }, now).signIn.id };
    });
  }

  /** Inputs of operations that succeed only in a certain state, which is seldom drawn at random. */
  const inputOf: Readonly<Record<string, () => Promise<Made>>> = {
    scaffold_project_from_plan: () =>
      Promise.resolve({
        name: 'Shop',
        tasks: [
          { key: 'a', label: 'A' },
          { key: 'b', label: 'B' },
        ],
        edges: [{ from: 'a', to: 'b' }],
      }),
    archive_goal: async () => {
      const { goal } = await garden();
      await call('pause_goal', { goal_id: goal });
      return { goal_id: goal };
    },
    resume_goal: async () => {
      const { goal } = await garden();
      await call('pause_goal', { goal_id: goal });
      return { goal_id: goal };
    },
    unarchive_goal: async () => {
      const { goal } = await garden();
      await call('pause_goal', { goal_id: goal });
      await call('archive_goal', { goal_id: goal });
      return { goal_id: goal };
    },
    create_edge: async () => {
      const { project, task, other } = await garden();
      return { project_id: project, from_type: 'task', from_id: task, to_type: 'task', to_id: other };
    },
    delete_edge: async () => {
      const { project, task, other } = await garden();
      const ends = { from_type: 'task', from_id: task, to_type: 'task', to_id: other };
      const made = await call('create_edge', { project_id: project, ...ends });
      return { edge_id: made.edge.id as string };
    },
    invoke_goal: async () => {
      const { task } = await garden();
      await call('update_task', { task_id: task, status: 'todo' });
      return { goal_id: (await call('get_task', { task_id: task })).task.goal_id as string };
    },
    triage_submission: async () => {
      const { project } = await garden();
      const made = await call('create_submission', { project_id: project, participant_name: 'Grace', title: 'Light' });
      return { submission_id: made.submission.id as string, action: 'reject' };
    },
    undo_change: async () => {
      const { project, task } = await garden();
      await call('update_task', { task_id: task, label: 'Other' });
      return { project_id: project };
    },
    restore_revision: async () => {
      const { project, task } = await garden();
      await call('update_task', { task_id: task, label: 'Other' });
      return { revision_id: (await call('list_revisions', { project_id: project })).revisions[0].id as string };
    },
    restore_from_trash: async () => {
      const { project, task } = await garden();
      await call('delete_task', { task_id: task });
      return { trash_id: (await call('list_trash', { project_id: project })).trash[0].id as string };
    },
    attach_file: async () => {
      const { project } = await garden();
      return { project_id: project, filename: 'a.txt', content_base64: 'QUJD' };
    },
    move_screen: async () => {
      const { project, screen } = await garden();
      const made = await call('create_prototype', {
        project_id: project,
        name: 'B',
        viewport: { width: 390, height: 844 },
      });
      return { artifact_id: screen, prototype_id: made.prototype.id as string };
    },
    copy_screen: async () => {
      const { prototype, screen } = await garden();
      return { artifact_id: screen, prototype_id: prototype };
    },
    share_prototype: async () => ({ prototype_id: (await garden()).prototype }),
    update_task: async () => ({ task_id: (await garden()).task, above: '*' }),
    change_tasks: async () => {
      const { project, task } = await garden();
      return { project_id: project, tasks: [{ label: 'A' }], delete: [task] };
    },
    update_agent_run: async () => {
      const made = await call('start_agent_run', { project_id: (await garden()).project });
      return { run_id: made.run.id as string, label: 'Day' };
    },
    answer_agent_run: async () => {
      const made = await call('start_agent_run', { project_id: (await garden()).project });
      const run_id = made.run.id as string;
      await call('record_agent_progress', { run_id, message: 'Which?' });
      return { run_id, answer: 'This one.' };
    },
    create_webhook: async () => ({ project_id: (await garden()).project, url: 'https://example.com/hook' }),
    pause_webhook: async () => ({ webhook_id: await hook() }),
    resume_webhook: async () => {
      const webhook = await hook();
      await call('pause_webhook', { webhook_id: webhook });
      return { webhook_id: webhook };
    },
    delete_webhook: async () => ({ webhook_id: await hook() }),
    set_presence: async () => {
      const { project } = await garden();
      return { project_id: project, session: 'one', record_id: project };
    },
    import_project: () => Promise.resolve({ format: 'planner-export-v1', project: { name: 'Imported' } }),
    end_sign_in: async () => ({ sign_in_id: (await signIn()).signIn }),
    forget_identity: async () => ({ identity_id: (await signIn()).identity }),
  };

  for (const operation of catalogue.filter(({ effect, link }) => effect !== 'read' && link === undefined)) {
    it(`31: answers alike when it is taken back and run again: ${operation.name}`, async () => {
      const random = new Random(seed + Number.parseInt(hash('sha256', operation.name, 'hex').slice(0, 6), 16));
      const inputs = new RandomInput(random, world.for(operation));
      compared = 0;
      let succeeded = 0;
      for (let draw = 0; draw < drawsMax && succeeded < succeedingMin; draw++) {
        const input = inputs.members(schemaOf(operation), 0.2, pathMembers(operation));
        try {
          const keyed = draw % 2 === 0 ? asOwner : { ...asOwner, idempotencyKey: `${operation.name}-${draw}` };
          const { value } = await dispatcher.dispatch(operation, input, keyed);
          succeeded++;
          world.learn(value);
        } catch (error) {
          if (!(error instanceof PlannerError)) throw error;
        }
      }
      const input = await inputOf[operation.name]?.();
      if (input !== undefined) {
        await dispatcher.dispatch(operation, input, asOwner);
        succeeded++;
      }
      if (refused.has(operation.name)) return;
      expect(succeeded, 'it succeeded').to.be.above(0);
      if (operation.effect !== 'delete') expect(compared, 'it ran twice').to.be.at.least(succeeded);
    });
  }
});
