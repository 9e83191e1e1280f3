import { restPrefix } from '../../base/addresses.ts';
import type { AnyOperation, RestOptions } from './operation.ts';

/** The part of an input's definition that has the names of its members. */
export interface InputMembers {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** A member of an operation's input and its location in a request. */
export interface BoundMember {
  /** The member's name in the input. */
  readonly member: string;
  /** The member's name in the request. */
  readonly wireName: string;
  readonly place: 'path' | 'query' | 'body';
  readonly required: boolean;
}

/** The methods that change one resource. */
export const replacing: ReadonlySet<RestOptions['method']> = new Set(['PATCH', 'PUT']);

/**
 * How an operation is called over REST. The transport, the OpenAPI description, the page's client and the tests share one value. `routeOf`
 * returns it.
 */
export class RouteBinding {
  readonly operation: AnyOperation;
  readonly method: RestOptions['method'];
  /** Below the prefix: `/tasks/:task_id`. */
  readonly path: string;
  /** The whole path with its parameters: `/api/v1/tasks/:task_id`. */
  readonly pattern: string;
  /** The members of the input in the path, in the path's order. */
  readonly parameters: readonly string[];
  /** The operation's declaration for REST. */
  readonly options: RestOptions;
  /** Any request but a GET may have a body. */
  readonly takesBody: boolean;
  /** The query contains the whole input, since there is no body. */
  readonly queryIsInput: boolean;
  /** The operation changes one resource; `If-Match` may name its state. */
  readonly replaces: boolean;
  readonly #usualStatus: number;
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
    this.replaces = replacing.has(method);
    this.#usualStatus = method === 'DELETE' ? 204 : method === 'POST' ? 201 : 200;
    this.#memberOf = new Map(Object.entries(names));
    this.#wireNameOf = new Map(Object.entries(names).map(([wire, member]) => [member, wire]));
  }

  get name(): string {
    return this.operation.name;
  }

  /** The template in OpenAPI's syntax: `/api/v1/tasks/{task_id}`. */
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

  /** The location of each member of the input in a request. */
  members({ properties = {}, required = [] }: InputMembers): BoundMember[] {
    return Object.keys(properties).map((member) => {
      const wireName = this.wireNameOf(member);
      const inQuery = this.queryIsInput || wireName === 'project_id';
      const place = this.parameters.includes(wireName) ? 'path' : inQuery ? 'query' : 'body';
      return { member, wireName, place, required: place === 'path' || required.includes(member) };
    });
  }

  /** The path below the prefix for an input. */
  address(input: Readonly<Record<string, unknown>>): string {
    return this.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  }

  /** The HTTP status of a response. */
  status(answer: unknown): number {
    const { status } = this.options;
    return typeof status === 'function' ? status(answer as never) : (status ?? this.#usualStatus);
  }

  /** Every status that a response may have. */
  get statuses(): readonly number[] {
    const { status, statuses = [200, 409] } = this.options;
    return typeof status === 'function' ? statuses : [status ?? this.#usualStatus];
  }

  /** The response contains the resource's state after the call, and an entity tag if the operation computes one. */
  get isTagged(): boolean {
    return this.hasTag && (this.method === 'GET' || this.replaces);
  }

  /** The operation computes an entity tag. */
  get hasTag(): boolean {
    const { operation } = this;
    return 'answerTag' in operation || ('tag' in operation && operation.tag !== undefined);
  }
}

/** A path below the prefix as a whole path in OpenAPI's syntax: `/api/v1/tasks/{task_id}`. */
export function templateOf(path: string): string {
  return restPrefix + path.replace(/:(\w+)/g, '{$1}');
}

/** The names of the parameters in a path, in order. */
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

/** The routes of a catalogue, in order. */
export function routesOf(catalogue: Iterable<AnyOperation>): RouteBinding[] {
  return [...catalogue].flatMap((operation) => routeOf(operation) ?? []);
}
