import { invalid, PlannerError } from '../base/errors.ts';
import type { AnyOperation } from '../operations/declaration/operation.ts';
import type { RouteBinding } from '../operations/declaration/route-binding.ts';
import type { Violation } from '../store/index.ts';
import { coercionOf } from './coerce.ts';
import type { Coerce, MemberSchema } from './coerce.ts';

/** The part of a self-contained object schema that routes need. */
export interface InputSchema {
  readonly properties?: Readonly<Record<string, MemberSchema>>;
}

type Members = Readonly<Record<string, unknown>>;

/** An operation whose answers may be followed. */
export type FollowedOperation = Extract<AnyOperation, { readonly waits?: unknown }>;

function followedOf(operation: AnyOperation): FollowedOperation | undefined {
  return 'waits' in operation && operation.waits !== undefined ? operation : undefined;
}

/** Returns whether a route reads one resource of a project, whose entity tag names the bytes of the response. */
function readsResource({ operation, options }: RouteBinding): boolean {
  const { bare, framed, raw, upload } = options;
  if (operation.scope !== 'project' || operation.effect !== 'read' || operation.tag === undefined) return false;
  if (operation.link !== undefined || operation.renders === true) return false;
  return bare !== undefined && framed !== true && raw !== true && upload === undefined;
}

/**
 * Converts a request to the input of an operation, and its result to the body of the response. Everything that does not depend on the
 * request is computed once.
 */
export class RestRoute {
  readonly binding: RouteBinding;
  readonly pattern: string;
  /** True if the route needs no credential: the link that is sent determines the rest. */
  readonly isOpen: boolean;
  /** The operation, if it can wait for its answer; then it also has a stream, which the Accept header asks for. */
  readonly followed: FollowedOperation | undefined;
  /** True if the text of a response serves for the next one with the same entity tag. */
  readonly keepsText: boolean;
  /** True if the response may be sent in pieces: it is no single resource. */
  readonly streams: boolean;
  readonly #coercions: ReadonlyMap<string, Coerce>;
  /** The members that have the same name over REST. */
  readonly #plain: ReadonlySet<string>;

  constructor(binding: RouteBinding, schema: InputSchema) {
    this.binding = binding;
    this.pattern = binding.pattern;
    this.isOpen = binding.operation.link !== undefined;
    this.followed = followedOf(binding.operation);
    this.keepsText = readsResource(binding);
    this.streams = binding.options.bare === undefined || binding.options.hasLists === true;
    this.#coercions = new Map(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [name, coercionOf(member)]),
    );
    this.#plain = new Set([...this.#coercions.keys()].filter((name) => binding.memberOf(name) === name));
  }

  /** The operation's input. Throws `invalid_argument` for members that are given twice or in the wrong place. */
  input(parameters: Members, query: string, body: unknown): Members {
    const input: Record<string, unknown> = { ...parameters };
    if (query !== '') this.#addQuery(input, query);
    if (body !== undefined) this.#addBody(input, body);
    return input;
  }

  /** The input of a form: its fields are texts, which become the values that the members take. */
  formInput(parameters: Members, query: string, fields: Members): Members {
    const values = Object.entries(fields).map(([name, text]) => {
      const coerce = this.#coercions.get(this.binding.memberOf(name) ?? name);
      return [name, coerce === undefined || typeof text !== 'string' ? text : coerce([text])];
    });
    return this.input(parameters, query, Object.fromEntries(values));
  }

  /** The body of the response: the bare resource, with the result's other members (`warnings`) merged into it. */
  body(value: unknown): unknown {
    const { bare } = this.binding.options;
    if (bare === undefined) return value;
    const { [bare]: resource, ...beside } = value as Record<string, unknown>;
    for (const _ in beside) return { ...(resource as object), ...beside };
    return resource;
  }

  /** The headers that the operation declares. */
  headers(value: unknown): Record<string, string> {
    const { headers = {} } = this.binding.options;
    const members = (value ?? {}) as Members;
    const given = Object.entries(headers).flatMap(([name, member]) => {
      const text = members[member];
      return typeof text === 'string' ? [[name, text] as const] : [];
    });
    return Object.fromEntries(given);
  }

  /** An error of the operation with the wire names of its fields. */
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
      if (!this.binding.queryIsInput && member !== 'project_id') {
        throw invalid(name, `${name} is not a query parameter of a ${this.binding.method}: send it in the body.`);
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
      // Most names are known, and are the member's.
      const member = this.#plain.has(name) ? name : this.#member(name, 'body');
      this.#add(input, name, member, (body as Members)[name]);
    }
  }

  /** The input's member with this wire name. A member with another name over REST is accepted under that name only. */
  #member(name: string, place: string): string {
    const member = this.binding.memberOf(name);
    if (member === undefined)
      throw invalid(name, `${name} is called ${this.binding.wireNameOf(name)} in the ${place}.`);
    if (name === '__proto__') throw invalid(name, 'There is no member of the name __proto__.');
    return member;
  }

  #add(input: Record<string, unknown>, name: string, member: string, value: unknown): void {
    if (Object.hasOwn(input, member))
      throw invalid(name, `${name} is given twice: the path or the query already has it.`);
    input[member] = value;
  }

  /** A violation with wire names. The message for an unknown member lists the known ones. */
  #wireViolation({ field, message }: Violation): Violation {
    if (/[.[]/.test(field) || this.#coercions.has(field)) {
      const wire = this.#wireField(field);
      return { field: wire, message: message.startsWith(field) ? wire + message.slice(field.length) : message };
    }
    return { field, message: `${field} is not known here. Known are ${this.#given().join(', ')}.` };
  }

  #wireField(field: string): string {
    const [first = ''] = /[^.[]*/.exec(field) ?? [];
    return this.binding.wireNameOf(first) + field.slice(first.length);
  }

  /** The members that a caller may send besides the path's. */
  #given(): string[] {
    const { binding } = this;
    const members = [...this.#coercions.keys()].filter((member) => !binding.parameters.includes(member));
    return members.map((member) => binding.wireNameOf(member));
  }
}
