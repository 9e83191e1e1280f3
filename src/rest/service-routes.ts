import { conflict, PlannerError } from '../base/errors.ts';
import type { ServiceRoute } from './service-route.ts';

/** The parts of the store that the service's own routes use. */
export interface Operated {
  /** A random name, a new one each time the store is opened. */
  readonly instance: string;
  flush(): Promise<void>;
  readiness(): Promise<Readiness>;
  /** True if callers without a credential get the readiness, but nothing of the state. */
  readonly isReadinessOpen?: boolean;
}

/** The readiness of a store, with its measures for monitors. */
export interface Readiness {
  /** Why it does not, and what to do. */
  readonly failure?: string;
  readonly state: Readonly<Record<string, unknown>>;
}

export interface ServiceRoutesOptions {
  readonly store: Operated;
  readonly version: string;
  /** Checks everything; with `fix`, first repairs everything that can be repaired safely. */
  readonly doctor: (fix: boolean) => Promise<unknown>;
  /** Closes this service for another service. Absent: it does not hand its root over. */
  readonly handOver?: (() => void) | undefined;
  /** Generates the OpenAPI description. Called once, at the first request for it. */
  readonly describe: () => unknown;
}

/**
 * The routes of the service itself, outside the catalogue: for monitors, for programs that need the description, and for the command line.
 */
export function serviceRoutes({
  store,
  version,
  doctor,
  handOver,
  describe,
}: ServiceRoutesOptions): readonly ServiceRoute[] {
  const embedded = handOver !== undefined;
  let description: unknown;
  return [
    { method: 'GET', path: '/health', open: true, answer: () => ({ ok: true }) },
    {
      method: 'GET',
      path: '/ready',
      ...(store.isReadinessOpen === true ? { open: true, isBlind: true } : { ownerOnly: true }),
      answer: () => readiness(store),
    },
    { method: 'GET', path: '/openapi.json', answer: () => (description ??= describe()) },
    {
      method: 'GET',
      path: '/service',
      ownerOnly: true,
      answer: () => ({ version, pid: process.pid, instance: store.instance, embedded }),
    },
    {
      method: 'POST',
      path: '/service/hand-over',
      ownerOnly: true,
      needsCredential: true,
      answer: () => {
        if (handOver === undefined) throw conflict('This service hands its root over to no other one: end it instead.');
        handOver();
        return { handing_over: true };
      },
    },
    { method: 'GET', path: '/doctor', ownerOnly: true, answer: () => doctor(false) },
    { method: 'POST', path: '/doctor', ownerOnly: true, answer: () => doctor(true) },
    {
      method: 'POST',
      path: '/flush',
      ownerOnly: true,
      answer: async () => {
        await store.flush();
        return { flushed: true };
      },
    },
  ];
}

/** The store's state, for load balancers and monitors. Throws `unavailable` while it rejects writes. */
async function readiness(store: Operated): Promise<unknown> {
  const { failure, state: whole } = await store.readiness();
  const state = store.isReadinessOpen === true ? {} : whole;
  if (failure === undefined) return { ready: true, ...state };
  throw new PlannerError('unavailable', failure, { ready: false, ...state });
}
