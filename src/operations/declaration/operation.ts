import type { Readable } from 'node:stream';
import type { Renderings } from '../../domain/text/renderers.ts';
import type { RepositoryClaims } from '../../domain/records/repository-claims.ts';
import type { ShareRecord } from '../../domain/access/shares.ts';
import type { Remotes } from '../../remote/remote.ts';
import type {
  Collections,
  LocalFiles,
  ServiceTx,
  ServiceView,
  Source,
  StagedBytes,
  Tx,
  View,
} from '../../store/index.ts';
import type { Steps } from '../../slices.ts';
import type { Sliced } from './sliced.ts';

/** The caller of an operation. Made by authentication, never guessed by a transport. */
export interface Caller {
  /** A guest has a link instead of a credential, and may call what the link is for. */
  readonly kind: 'owner' | 'agent' | 'guest';
  /**
   * The credential: `loopback`, `admin`, `basic`, a key's id, a sign-in's id. What sessions, idempotency keys and current goals belong to.
   */
  readonly id: string;
  /** What revisions name as author: `human:<name>`, `agent:<key or client name>`, `system`. */
  readonly author: string;
  /** The one project that the caller may see; undefined sees all. */
  readonly boundTo?: string;
  /** The project meant when a call names none; `boundTo`, or the root's binding of a loopback owner. */
  readonly defaultProject?: string;
}

/** What a rule may use of the call in addition to its input. */
export interface Context {
  readonly caller: Caller;
  readonly transport: Extract<Source, 'rest' | 'mcp' | 'cli'>;
  /** The MCP session's id, if the call came in one. */
  readonly session?: string | undefined;
  /** Scheme, host and port of the service as its callers see it, without a final slash. */
  readonly baseUrl: string;
  /** A file that came with the call; present if the operation's REST transport declares `upload` and the body was a form. */
  readonly upload?: Upload | undefined;
  /** The response is sent in slices: long lists in it may be deferred rows. */
  readonly streams?: boolean;
  /** The guest's link; present if the operation declares `link`. */
  readonly link?: ShareRecord;
  /** The claims of the repository's other worktrees, if those have plans of their own. */
  readonly claims?: RepositoryClaims | undefined;
  /** Renders texts; present if the operation declares `renders`. */
  readonly renderings?: Renderings;
}

/** A file on its way in, read once and to its end: only then is it known to be whole. */
export interface Upload {
  readonly filename: string;
  readonly type: string;
  /** Throws `payload_too_large`, and `invalid_argument` if the upload ends early. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The staged bytes, if they had to be read before the call was known: then there are none left to read. */
  readonly staged?: StagedBytes;
  /**
   * The files behind it in the form, if the operation allows several: read in their order, each to its end before the next. Iterating to
   * the end says that the form is whole.
   */
  readonly further?: AsyncIterable<Upload>;
}

/**
 * An entity tag in two parts: `own` changes with the resource's own fields, `rest` with anything else shown. Base64url or digits, no dot.
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
  /** Further headers; they override those of every response (Content-Security-Policy, Cache-Control). */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `prepare` may ask of the service before the transaction. */
