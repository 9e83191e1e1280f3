import { isoTime } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { revokeKeysOf } from '../../domain/people/keys.ts';
import { forgetGoalsIn } from '../../domain/plan/current-goal.ts';
import { noteDeletionBy } from '../../domain/feed/known-projects.ts';
import { PresenceRegister, type PresenceStream, type PresenceWatch } from '../../domain/feed/presence.ts';
import type { WebhookHosts } from '../../domain/feed/webhook-addresses.ts';
import { deleteWebhooksOf } from '../../domain/feed/webhooks.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { ServiceChange } from '../../schema/types.ts';
import type { Remotes } from '../../remote/remote.ts';
import type {
  ChangeMeta,
  Collections,
  LocalFiles,
  ServiceReadTransaction,
  StagedBytes,
  StoredRecord,
  Tx,
} from '../../store/index.ts';
import { inSlices, isTurnSpent, nextTurn, slice } from '../../base/slices.ts';
import type { Steps } from '../../base/slices.ts';
import { Admission } from '../access/admit.ts';
import { authorise, authoriseNewProject, authoriseService, authoriseSharing } from '../access/authorise.ts';
import { metaOf, waitsOf } from './call.ts';
import type { Call, Input, Outcome } from './call.ts';
import { answer, explaining, finished, withCursor } from './answer.ts';
import { change, changeService, changeSliced, slicedRuleOf } from './change.ts';
import { CallRenderings, inlineRendering } from './call-renderings.ts';
import type { RenderPort } from './call-renderings.ts';
import { findProject, locatorOf } from './find-project.ts';
import { Channel, Channels, followBehind } from './channels.ts';
import type { AnswerSink } from './channels.ts';
import { awaitAnswer, followAnswers, Followers } from './followers.ts';
import type { FollowedRead } from './followers.ts';
import { includedIn, KeyedCall } from './idempotency.ts';
import type { FirstResponse } from './idempotency.ts';
import { KeyedCalls, type Once } from './keyed-calls.ts';
import type {
  AnyOperation,
  Caller,
  Context,
  InTransaction,
  LinkOptions,
  Prepare,
  ServiceContext,
  Waits,
  Workspace,
} from '../declaration/operation.ts';
import { Rehearsal } from '../declaration/rehearsal.ts';
import type { Transactions } from '../declaration/transactions.ts';
import { ResponseReaders, rebuilt } from './repeat.ts';
import { requireValid } from './validate.ts';
import { claimHooks } from './worktree-hooks.ts';
import type { ClaimRegister } from './worktree-hooks.ts';
import type { Validator } from './validate.ts';
import { WriteAllowance } from '../access/write-allowance.ts';
import type { WriteAllowanceOptions } from '../access/write-allowance.ts';

export type { PresenceStream } from '../../domain/feed/presence.ts';
export type { Call, Input, Outcome } from './call.ts';

export interface DispatcherOptions<C extends Collections> extends Omit<WriteAllowanceOptions, 'clock'> {
  readonly store: Transactions<C>;
  readonly catalogue: readonly AnyOperation<C>[];
  /** The validator of a definition in `schemas/` by its name. */
  readonly validator: (definition: string) => Validator;
  readonly clock: Clock;
  /** The hosted services that sync_pull reads from. */
  readonly remotes?: Pick<Remotes, 'of'> | undefined;
  /** Files that callers may name by path; only for a service on loopback. */
  readonly localFiles?: Pick<LocalFiles, 'open'> | undefined;
  /** The hosts that webhooks may call though their addresses are not public. Default: no hosts. */
  readonly webhookHosts?: WebhookHosts | undefined;
  /** True if agents may create share links. Default: true. */
  readonly agentShareLinks?: boolean | undefined;
  /** The claims of the repository's worktrees, if the root is in one. */
  readonly claims?: ClaimRegister<C> | undefined;
  /** Renders texts. Default: in the calling thread. */
  readonly rendering?: RenderPort | undefined;
}

const noRemotes: Pick<Remotes, 'of'> = {
  of: () => Promise.reject(invalid('remote', 'This service has no configuration file, and so no remotes.')),
};

