import type { Readable } from 'node:stream';
import type { Renderings } from '../../domain/text/renderers.ts';
import type { PresenceRegister } from '../../domain/feed/presence.ts';
import type { RepositoryClaims } from '../../domain/records/repository-claims.ts';
import type { ShareRecord } from '../../domain/sharing/shares.ts';
import type { WebhookHosts } from '../../domain/feed/webhook-addresses.ts';
import type { Remotes } from '../../remote/remote.ts';
import type {
  Collections,
  LocalFiles,
  Problem,
  ProjectList,
  RecordsWanted,
  ServiceReader,
  ServiceTx,
  ServiceReadTransaction,
  Source,
  StagedBytes,
  StoredRecord,
  Tx,
  ReadTransaction,
} from '../../store/index.ts';
import type { Steps } from '../../base/slices.ts';
import type { Sliced } from './sliced.ts';

/** The caller of an operation. Only authentication creates it; transports pass it on. */
export interface Caller {
  /** A guest has a link instead of a credential, and may call the operations of that link. */
  readonly kind: 'owner' | 'agent' | 'guest';
  /**
   * The credential: `loopback`, `admin`, `basic`, a key's id, a sign-in's id. Sessions, idempotency keys and current goals belong to it.
   */
  readonly id: string;
  /** The author in revisions: `human:<name>`, `agent:<key or client name>`, `agent:<client> (<key>)`, `system`. */
  readonly author: string;
  /** The author by the key alone, if the client named itself. */
  readonly key?: string;
  /** The only project that the caller may see; undefined: all projects. */
  readonly boundTo?: string;
  /**
   * The project of a call that names no project: `boundTo`, or for a loopback owner the project that the root binds.
   */
  readonly defaultProject?: string;
}

/** The context of a call, which a rule gets in addition to its input. */
export interface Context {
  readonly caller: Caller;
  readonly transport: Extract<Source, 'rest' | 'mcp' | 'cli'>;
  /** The id of the MCP session, if the call is in one. */
  readonly session?: string | undefined;
  /** Scheme, host and port of the service's URL for its callers, without a trailing slash. */
  readonly baseUrl: string;
  /** An uploaded file. Present if the operation declares `rest.upload` and the body is a form. */
  readonly upload?: Upload | undefined;
  /** The response is sent in slices: long lists in it may be deferred rows. */
  readonly streams?: boolean;
  /** Aborts if the caller is gone, or the service closes; present over REST if the operation waits, or works before its transaction. */
  readonly signal?: AbortSignal | undefined;
  /** The guest's link; present if the operation declares `link`. */
  readonly link?: ShareRecord;
  /** The claims of the repository's other worktrees, if these have their own plans. */
  readonly claims?: RepositoryClaims | undefined;
  /** The sessions that look at records; present if the operation declares `presence`. */
  readonly presence?: PresenceRegister;
  /** Renders texts; present if the operation declares `renders`. */
  readonly renderings?: Renderings;
}

/** The context of an operation that declares its need of these. */
export type ContextWith<N extends keyof Context> = Context & { readonly [M in N]-?: NonNullable<Context[M]> };

/** An upload that is still being received. Read it once and to its end: only then is it known to be complete. */
export interface Upload {
  readonly filename: string;
  readonly type: string;
  /** Throws `payload_too_large`, and `invalid_argument` if the upload ends early. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The staged bytes, if they were read before the call was known; `bytes` is then at its end. */
  readonly staged?: StagedBytes;
  /**
   * The files after it in the form, if the operation allows several: read in their order, each to its end before the
   * next. Iterating to the end verifies that the form is whole.
   */
  readonly further?: AsyncIterable<Upload>;
}

/**
 * An entity tag in two parts: `own` changes with the resource's own fields, `rest` with everything else in the response. Base64url or
 * digits, no dot.
 */
export interface Tag {
  readonly own: string;
  readonly rest: string;
}