export interface PrepareContext<C extends Collections> {
  /** Reads the project that the call means, as its caller may see it. Throws `not_found` if there is none. */
  view<T>(fn: (view: View<C>) => T): Promise<T>;
  /** Stores bytes, durable when it resolves: a record that the transaction puts may refer to them. Bytes without a record are swept. */
  stage(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes>;
  /** The hosted services that config.json names as remotes. */
  readonly remotes: Pick<Remotes, 'of'>;
  /** Files that a caller on this machine may name; undefined if the service is hosted. */
  readonly localFiles: Pick<LocalFiles, 'open'> | undefined;
}

/**
 * Work that cannot be done inside a transaction and precedes it: staging bytes, a request to another service. Returns the input
 * that `run` gets, which may have more members than the schema allows a caller. Its side effects must be harmless if `run` throws.
 */
export type Prepare<C extends Collections, I> = (input: I, context: Context, service: PrepareContext<C>) => Promise<I>;

/** All projects that the caller may see, by created_at, id. Given to operations whose scope is the workspace. */
export interface Workspace<C extends Collections> {
  readonly projects: readonly View<C>[];
}

/** Operations that the OpenAPI description lists together. */
export interface Group {
  readonly name: string;
  /** One sentence on what they are about. */
  readonly description: string;
}

interface Declared<I> {
  /** snake_case and unique; the MCP tool's name if `mcp` is present. */
  readonly name: string;
  /** One line for OpenAPI and the command line. */
  readonly summary: string;
  /** What it is listed under in the OpenAPI description. */
  readonly group: Group;
  /** Unique name of a definition in `schemas/`: every member of the input, path parameters included, additionalProperties false. */
  readonly input: string;
  /** Unique name of the definition of what `run` returns (the wrapped form), or undefined for nothing. */
  readonly output?: string;
  readonly rest?: RestOptions;
  readonly mcp?: McpOptions;
  /** Refused to agent keys. */
  readonly peopleOnly?: true;
  /**
   * Members of the input that hold an id by which the project is found when project_id is absent (`task_id`), with the resource's kind.
   * Of several the first that is given counts.
   */
  readonly locate?: Locator<I> | readonly Locator<I>[];
  /** For guests: the input's `token` is a link's, which serves as the credential and determines the project. */
  readonly link?: LinkOptions;
  /**
   * It shows or keeps rendered texts: `run` may be called several times, until all of them are rendered, and only its last result counts.
   */
  readonly renders?: true;
  /** The response contains a secret that is shown once: what is kept of it for repeats is encrypted with the caller's idempotency key. */
  readonly secret?: true;
  /** Gives access to people without a credential: the owner may reserve it (`agent_share_links`). */
  readonly sharesOutward?: true;
}

export interface Locator<I> {
  readonly member: Extract<keyof I, string>;
  readonly resource: string;
  /** The service collection that the id is in, whose records name their `project`; absent if it is in the project itself. */
  readonly service?: string;
  /** Inputs in which the member is such an id; absent: all. */
  readonly when?: (input: I) => boolean;
  /** The member may hold what is no id (a file's path): then the project is found as if it were not given. */
  readonly loose?: true;
}

export interface LinkOptions {
  readonly kind: ShareRecord['kind'];
  /** Calls that one address may make by one link; then `rate_limited`. */
  readonly perMinuteMax?: number;
}

export interface RestOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /api/v1, parameters named as the input's members: `/tasks/:task_id`. */
  readonly path: string;
  /** The member of the response that is the body over REST; further members (`warnings`) are merged into it. Absent: the response itself. */
  readonly bare?: string;
  /** The response is a `RawResponse`, sent unchanged. */
  readonly raw?: true;
  /** The response is a page of another author: a browser that navigates to it gets a page of the service that frames it. */
  readonly framed?: true;
  /** Content types of a raw response, for the description; any type if absent. */
  readonly produces?: readonly string[];
  /** The body may be a form with a file of at most so many bytes instead of JSON: `prepare` finds it in the context. */
  readonly upload?: UploadOptions;
  /** Default: POST 201, DELETE 204, else 200. A function if it depends on the response (`claim_task`: 200 or 409). */
  readonly status?: number | ((answer: never) => number);
  /** Every status that a function of `status` returns. Default: 200, and 409 for what was not done. */
  readonly statuses?: readonly number[];
  /** Wire names over REST that differ from the input's members: `{status: 'status_line', tag: 'tags'}`. */
  readonly names?: Readonly<Record<string, string>>;
  /** A body that shows what the operation is for, its members under their wire names: part of the OpenAPI description. */
  readonly example?: Readonly<Record<string, unknown>>;
}

export interface UploadOptions {
  readonly bytesMax: number;
  /** Maximum number of files; their names are paths then. Default: one. */
  readonly filesMax?: number;
  /**
   * The members of the input that a file supplies. In JSON the content is a text in base64, which is read like a form's file, piece by
   * piece: in the input the member is then empty.
   */
  readonly members?: { readonly content: string; readonly filename: string; readonly type: string };
}

export interface McpOptions {
  /** For an agent that has never seen the service: when to use it, what comes back, what to call next. */
  readonly description: string;
  readonly title: string;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
}