/** Operations of the catalogue by their scope and effect. */
type Scoped<C extends Collections, S extends AnyOperation['scope']> = Extract<AnyOperation<C>, { readonly scope: S }>;
type Reading<C extends Collections> = Extract<AnyOperation<C>, { readonly effect: 'read' }>;
type Changing<C extends Collections> = Exclude<AnyOperation<C>, { readonly effect: 'read' }>;

/** The work of a call after its end. */
type AtEnd = () => Promise<void> | void;

/** A service record that belongs to a project. */
interface OfProject extends StoredRecord {
  readonly project: string;
}

/**
 * The one pipeline of all transports: authorise, validate, find the project, open the transaction, compare
 * preconditions, run. The caller is already authenticated. Rules run inside the store's transaction and do not depend
 * on transports.
 */
export class Dispatcher<C extends Collections> {
  readonly operations: ReadonlyMap<string, AnyOperation<C>>;
  readonly #store: Transactions<C>;
  readonly #clock: Clock;
  readonly #validators: ReadonlyMap<string, Validator>;
  readonly #admission: Admission<C>;
  readonly #readers: ResponseReaders;
  readonly #remotes: Pick<Remotes, 'of'>;
  readonly #localFiles: Pick<LocalFiles, 'open'> | undefined;
  readonly #webhookHosts: WebhookHosts;
  readonly #agentShareLinks: boolean;
  /**
   * The limits of writes by agents and guests. Transports count the bytes that they store for a credential themselves.
   */
  readonly allowance: WriteAllowance;
  readonly #rendering: RenderPort;
  readonly #claims: ClaimRegister<C> | undefined;
  readonly #followers: Followers;
  readonly #presence: PresenceRegister;
  readonly #channels = new Channels();
  readonly #keyedCalls: KeyedCalls;

  constructor(options: DispatcherOptions<C>) {
    const { store: plain, catalogue, validator, clock, claims, remotes = noRemotes } = options;
    const { localFiles, agentShareLinks = true } = options;
    const store = claims === undefined ? plain : plain.hooked(claimHooks(plain, claims));
    this.#store = store;
    this.#claims = claims;
    this.#clock = clock;
    this.operations = new Map(catalogue.map((operation) => [operation.name, operation]));
    this.#validators = new Map(catalogue.map((operation) => [operation.name, validator(operation.input)]));
    this.#admission = new Admission(store, options.limiters);
    this.#readers = new ResponseReaders(catalogue);
    this.#keyedCalls = new KeyedCalls({ store, now: () => this.#now() });
    this.#remotes = remotes;
    this.#localFiles = localFiles;
    this.#webhookHosts = options.webhookHosts ?? { allowed: new Set() };
    this.#agentShareLinks = agentShareLinks;
    this.allowance = new WriteAllowance(options);
    this.#rendering = options.rendering ?? inlineRendering;
    this.#presence = new PresenceRegister(clock);
    this.#followers = new Followers({ clock, onEvents: (project, listener) => store.onEvents(project, listener) });
  }