/** A REST response that is not JSON: `rest.raw`. */
export interface RawResponse {
  /** Content-Type, with its charset if it is text. */
  readonly type: string;
  readonly content: string | Uint8Array | Readable;
  /** Bytes, if a stream's length is known. */
  readonly length?: number;
  /** Further headers. They override the common headers of responses (Content-Security-Policy, Cache-Control). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The services that `prepare` may use before the transaction. */
export interface PrepareContext<C extends Collections> {
  /** Reads the project of the call, with the caller's access. Throws `not_found` if it does not exist. */
  view<T>(fn: (view: ReadTransaction<C>) => T): Promise<T>;
  /**
   * Stores bytes. They are durable when it resolves, so that a record of the transaction may refer to them. Bytes that no record refers to
   * are swept.
   */
  stage(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes>;
  /** Counts bytes that were read for an agent, and not stored. */
  charge(bytes: number): Promise<void>;
  /** Called when the call has ended, with or without success. */
  atEnd(act: () => Promise<void> | void): void;
  /** The hosted services that config.json names as remotes. */
  readonly remotes: Pick<Remotes, 'of'>;
  /** Files that a caller on this machine may name; undefined if the service is hosted. */
  readonly localFiles: Pick<LocalFiles, 'open'> | undefined;
  /** The hosts that webhooks may call though their addresses are not public. */
  readonly webhookHosts: WebhookHosts;
}

/**
 * Work before the transaction that is impossible inside it: staging bytes, a request to another service. Returns the input of `run`, which
 * may have more members than the schema allows in a call. Its side effects must be harmless if `run` throws.
 */
export type Prepare<C extends Collections, I, P = I> = (
  input: I,
  context: Context,
  service: PrepareContext<C>,
) => Promise<P>;

/** All projects that the caller may see, by created_at, id. Passed to operations whose scope is the workspace. */
export interface Workspace<C extends Collections> {
  readonly projects: readonly ReadTransaction<C>[];
  /** The directories whose records are not served, for callers who see all projects. */
  readonly unserved: readonly Problem[];
  /** The own records of all projects, for an operation that reads no more: it then has no `projects`. */
  readonly list?: ProjectList<C['project' & keyof C] & StoredRecord>;
  /** False if some projects are not among them: they are not in memory, and loading all of them would take too long. */
  readonly isWhole?: boolean;
  /** The service's own records, for callers who see all projects. */
  readonly service?: ServiceReader;
}

/** Operations that the OpenAPI description lists together. */
export interface Group {
  readonly name: string;
  /** One sentence on their subject. */
  readonly description: string;
}

interface Declared<I> {
  /** snake_case and unique; the MCP tool's name if `mcp` is present. */
  readonly name: string;
  /** One line for OpenAPI and the command line. */
  readonly summary: string;
  /** Its group in the OpenAPI description. */
  readonly group: Group;
  /** Unique name of a definition in `schemas/`: every member of the input, path parameters included, additionalProperties false. */
  readonly input: string;
  /** Unique name of the definition of the result of `run` (the wrapped form); undefined if it returns nothing. */
  readonly output?: string;
  readonly rest?: RestOptions;
  readonly mcp?: McpOptions;
  /** True if its new records come from another plan. */
  readonly imports?: true;
  /** Rejected for agent keys. */
  readonly peopleOnly?: true;
  /**
   * Members of the input with an id that determines the project if project_id is absent (`task_id`), with the resource's kind. If a call
   * has several, the first one counts.
   */
  readonly locate?: Locator<I> | readonly Locator<I>[];
  /**
   * An operation for guests: the input's `token` belongs to a link. The token is the credential and determines the
   * project.
   */
  readonly link?: LinkOptions;
  /**
   * The operation returns or stores rendered texts: `run` may be called several times, until all of them are rendered, and only its last
   * result counts.
   */
  readonly renders?: true;
  /** The operation needs the sessions that look at records, which the context then has. */
  readonly presence?: true;
  /**
   * The response contains a secret that is returned only once. The response stored for retries is encrypted with the caller's idempotency
   * key.
   */
  readonly secret?: true;
  /** Gives access to people without a credential. The owner may reserve the operation (`agent_share_links`). */
  readonly sharesOutward?: true;
}

export interface Locator<I> {
  readonly member: Extract<keyof I, string>;
  readonly resource: string;
  /** The service collection that has the id, whose records name their `project`; absent if the id is in the project itself. */
  readonly service?: string;
  /** Inputs in which the member is an id of this kind; absent: all. */
  readonly when?: (input: I) => boolean;
  /** The member may contain something other than an id (a file's path): then the project is determined as if it were absent. */
  readonly loose?: true;
}

export interface LinkOptions {
  readonly kind: ShareRecord['kind'];
  /** The number of calls that one address may make with one link; further calls are `rate_limited`. */
  readonly perMinuteMax?: number;
}

export interface RestOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /api/v1. Parameters have the names of the input's members: `/tasks/:task_id`. */
  readonly path: string;
  /** The member of the response that is the body over REST; further members (`warnings`) are merged into it. Absent: the response itself. */
  readonly bare?: string;
  /** The bare member has long lists: they are sent in pieces. */
  readonly hasLists?: true;
  /** The response is a `RawResponse`, sent unchanged. */
  readonly raw?: true;
  /** The response is a page by another author: a browser that navigates to it gets a page of the service with this page in a frame. */
  readonly framed?: true;
  /** Content types of a raw response, for the OpenAPI description; absent: any type. */
  readonly produces?: readonly string[];
  /**
   * The body may be a form with a file instead of JSON; this is the file's maximum size in bytes. `prepare` gets the file in the context.
   */
  readonly upload?: UploadOptions;
  /** Default: POST 201, DELETE 204, else 200. A function if it depends on the response (`claim_task`: 200 or 409). */
  readonly status?: number | ((answer: never) => number);
  /** Every status that a function of `status` returns. Default: 200, and 409 for an action that was not done. */
  readonly statuses?: readonly number[];
  /** Headers of the response, each with a member of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Wire names over REST that differ from the input's members: `{status: 'status_line', tag: 'tags'}`. */
  readonly names?: Readonly<Record<string, string>>;
  /** An example body for the OpenAPI description, with the members' wire names. */
  readonly example?: Readonly<Record<string, unknown>>;
}

export interface UploadOptions {
  readonly bytesMax: number;
  /** Maximum number of files; their names are paths then. Default: one. */
  readonly filesMax?: number;
  /**
   * The members of the input that the file provides. In JSON the content is base64, which is read piece by piece like a form's file; the
   * member is then empty in the input.
   */
  readonly members?: { readonly content: string; readonly filename: string; readonly type: string };
}

/** Runs an operation that reads, by its name, for the caller. Rejects with `PlannerError`. */
export type ReadOperation = (
  name: string,
  input: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>>>;

export interface McpOptions {
  /** A text for an agent that does not know the service: when to use the tool, what it returns, what to call next. */
  readonly description: string;
  readonly title: string;
  readonly idempotent?: boolean;
  /** The answer has texts that may be long: of a change they come with `verbose`, of a read in parts, by `offset`. */
  readonly texts?: true;
  readonly destructive?: boolean;
}

/** Operations by scope × effect. `tag` is computed without building the response; If-None-Match, If-Match and `since` need it. */

/** An answer that a caller may wait for, and follow. */
export interface Waits<I, O> {
  /** How long the call waits while the answer is empty. */
  readonly seconds: (input: I) => number;
  readonly isEmpty: (answer: O) => boolean;
  /** The rest can be read without waiting. */
  readonly hasMore: (answer: O) => boolean;
  /** The input that continues after an answer. */
  readonly continued: (input: I, answer: O) => I;
  /**
   * The channel of a call: equal for calls that get the same answers after an answer, if they continue from the same
   * place.
   */
  readonly channel: (input: I, behind: O, context: Pick<Context, 'caller' | 'transport'>) => string;
}

/** Reads one project. */
export interface ProjectRead<C extends Collections, I, O, X = Context> extends Declared<I> {
  readonly scope: 'project';
  readonly effect: 'read';
  /** The answer is a list with `events_cursor`, the cursor of the events that it does not show. The pipeline adds it. */
  readonly followable?: true;
  readonly tag?: (view: ReadTransaction<C>, input: I, context: X) => Tag;
  /** A tag of the whole answer, instead of `tag`, where no smaller part determines whether it has changed. */
  readonly answerTag?: (answer: O) => Tag;
  readonly waits?: Waits<I, O>;
  readonly run: (view: ReadTransaction<C>, input: I, context: X) => O | Sliced<O>;
}

/**
 * The rule of `run` for inputs that take long, in slices, so that other requests are served in between. Other writes to
 * the project wait until it is complete.
 */
export interface SlicedRule<C extends Collections, I, O, X = Context> {
  /** Absent: always, since the project decides how long it takes. */
  readonly when?: (input: I) => boolean;
  readonly run: (tx: Tx<C>, input: I, context: X) => Steps<O>;
}

/** The members that all transactions on a project have. `P`: the input of `run`, which `prepare` made of that of the call. */
interface ProjectTransaction<C extends Collections, I, O, X, P> extends Declared<I> {
  readonly scope: 'project';
  readonly prepare?: Prepare<C, I, P>;
  readonly run: (tx: Tx<C>, input: P, context: X) => O;
  readonly sliced?: SlicedRule<C, P, O, X>;
}

/** Changes one project in one transaction. */
export interface ProjectWrite<C extends Collections, I, O, X = Context, P = I> extends ProjectTransaction<
  C,
  I,
  O,
  X,
  P
> {
  readonly effect: 'write';
  /** The tag before the change, for If-Match on PATCH and PUT. */
  readonly tag?: (view: ReadTransaction<C>, input: I, context: X) => Tag;
}

/** Creates a project: `run` gets a transaction on the new, empty project. `projectName` determines the name of its directory. */
export interface ProjectCreate<C extends Collections, I, O> extends ProjectTransaction<C, I, O, Context, I> {
  readonly effect: 'create';
  readonly projectName: (input: I) => string;
  readonly tag?: undefined;
}

/** Creates a project or changes one, depending on the input. */
export interface ProjectCreateOrWrite<C extends Collections, I, O, P = I> extends ProjectTransaction<
  C,
  I,
  O,
  Context,
  P
> {
  readonly effect: 'create_or_write';
  /** The new project's name, or undefined to work in an existing one. */
  readonly projectName: (input: P) => string | undefined;
  /** The id that the new project has elsewhere, or undefined for a new one. */
  readonly projectId?: (input: P) => string | undefined;
  readonly tag?: undefined;
}

/** Deletes a whole project. Its directory is moved to the trash. */
export interface ProjectDelete<I> extends Declared<I> {
  readonly scope: 'project';
  readonly effect: 'delete';
  readonly tag?: undefined;
}

/** Reads across projects. */
export interface WorkspaceRead<C extends Collections, I, O> extends Declared<I> {
  readonly scope: 'workspace';
  readonly effect: 'read';
  readonly tag?: (workspace: Workspace<C>, input: I, context: Context) => Tag;
  readonly waits?: Waits<I, O>;
  /** Steps that run before `run`, in slices, between which the projects may change; undefined if there is nothing to do. */
  readonly before?: (workspace: Workspace<C>, input: I) => Iterator<unknown, void> | undefined;
  /**
   * Present if it reads the records of projects, not only their list and events. Returns which ones are wanted first.
   */
  readonly records?: (input: I) => RecordsWanted;
  /** Returns whether it reads `list` instead, where there is one. */
  readonly listsOnly?: (input: I) => boolean;
  readonly run: (workspace: Workspace<C>, input: I, context: Context) => O | Sliced<O>;
}

/** A consistent view of the service's own records. */
export interface ServiceContext<R extends ServiceReadTransaction = ServiceReadTransaction> {
  readonly records: R;
  /** ISO time of this view or transaction. */
  readonly now: string;
  hasProject(id: string): boolean;
}

/** Reads the service's own records: keys, sign-ins. For owners only. */
export interface ServiceRead<I, O> extends Declared<I> {
  readonly scope: 'service';
  readonly effect: 'read';
  readonly tag?: (service: ServiceContext, input: I, context: Context) => Tag;
  readonly run: (service: ServiceContext, input: I, context: Context) => O;
}

/** Changes the service's own records in one transaction. For owners only. */
export interface ServiceWrite<I, O> extends Declared<I> {
  readonly scope: 'service';
  readonly effect: 'write';
  readonly run: (service: ServiceContext<ServiceTx>, input: I, context: Context) => O;
  readonly tag?: undefined;
}

// The catalogue has operations with different inputs. One array can contain them only if the input is `any`, which is both sub- and
// supertype.
/* oxlint-disable typescript/no-explicit-any */
export type AnyOperation<C extends Collections = any> =
  | ProjectRead<C, any, any, any>
  | ProjectWrite<C, any, any, any, any>
  | ProjectCreate<C, any, any>
  | ProjectCreateOrWrite<C, any, any, any>
  | ProjectDelete<any>
  | WorkspaceRead<C, any, any>
  | ServiceRead<any, any>
  | ServiceWrite<any, any>;

/** Operations that run in a transaction on a project. */
export type InTransaction<C extends Collections = any> = Extract<
  AnyOperation<C>,
  { readonly scope: 'project'; readonly effect: 'write' | 'create' | 'create_or_write' }
>;
/* oxlint-enable typescript/no-explicit-any */