/**
 * What an operation is about and what it does with that, scope × effect. `tag` is computed without building the response; it makes
 * If-None-Match, If-Match and `since` work.
 */

/** Reads one project. */
export interface ProjectRead<C extends Collections, I, O> extends Declared<I> {
  readonly scope: 'project';
  readonly effect: 'read';
  readonly tag?: (view: View<C>, input: I, context: Context) => Tag;
  readonly run: (view: View<C>, input: I, context: Context) => O | Sliced<O>;
}

/**
 * The same rule as `run` for inputs that take long: interruptible, so that other requests are answered meanwhile. The project is held until
 * it is complete.
 */
export interface SlicedRule<C extends Collections, I, O> {
  readonly when: (input: I) => boolean;
  readonly run: (tx: Tx<C>, input: I, context: Context) => Steps<O>;
}

/** What every transaction on a project has. */
interface ProjectTransaction<C extends Collections, I, O> extends Declared<I> {
  readonly scope: 'project';
  readonly prepare?: Prepare<C, I>;
  readonly run: (tx: Tx<C>, input: I, context: Context) => O;
  readonly sliced?: SlicedRule<C, I, O>;
}

/** Changes one project in one transaction. */
export interface ProjectWrite<C extends Collections, I, O> extends ProjectTransaction<C, I, O> {
  readonly effect: 'write';
  /** For If-Match on PATCH and PUT: the tag before the change. */
  readonly tag?: (view: View<C>, input: I, context: Context) => Tag;
}

/** Creates a project: `run` gets a transaction on the new, empty one. `projectName` is what its directory is named after. */
export interface ProjectCreate<C extends Collections, I, O> extends ProjectTransaction<C, I, O> {
  readonly effect: 'create';
  readonly projectName: (input: I) => string;
  readonly tag?: undefined;
}

/** Creates a project or changes one, by its input. */
export interface ProjectCreateOrWrite<C extends Collections, I, O> extends ProjectTransaction<C, I, O> {
  readonly effect: 'create_or_write';
  /** The new project's name, or undefined to work in an existing one. */
  readonly projectName: (input: I) => string | undefined;
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
  /** Steps to be taken before `run`, in slices, between which the projects may change; undefined if nothing is to be done. */
  readonly before?: (workspace: Workspace<C>) => Iterator<unknown, void> | undefined;
  readonly run: (workspace: Workspace<C>, input: I, context: Context) => O | Sliced<O>;
}

/** The service's own records as an operation on them sees them, at one moment. */
export interface ServiceContext<R extends ServiceView = ServiceView> {
  readonly records: R;
  /** ISO time of this view or transaction. */
  readonly now: string;
  hasProject(id: string): boolean;
}

/** Reads records of the service's own: keys, sign-ins. The owner's alone. */
export interface ServiceRead<I, O> extends Declared<I> {
  readonly scope: 'service';
  readonly effect: 'read';
  readonly tag?: (service: ServiceContext, input: I, context: Context) => Tag;
  readonly run: (service: ServiceContext, input: I, context: Context) => O;
}

/** Changes records of the service's own in one transaction. The owner's alone. */
export interface ServiceWrite<I, O> extends Declared<I> {
  readonly scope: 'service';
  readonly effect: 'write';
  readonly run: (service: ServiceContext<ServiceTx>, input: I, context: Context) => O;
  readonly tag?: undefined;
}

// The catalogue holds operations of every input; `any` at both ends of the variance lets one array hold them all.
/* eslint-disable @typescript-eslint/no-explicit-any */
export type AnyOperation<C extends Collections = any> =
  | ProjectRead<C, any, any>
  | ProjectWrite<C, any, any>
  | ProjectCreate<C, any, any>
  | ProjectCreateOrWrite<C, any, any>
  | ProjectDelete<any>
  | WorkspaceRead<C, any, any>
  | ServiceRead<any, any>
  | ServiceWrite<any, any>;

/** Operations that run in a transaction on a project. */
export type InTransaction<C extends Collections = any> = Extract<
  AnyOperation<C>,
  { readonly scope: 'project'; readonly effect: 'write' | 'create' | 'create_or_write' }
>;
/* eslint-enable @typescript-eslint/no-explicit-any */
