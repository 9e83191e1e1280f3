import { PlannerError } from '../../base/errors.ts';
import { sha256Of } from './idempotency.ts';
import type { About, FirstResponse } from './idempotency.ts';
import type { AnyOperation } from '../declaration/operation.ts';
import { routeOf } from '../declaration/route-binding.ts';
import type { RouteBinding } from '../declaration/route-binding.ts';

type Members = Readonly<Record<string, unknown>>;

/** The call that reads the resource that a write returned. */
export interface Reading {
  readonly operation: AnyOperation;
  readonly input: Members;
  /** The REST address of the read, below `/api/v1`. */
  readonly path: string;
}

/** The outcome of a retry whose first response is not stored and cannot be rebuilt. */
export interface CarriedOut {
  /** The value for transports that respond with an object: `{repeated: …}` cannot be mistaken for a resource. */
  readonly value: { readonly repeated: { readonly message: string; readonly read?: Members } };
  /** The REST address of the resource, if the call returned one. */
  readonly path: string | undefined;
}

/** Finds the operation that reads what another operation returns, by the routes of the catalogue. */
export class ResponseReaders {
  readonly #byPath = new Map<string, AnyOperation>();
  readonly #byParameter = new Map<string, AnyOperation>();

  constructor(catalogue: Iterable<AnyOperation>) {
    for (const operation of catalogue) {
      const { scope, link } = operation;
      const route = routeOf(operation);
      if (route?.method !== 'GET' || route.options.raw === true || scope !== 'project' || link !== undefined) continue;
      this.#byPath.set(route.path, operation);
      const parameter = /^\/[\w-]+\/:(\w+)$/.exec(route.path)?.[1];
      if (parameter !== undefined) this.#byParameter.set(parameter, operation);
    }
  }

  /** The operation that reads what `write` returns. */
  readerOf(write: AnyOperation): AnyOperation | undefined {
    const route = routeOf(write);
    if (route === undefined || write.link !== undefined) return undefined;
    const same = route.replaces ? this.#byPath.get(route.path) : undefined;
    return same ?? this.#byParameter.get(`${route.options.bare ?? ''}_id`);
  }

  /** The call that reads the result of `write`, or undefined. */
  of(write: AnyOperation, input: Members, { project, resource }: About): Reading | undefined {
    const reader = this.readerOf(write);
    if (reader === undefined) return undefined;
    const given: Record<string, unknown> = { ...(project ? { project_id: project } : {}) };
    const route = routeOf(reader)!;
    for (const name of route.parameters) {
      given[name] ??= name === 'project_id' ? input[name] : (resource ?? input[name]);
      if (typeof given[name] !== 'string') return undefined;
    }
    return { operation: reader, input: given, path: addressOf(route, given) };
  }
}

/** The id of the resource that an operation returned. */
export function resourceOf({ rest }: AnyOperation, value: unknown): string | undefined {
  const resource = rest?.bare === undefined ? undefined : (value as Members | undefined)?.[rest.bare];
  const id = (resource as Members | null | undefined)?.['id'];
  return typeof id === 'string' ? id : undefined;
}

/** The first response if it can be rebuilt exactly, else a message. `read` runs a read operation and returns its response. */
export async function rebuilt(
  { unkept }: FirstResponse,
  reading: Reading | undefined,
  read: (reading: Reading) => Promise<unknown>,
): Promise<{ readonly value: unknown } | CarriedOut> {
  if (reading === undefined) return carriedOutIn(unkept?.project);
  const value = await read(reading).catch((thrown: unknown) => {
    if (thrown instanceof PlannerError) return undefined;
    throw thrown;
  });
  const isFirst = value !== undefined && sha256Of(JSON.stringify(value)) === unkept?.sha256;
  return isFirst ? { value } : carriedOut(reading);
}

const carriedOutBefore =
  'This call was executed when its idempotency key was first used; nothing was changed now. Its response is no longer stored';

function carriedOut({ operation: { name }, input, path }: Reading): CarriedOut {
  const message = `${carriedOutBefore}, and the resource has changed since: read it again with ${name}.`;
  return { value: { repeated: { message, read: { operation: name, input } } }, path };
}

/** The repeated answer for a response that no single operation reads, for instance that of a scaffold. */
function carriedOutIn(project: string | undefined): CarriedOut {
  const read = project === undefined ? {} : { read: { operation: 'get_project', input: { project_id: project } } };
  return { value: { repeated: { message: `${carriedOutBefore}.`, ...read } }, path: undefined };
}

function addressOf(route: RouteBinding, input: Members): string {
  const path = route.address(input);
  const isNamed = route.parameters.includes('project_id') || input['project_id'] === undefined;
  return isNamed ? path : `${path}?project_id=${encodeURIComponent(String(input['project_id']))}`;
}
