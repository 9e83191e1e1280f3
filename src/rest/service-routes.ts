import { PlannerError } from '../errors.ts';
import type { Problem } from '../store/index.ts';
import type { ServiceRoute } from './service-route.ts';

/** The part of the store that the service's own routes use. */
export interface Operated {
  /** A random name, a new one each time the root is opened. */
  readonly instance: string;
  flush(): Promise<void>;
  status(): {
    readonly writable: boolean;
    readonly projects: number;
    readonly pending: number;
    readonly journalBytes: number;
    readonly git: string | null;
    readonly watch: 'events' | 'poll' | 'off';
    readonly problems: readonly Problem[];
  };
}

export interface ServiceRoutesOptions {
  readonly store: Operated;
  readonly version: string;
  /** Checks everything; with `fix`, first repairs what can be repaired safely. */
  readonly doctor: (fix: boolean) => Promise<unknown>;
  /** Generates the OpenAPI description. Called once, at the first request for it. */
  readonly describe: () => unknown;
}

/**
 * The routes of the service itself, outside the catalogue: for monitors, for programs that need the description, and for the command line.
 */
export function serviceRoutes({ store, version, doctor, describe }: ServiceRoutesOptions): readonly ServiceRoute[] {
  let description: unknown;
  return [
    { method: 'GET', path: '/health', open: true, answer: () => ({ ok: true }) },
    { method: 'GET', path: '/ready', ownerOnly: true, answer: () => readiness(store) },
    { method: 'GET', path: '/openapi.json', answer: () => (description ??= describe()) },
    {
      method: 'GET',
      path: '/service',
      ownerOnly: true,
      answer: () => ({ version, pid: process.pid, instance: store.instance }),
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
function readiness(store: Operated): unknown {
  const { writable, projects, pending, journalBytes, git, watch, problems } = store.status();
  const state = { projects, pending, journal_bytes: journalBytes, git, watch, problems: problems.length };
  if (writable) return { ready: true, ...state };
  throw new PlannerError(
    'unavailable',
    'The journal could not be written, and changes are rejected: see the log for the reason, fix the cause and restart the service. Reads continue.',
    { ready: false, ...state },
  );
}