  /** Runs one operation. Throws `PlannerError` for errors of the caller. Does not change the input. */
  async dispatch(operation: AnyOperation<C>, input: Input, received: Call): Promise<Outcome> {
    // Calls that arrive together yield to the event loop between them.
    if (isTurnSpent(limits.turnMsMax)) await nextTurn();
    const admitted = operation.link === undefined ? received : await this.#admit(operation.link, input, received);
    const claiming = this.#claims === undefined ? admitted : { ...admitted, claims: this.#claims };
    const call = operation.presence === true ? { ...claiming, presence: this.#presence } : claiming;
    this.#require(operation, input, call);
    return this.#run(operation, input, call);
  }

  /** Throws unless the caller may run the operation, and its input is valid. */
  #require(operation: AnyOperation<C>, input: Input, call: Call): void {
    authorise(operation, call.caller);
    if (operation.sharesOutward === true) authoriseSharing(operation, call, this.#agentShareLinks);
    requireValid(this.#validators.get(operation.name)!, input);
  }

  /** Runs an operation; if its texts are rendered in other threads, until they are. */
  async #run(operation: AnyOperation<C>, input: Input, call: Call): Promise<Outcome> {
    if (operation.renders === true && call.renderings === undefined) {
      const renderings = new CallRenderings(this.#rendering, call.link?.id ?? call.caller.id);
      return renderings.complete(() => this.#run(operation, input, { ...call, renderings }));
    }
    if (operation.effect !== 'read') return this.#change(operation, input, call);
    if ('waits' in operation && operation.waits !== undefined) return this.#readWaiting(operation, input, call);
    return finished(operation, await this.#read(operation, input, call), call);
  }

  async #change(operation: Changing<C>, input: Input, call: Call): Promise<Outcome> {
    await this.allowance.require(call);
    if (call.ifMatch !== undefined && operation.tag === undefined) {
      throw invalid(
        'If-Match',
        `${operation.name} does not accept If-Match: only PATCH and PUT of a single resource do.`,
      );
    }
    const { caller, idempotencyKey } = call;
    if (idempotencyKey === undefined) return this.#write(operation, input, call, undefined);
    const keyed = new KeyedCall(caller.id, idempotencyKey, operation.name, input, operation.secret);
    return this.#writeOnce(operation, input, call, keyed);
  }

  /** Stages bytes that arrive before the call that uses them. Bytes that no call uses are swept. */
  async stage(pieces: AsyncIterable<Uint8Array>): Promise<StagedBytes> {
    this.allowance.requireRoom();
    return this.#store.stage(pieces);
  }

  async #admit(link: LinkOptions, input: Input, call: Call): Promise<Call> {
    return { ...call, ...(await this.#admission.admit(link, input['token'], call.address, () => this.#now())) };
  }

  /**
   * Follows an operation that waits: yields its answers, one after the other, and an empty one after each `pauseMs`
   * without another. Ends when `call.signal` aborts. Throws as `dispatch` does.
   */
  async *follow(operation: Reading<C>, input: Input, call: Call, pauseMs: number): AsyncGenerator<Outcome, void> {
    this.#require(operation, input, call);
    const follower = await this.#followerOf(operation, input, call);
    yield* followAnswers({ ...follower, waits: waitsOf(operation)! }, input, pauseMs);
  }

  /**
   * Follows an operation that waits: sends its answer, and further events until `call.signal` aborts. Throws as
   * `dispatch` does before anything is sent.
   */
  async stream(
    operation: Reading<C>,
    input: Input,
    call: Call & { readonly signal: AbortSignal },
    { sink, pauseMs }: { readonly sink: AnswerSink; readonly pauseMs: number },
  ): Promise<void> {
    this.#require(operation, input, call);
    const project = await this.#followed(operation, input, call.caller);
    const waits = waitsOf(operation)!;
    const leave = this.#followers.enter(call.caller);
    try {
      const first = await this.#read(operation, input, call);
      const key = JSON.stringify([operation.name, project ?? null, waits.channel(input, first.value, call)]);
      const followed = { waits, sink, pauseMs, clock: this.#clock, signal: call.signal };
      await this.#channels.follow(
        key,
        () => this.#newChannel(operation, waits, project, call),
        (channel) => followBehind(first, input, { ...followed, channel }),
      );
    } finally {
      leave();
    }
  }

  /** The channel is independent of its first follower: its answers fit every caller who may follow the same thing. */
  #newChannel(
    operation: Reading<C>,
    waits: Waits<Input, unknown>,
    project: string | undefined,
    { caller, transport, baseUrl }: Call,
  ): Channel {
    const shared: Call = { caller, transport, baseUrl, tagless: true };
    return new Channel({
      waits,
      clock: this.#clock,
      read: (next) => this.#peek(operation, project, next, shared),
      onEvents: (listener) => this.#store.onEvents(project, listener),
    });
  }

  #peek(operation: Reading<C>, project: string | undefined, input: Input, call: Call): Outcome | undefined {
    const run = <V>(rule: { run: (view: V, input: never, context: Context) => unknown }, view: V): Outcome =>
      slice(operation.name, () => answer(rule as never, view, input, call), project);
    if (operation.scope === 'service') return undefined;
    if (operation.scope === 'workspace' && project === undefined)
      return this.#store.peekAll((projects, service) => run(operation, { projects, service, unserved: [] }));
    return this.#store.peek(project!, (view) =>
      operation.scope === 'workspace' ? run(operation, { projects: [view], unserved: [] }) : run(operation, view),
    );
  }

  /**
   * Sends each change of the sessions that are present where an operation that waits is followed; its own session does
   * not expire until it ends.
   */
  async watchPresence(
    operation: Reading<C>,
    input: Input,
    { caller }: Pick<Call, 'caller'>,
    { session, send }: Pick<PresenceWatch, 'session' | 'send'>,
  ): Promise<PresenceStream> {
    const project = await this.#followed(operation, input, caller);
    return this.#presence.watch({ project, caller: caller.id, session, send });
  }

  /**
   * Sends changes outside the events of projects, to people only: records of the service that the page shows, the list
   * of projects, and problems of files. Throws `forbidden` for other callers. Returns the function that begins, which
   * returns the function that ends it.
   */
  serviceWatch({ caller }: Pick<Call, 'caller'>): (send: (change: ServiceChange) => void) => () => void {
    authoriseService(caller);
    return (send) =>
      this.#store.onServiceNames((names) => {
        const changed = [...names].filter((name) => shownOfService.has(name));
        if (changed.length > 0) send({ changed: changed.sort() });
      });
  }

  /** Waits until the answer is not empty, for as long as the input says. */
  async #readWaiting(operation: Reading<C>, input: Input, call: Call): Promise<Outcome> {
    const project = await this.#followed(operation, input, call.caller);
    // Only durable changes are events, but changes in progress are part of the answer.
    await (project === undefined
      ? (this.#store.readList(nothing) ?? this.#store.readAll(nothing))
      : this.#store.read(project, nothing));
    const waits = waitsOf(operation)!;
    const first = await this.#read(operation, input, call);
    const seconds = waits.seconds(input);
    if (seconds === 0 || first.notModified || !waits.isEmpty(first.value)) return first;
    const follower = await this.#followerOf(operation, input, call);
    return awaitAnswer({ ...follower, waits }, waits.continued(input, first.value), seconds * 1000);
  }

  async #followerOf(operation: Reading<C>, input: Input, call: Call): Promise<Omit<FollowedRead<Outcome>, 'waits'>> {
    const project = await this.#followed(operation, input, call.caller);
    return {
      follower: this.#followers.follow(call.caller, project, call.signal),
      read: (next) => this.#read(operation, next, call),
      clock: this.#clock,
      signal: call.signal,
    };
  }

  /** The project whose events an operation waits for; undefined for all. */
  async #followed(operation: Reading<C>, input: Input, caller: Caller): Promise<string | undefined> {
    return operation.scope === 'project' ? this.#find(operation, input, caller) : caller.boundTo;
  }

  async #read(operation: Reading<C>, input: Input, call: Call): Promise<Outcome> {
    if (operation.scope === 'workspace') return this.#readWorkspace(operation, input, call);
    if (operation.scope === 'service') {
      return this.#store.readService((records) =>
        slice(operation.name, () => answer(operation, this.#serviceContext(records), input, call)),
      );
    }
    const project = await this.#find(operation, input, call.caller);
    return this.#store.read(project, (view) => {
      const outcome = explaining(operation.name, view, () => answer(operation, view, input, call));
      // To a guest it would say how often the project is changed.
      return operation.link === undefined ? withCursor(view, outcome) : outcome;
    });
  }

  async #readWorkspace(operation: Scoped<C, 'workspace'>, input: Input, call: Call): Promise<Outcome> {
    const named = input['project_id'];
    const { boundTo } = call.caller;
    if (typeof named === 'string' && boundTo !== undefined && named !== boundTo) throw notFound('project', named);
    const only = typeof named === 'string' ? named : boundTo;
    const { before } = operation;
    const prepare = async (projects: Workspace<C>['projects']): Promise<void> => {
      const steps = before?.({ projects, unserved: [] }, input);
      if (steps !== undefined) await inSlices(operation.name, steps, { project: only });
    };
    const run = (workspace: Workspace<C>): Outcome =>
      slice(operation.name, () => answer(operation, workspace, input, call), only);
    const unserved = (): Workspace<C>['unserved'] => this.#store.unserved();
    if (only === undefined && operation.listsOnly?.(input) === true) {
      const listed = this.#store.readList((list, service) =>
        run({ projects: [], list: list as NonNullable<Workspace<C>['list']>, service, unserved: unserved() }),
      );
      if (listed !== undefined) return listed;
    }
    if (only === undefined)
      return this.#store.readAll(
        (projects, service, isWhole) => run({ projects, service, isWhole, unserved: unserved() }),
        operation.records?.(input as never),
        before && prepare,
      );
    if (before !== undefined) await this.#store.read(only, (view) => prepare([view]));
    return this.#store.read(only, (view) => run({ projects: [view], unserved: [] }));
  }

  #writeOnce(operation: Changing<C>, input: Input, received: Call, keyed: KeyedCall): Promise<Outcome> {
    const { upload } = received;
    const repeat = (first: FirstResponse): Promise<Outcome> => this.#repeat(operation, input, received, first);
    const once = (call: Call): Once => ({ write: () => this.#write(operation, input, call, keyed), repeat });
    if (upload === undefined) return this.#keyedCalls.run(keyed, once(received));
    const isStream = upload.staged === undefined;
    if (!isStream) keyed.includingHash(upload.staged.sha256);
    const call = isStream ? { ...received, upload: includedIn(keyed, upload) } : received;
    return this.#keyedCalls.runUpload(keyed, isStream, once(call));
  }

  /** The first response, as stored or rebuilt from the resource that it showed. */
  async #repeat(operation: AnyOperation<C>, input: Input, call: Call, first: FirstResponse): Promise<Outcome> {
    const { value, etag, unkept } = first;
    if (unkept === undefined) return { value, etag, notModified: false };
    const reading = this.#readers.of(operation, input, unkept);
    const answered = await rebuilt(first, reading, async (one) => {
      const tagless = { ...call, ifNoneMatch: undefined, tagless: true, renderings: undefined };
      return (await this.#run(one.operation, one.input, tagless)).value;
    });
    if ('path' in answered) return { value: answered.value, etag: undefined, notModified: false, carriedOut: answered };
    return { value: answered.value, etag, notModified: false };
  }

  async #write(operation: Changing<C>, input: Input, call: Call, keyed: KeyedCall | undefined): Promise<Outcome> {
    const meta = metaOf(operation, input, call);
    if (operation.effect === 'delete') return this.#deleteProject(operation, input, call, meta, keyed);
    if (operation.scope === 'service')
      return this.#store.updateService(meta, (records) =>
        changeService(operation, this.#serviceContext(records), input, call, keyed),
      );
    if (operation.prepare === undefined)
      return this.#transact(operation, { input, prepared: input }, call, meta, keyed);
    return this.#writePrepared(operation, operation.prepare, input, call, meta, keyed);
  }

  async #writePrepared(
    operation: InTransaction<C>,
    prepare: Prepare<C, Input>,
    input: Input,
    call: Call,
    meta: ChangeMeta,
    keyed: KeyedCall | undefined,
  ): Promise<Outcome> {
    const ends: AtEnd[] = [];
    try {
      const prepared = await this.#prepare(operation, input, call, prepare, ends);
      return await this.#transact(operation, { input, prepared }, call, meta, keyed);
    } catch (thrown) {
      if (!(thrown instanceof Rehearsal)) throw thrown;
      return { value: thrown.value, etag: undefined, notModified: false };
    } finally {
      for (const end of ends) await end();
    }
  }

  async #transact(
    operation: InTransaction<C>,
    { input, prepared }: { readonly input: Input; readonly prepared: Input },
    call: Call,
    meta: ChangeMeta,
    keyed: KeyedCall | undefined,
  ): Promise<Outcome> {
    const rule = operation.sliced === undefined ? undefined : slicedRuleOf(operation, prepared);
    const transact = (tx: Tx<C>): Outcome =>
      explaining(operation.name, tx, () => this.#within(call, tx, change(operation, tx, prepared, call, keyed)));
    const name = operation.effect === 'write' ? undefined : operation.projectName(prepared);
    if (name !== undefined) {
      authoriseNewProject(call.caller);
      const id = 'projectId' in operation ? operation.projectId?.(prepared) : undefined;
      const sliced = (tx: Tx<C>, long: typeof rule & {}): Steps<Outcome> =>
        changeSliced(operation, long, tx, prepared, call, keyed);
      return rule === undefined
        ? this.#store.createProject(name, meta, transact, id)
        : this.#store.createProjectSliced(name, meta, (tx) => sliced(tx, rule), id);
    }
    const project = await this.#find(operation, input, call.caller);
    let written = 0;
    const charged = call.caller.kind === 'agent' ? { ...meta, charge: (bytes: number) => (written += bytes) } : meta;
    const outcome = await (rule === undefined
      ? this.#store.update(project, charged, transact)
      : this.#store.updateSliced(project, charged, (tx) =>
          this.#withinSliced(call, tx, changeSliced(operation, rule, tx, prepared, call, keyed)),
        ));
    if (written > 0) await this.allowance.charge(call, written);
    return outcome;
  }

  /** The outcome of a change, which is rolled back if it makes the project too large, or if the transport objects. */
  #within(call: Call, tx: Tx<C>, outcome: Outcome): Outcome {
    this.allowance.requireWithin(call, tx);
    call.review?.(tx.changes());
    return outcome;
  }

  *#withinSliced(call: Call, tx: Tx<C>, steps: Steps<Outcome>): Steps<Outcome> {
    return this.#within(call, tx, yield* steps);
  }

  async #prepare(
    operation: InTransaction<C>,
    input: Input,
    call: Call,
    prepare: Prepare<C, Input>,
    ends: AtEnd[],
  ): Promise<Input> {
    if (call.upload?.staged !== undefined) await this.allowance.charge(call, call.upload.staged.size);
    const project = (): Promise<string> => this.#find(operation, input, call.caller);
    return prepare(input, call, {
      view: async (fn) =>
        this.#store.read(await project(), (view) => {
          // Before bytes are stored that no record would refer to.
          this.allowance.requireWithin(call, view);
          return fn(view);
        }),
      stage: async (pieces) => {
        const staged = await this.#store.stage(pieces);
        await this.allowance.charge(call, staged.size);
        return staged;
      },
      charge: (bytes) => this.allowance.charge(call, bytes),
      atEnd: (act) => void ends.push(act),
      remotes: this.#remotes,
      localFiles: this.#localFiles,
      webhookHosts: this.#webhookHosts,
    });
  }

  async #deleteProject(
    operation: Extract<Changing<C>, { readonly effect: 'delete' }>,
    input: Input,
    call: Call,
    meta: ChangeMeta,
    keyed: KeyedCall | undefined,
  ): Promise<Outcome> {
    const project = await this.#find(operation, input, call.caller);
    await this.#store.deleteProject(project, meta, (ofProject, service, view, at) => {
      forgetGoalsIn(ofProject, project);
      deleteWebhooksOf(ofProject, project);
      revokeKeysOf(service, project);
      noteDeletionBy(meta, ofProject, view as never, at);
      keyed?.keep(service, this.#now(), undefined, undefined);
    });
    return { value: undefined, etag: undefined, notModified: false };
  }

  /** The project of a call. Ids of service records are looked up in the service's collections. */
  async #find(operation: AnyOperation<C>, input: Input, caller: Caller): Promise<string> {
    const by = operation.locate === undefined ? undefined : locatorOf(operation, input);
    if (by?.service === undefined) return this.#store.locateDurably((locate) => findProject(by, input, caller, locate));
    const { service: collection, member } = by;
    const record = await this.#store.readService((service) =>
      service.get<OfProject>(collection, String(input[member])),
    );
    return findProject(by, input, caller, () => (record === undefined ? [] : [record.project]));
  }

  #serviceContext<R extends ServiceReadTransaction>(records: R): ServiceContext<R> {
    return { records, now: this.#now(), hasProject: (id) => this.#store.locate(id).includes(id) };
  }

  #now(): string {
    return isoTime(this.#clock.now());
  }
}

/** The collections and lists of the service that views show. */
const shownOfService: ReadonlySet<string> = new Set([
  ...['projects', 'problems', 'keys', 'shares', 'identities', 'sign_ins', 'webhooks', 'webhook_deliveries'],
  ...['leases', 'trash', 'current_goals'],
]);

const nothing = (): void => undefined;
