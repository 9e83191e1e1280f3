import { invalid, PlannerError } from '../errors.ts';
import type { AnyOperation } from '../operations/declaration/operation.ts';
import type { Violation } from '../store/index.ts';
import { coercionOf } from './coerce.ts';
import type { Coerce, MemberSchema } from './coerce.ts';

/** A self-contained object schema, as far as routes need it. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, MemberSchema>>;
}

type Members = Readonly<Record<string, unknown>>;

/** One operation as a route: makes its input of path, query and body, and the body of its answer. All that can be is worked out once. */
export class RestRoute {
  readonly operation: AnyOperation;
  /** What serves it, as logs and figures name it. */
  readonly pattern: string;
  readonly takesBody: boolean;
  readonly #door: NonNullable<AnyOperation['rest']>;
  /** Wire names that differ, both ways. */
  readonly #memberOf: ReadonlyMap<string, string>;
  readonly #wireNameOf: ReadonlyMap<string, string>;
  readonly #coercions: ReadonlyMap<string, Coerce>;
  readonly #queryIsInput: boolean;

  constructor(operation: AnyOperation, schema: InputSchema) {
    if (operation.rest === undefined) throw new Error(`${operation.name} has no REST route.`);
    this.operation = operation;
    this.pattern = `/api/v1${operation.rest.path}`;
    this.#door = operation.rest;
    this.takesBody = operation.rest.method !== 'GET';
    this.#queryIsInput = operation.rest.method === 'GET' || operation.rest.method === 'DELETE';
    const names = Object.entries(operation.rest.names ?? {});
    this.#memberOf = new Map(names);
    this.#wireNameOf = new Map(names.map(([wire, member]) => [member, wire]));
    this.#coercions = new Map(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [name, coercionOf(member)]),
    );
  }

  /** The operation's input. Throws `invalid_argument` for members given twice or where they do not belong. */
  input(parameters: Members, query: string, body: unknown): Members {
    const input: Record<string, unknown> = { ...parameters };
    if (query !== '') this.#addQuery(input, query);
    if (body !== undefined) this.#addBody(input, body);
    return input;
  }

  /** The HTTP status of an answer. */
  status(value: unknown): number {
    const { status, method } = this.#door;
    if (typeof status === 'function') return status(value as never);
    if (status !== undefined) return status;
    if (method === 'DELETE') return 204;
    return method === 'POST' ? 201 : 200;
  }

  /** The body of an answer: the bare resource, with what was told beside it (`warnings`) as further members. */
  body(value: unknown): unknown {
    const { bare } = this.#door;
    if (bare === undefined) return value;
    const { [bare]: resource, ...beside } = value as Record<string, unknown>;
    for (const _ in beside) return { ...(resource as object), ...beside };
    return resource;
  }

  /** An error of the operation with its fields called as they are on the wire. */
  onTheWire(error: PlannerError): PlannerError {
    const { code, field, message, details } = error;
    if (code !== 'invalid_argument' || field === undefined) return error;
    const violations = details['details'];
    if (!Array.isArray(violations))
      return new PlannerError(code, message, { ...details, field: this.#wireField(field) });
    const renamed = (violations as Violation[]).map((violation) => this.#wireViolation(violation));
    return new PlannerError(code, renamed[0]?.message ?? message, {
      ...details,
      details: renamed,
      field: renamed[0]?.field ?? this.#wireField(field),
    });
  }

  #addQuery(input: Record<string, unknown>, query: string): void {
    const given = new Map<string, string[]>();
    for (const [name, text] of new URLSearchParams(query)) {
      const texts = given.get(name);
      if (texts === undefined) given.set(name, [text]);
      else texts.push(text);
    }
    for (const [name, texts] of given) {
      const member = this.#member(name, 'query');
      if (!this.#queryIsInput && member !== 'project_id') {
        throw invalid(name, `${name} does not belong into the query of a ${this.#door.method}: send it in the body.`);
      }
      const coerce = this.#coercions.get(member);
      this.#add(input, name, member, coerce === undefined ? texts[0] : coerce(texts));
    }
  }

  #addBody(input: Record<string, unknown>, body: unknown): void {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new PlannerError('invalid_argument', 'The body is not a JSON object: send the members in {}.');
    }
    for (const name of Object.keys(body)) {
      this.#add(input, name, this.#member(name, 'body'), (body as Members)[name]);
    }
  }

  /** The input's member that a wire name stands for. A member that is called otherwise over REST has no second name. */
  #member(name: string, place: string): string {
    const hidden = this.#wireNameOf.get(name);
    if (hidden !== undefined && !this.#memberOf.has(name))
      throw invalid(name, `${name} is called ${hidden} in the ${place}.`);
    if (name === '__proto__') throw invalid(name, 'There is no member of the name __proto__.');
    return this.#memberOf.get(name) ?? name;
  }

  #add(input: Record<string, unknown>, name: string, member: string, value: unknown): void {
    if (Object.hasOwn(input, member))
      throw invalid(name, `${name} is given twice: it stands in the path or the query already.`);
    input[member] = value;
  }

  /** What the schema found. Who gave a member that is not known is told which are, by their wire names. */
  #wireViolation({ field, message }: Violation): Violation {
    if (/[.[]/.test(field) || this.#coercions.has(field)) return { field: this.#wireField(field), message };
    return { field, message: `${field} is not known here. Known are ${this.#given().join(', ')}.` };
  }

  #wireField(field: string): string {
    const [first = ''] = /[^.[]*/.exec(field) ?? [];
    const wire = this.#wireNameOf.get(first);
    return wire === undefined ? field : wire + field.slice(first.length);
  }

  /** What a caller may give beside the path. */
  #given(): string[] {
    const inPath = new Set([...this.#door.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    const members = [...this.#coercions.keys()].filter((member) => !inPath.has(member));
    return members.map((member) => this.#wireNameOf.get(member) ?? member);
  }
}
