import { restPrefix } from '../../addresses.ts';
import type { AnyOperation, RestOptions } from './operation.ts';

/** An input's definition, as far as its members' names go. */
export interface InputMembers {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** A member of an operation's input, and where a request has it. */
export interface BoundMember {
  /** Of the input. */
  readonly member: string;
  /** In the request. */
  readonly wireName: string;
  readonly place: 'path' | 'query' | 'body';
  readonly required: boolean;
}

/**
 * How an operation is called over REST: one value for the transport that serves it, the OpenAPI description, the page's client and the
 * tests, so that none of them derives it again. `routeOf` returns it.
 */
export class RouteBinding {
  readonly operation: AnyOperation;
  readonly method: RestOptions['method'];
  /** Below the prefix: `/tasks/:task_id`. */
  readonly path: string;
  /** The whole path with its parameters unfilled: `/api/v1/tasks/:task_id`. */
  readonly pattern: string;
  /** The members of the input that the path holds, in its order. */
  readonly parameters: readonly string[];
  /** What is answered at this route, and how. */
  readonly options: RestOptions;
  /** Any request but a GET may have a body. */
  readonly takesBody: boolean;
  /** The query holds the whole input: there is no body to hold it. */
  readonly queryIsInput: boolean;
  readonly #memberOf: ReadonlyMap<string, string>;
  readonly #wireNameOf: ReadonlyMap<string, string>;

  constructor(operation: AnyOperation, options: RestOptions) {
    const { method, path, names = {} } = options;
    this.operation = operation;
    this.options = options;
    this.method = method;
    this.path = path;
    this.pattern = restPrefix + path;
    this.parameters = parametersOf(path);
    this.takesBody = method !== 'GET';
    this.queryIsInput = method === 'GET' || method === 'DELETE';
    this.#memberOf = new Map(Object.entries(names));
    this.#wireNameOf = new Map(Object.entries(names).map(([wire, member]) => [member, wire]));
  }

  get name(): string {
    return this.operation.name;
  }

  /** The same as OpenAPI writes it: `/api/v1/tasks/{task_id}`. */
  get template(): string {
    return templateOf(this.path);
  }

  /** The member with this wire name; undefined for the name of a member that has another wire name. */
  memberOf(wireName: string): string | undefined {
    return this.#memberOf.get(wireName) ?? (this.#wireNameOf.has(wireName) ? undefined : wireName);
  }

  wireNameOf(member: string): string {
    return this.#wireNameOf.get(member) ?? member;
  }

  /** Where a request has each member of the input. */
  members({ properties = {}, required = [] }: InputMembers): BoundMember[] {
    return Object.keys(properties).map((member) => {
      const wireName = this.wireNameOf(member);
      const inQuery = this.queryIsInput || wireName === 'project_id';
      const place = this.parameters.includes(wireName) ? 'path' : inQuery ? 'query' : 'body';
      return { member, wireName, place, required: place === 'path' || required.includes(member) };
    });
  }

  /** The path below the prefix that an input leads to. */
  address(input: Readonly<Record<string, unknown>>): string {
    return this.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  }

  /** The HTTP status of an answer. */
  status(answer: unknown): number {
    const { status } = this.options;
    return typeof status === 'function' ? status(answer as never) : (status ?? this.#usualStatus);
  }

  /** Every status that an answer may have. */
  get statuses(): readonly number[] {
    const { status, statuses = [200, 409] } = this.options;
    return typeof status === 'function' ? statuses : [status ?? this.#usualStatus];
  }

  get #usualStatus(): number {
    if (this.method === 'DELETE') return 204;
    return this.method === 'POST' ? 201 : 200;
  }

  /** The answer shows a resource as it is after the call: it has an entity tag if the operation computes one. */
  get isTagged(): boolean {
    return this.hasTag && (this.method === 'GET' || this.replaces);
  }

  /** The operation computes an entity tag. */
  get hasTag(): boolean {
    return 'tag' in this.operation && this.operation.tag !== undefined;
  }

  /** A change of one resource, whose state `If-Match` may name. */
  get replaces(): boolean {
    return this.method === 'PATCH' || this.method === 'PUT';
  }
}

/** A path below the prefix as OpenAPI writes it whole: `/api/v1/tasks/{task_id}`. */
export function templateOf(path: string): string {
  return restPrefix + path.replace(/:(\w+)/g, '{$1}');
}

/** The names of the parameters in a path, in its order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
}

const bindings = new WeakMap<AnyOperation, RouteBinding>();

/** The route of an operation: always the same value; undefined if REST does not have the operation. */
export function routeOf(operation: AnyOperation): RouteBinding | undefined {
  if (operation.rest === undefined) return undefined;
  let binding = bindings.get(operation);
  if (binding === undefined) bindings.set(operation, (binding = new RouteBinding(operation, operation.rest)));
  return binding;
}

/** The routes of a catalogue in its order. */
export function routesOf(catalogue: Iterable<AnyOperation>): RouteBinding[] {
  return [...catalogue].flatMap((operation) => routeOf(operation) ?? []);
}
