import { isoTime } from '../clock.ts';
import type { Clock, Timer } from '../clock.ts';
import { conflict, notFound, PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Presence, PresenceChange, SetPresenceInput } from '../schema/types.ts';
import type { Tx } from '../store/index.ts';
import type { PlannerCollections } from './records/collections.ts';

/** How long a session without a stream is present after its last call. */
export const presenceMs = 30_000;
/** How long it remains after its stream ended: a client connects again after a second. */
export const streamGraceMs = 3000;
/** Changes within this time are sent together. */
const gatheredMs = 100;
/** When a rejected caller may try again, in seconds. */
const retrySeconds = 10;

/** The caller whose session is present. */
interface PresentCaller {
  /** The credential. */
  readonly id: string;
  readonly author: string;
}

/** What a session looks at. */
type Place = Pick<Presence, 'project_id' | 'resource' | 'editing'>;

interface Entry {
  /** The credential that the session belongs to. */
  readonly caller: string;
  readonly shown: Presence;
  expiry: Timer | undefined;
}

/** A stream of the sessions that are present. */
export interface PresenceWatch {
  /** The only project whose sessions are sent; undefined for all. */
  readonly project: string | undefined;
  readonly caller: string;
  /** The session that is present for as long as the stream is open. */
  readonly session: string;
  readonly send: (change: PresenceChange) => void;
}

export interface PresenceStream {
  /** Everything at the moment: what a stream sends first, and after it missed changes. */
  readonly whole: () => PresenceChange;
  readonly end: () => void;
}

/** The sessions of callers that look at records right now, each at one. They are kept in memory only. */
export class PresenceRegister {
  readonly #clock: Clock;
  /** By session. */
  readonly #entries = new Map<string, Entry>();
  readonly #watches = new Set<PresenceWatch>();
  /** Sessions whose change was not sent yet, with the projects that it concerns. */
  readonly #changed = new Map<string, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The sessions in a project, or in all. The session that came first is the first. */
  in(project: string | undefined): readonly Presence[] {
    const shown = Array.from(this.#entries.values(), (entry) => entry.shown);
    return project === undefined ? shown : shown.filter(({ project_id: id }) => id === project);
  }

  /**
   * Makes a session present at a record, instead of where it was. Throws `conflict` if it belongs to another credential, `rate_limited` if
   * there are too many.
   */
  enter(session: string, { id: caller, author }: PresentCaller, place: Place): void {
    const former = this.#entries.get(session);
    if (former === undefined) this.#requireRoom(caller);
    else if (former.caller !== caller) throw ofAnother(session);
    former?.expiry?.cancel();
    const isSame = former !== undefined && isAt(former.shown, place);
    const at = isSame ? former.shown.at : isoTime(this.#clock.now());
    const entry: Entry = {
      caller,
      shown: isSame ? former.shown : { session, author, ...place, at },
      expiry: undefined,
    };
    this.#entries.set(session, entry);
    if (!this.#hasStream(caller, session)) this.#expireIn(presenceMs, session, entry);
    if (isSame) return;
    this.#note(session, place.project_id);
    if (former !== undefined) this.#note(session, former.shown.project_id);
  }

  /** Ends the presence of a session. Throws `conflict` if it belongs to another credential. */
  leave(session: string, caller: string): void {
    const entry = this.#entries.get(session);
    if (entry === undefined) return;
    if (entry.caller !== caller) throw ofAnother(session);
    this.#remove(session, entry);
  }

  /** Sends each change of the sessions that are present from now on. The session of the stream does not expire while it is open. */
  watch(watch: PresenceWatch): PresenceStream {
    const { caller, session, project } = watch;
    this.#watches.add(watch);
    const entry = this.#entries.get(session);
    if (entry?.caller === caller) entry.expiry?.cancel();
    return {
      whole: () => ({ whole: true, present: [...this.in(project)], gone: [] }),
      end: () => {
        if (!this.#watches.delete(watch) || this.#hasStream(caller, session)) return;
        const left = this.#entries.get(session);
        if (left?.caller === caller) this.#expireIn(streamGraceMs, session, left);
      },
    };
  }

  #hasStream(caller: string, session: string): boolean {
    for (const watch of this.#watches) if (watch.session === session && watch.caller === caller) return true;
    return false;
  }

  #requireRoom(caller: string): void {
    let own = 0;
    for (const entry of this.#entries.values()) if (entry.caller === caller) own++;
    if (own < limits.followersPerCallerMax && this.#entries.size < limits.followersMax) return;
    throw new PlannerError('rate_limited', 'Too many sessions are present: end some, or let them expire.', {
      retry_after: retrySeconds,
    });
  }

  #expireIn(ms: number, session: string, entry: Entry): void {
    entry.expiry?.cancel();
    entry.expiry = this.#clock.after(ms, () => this.#remove(session, entry)).unref();
  }

  #remove(session: string, entry: Entry): void {
    entry.expiry?.cancel();
    if (this.#entries.get(session) !== entry) return;
    this.#entries.delete(session);
    this.#note(session, entry.shown.project_id);
  }

  #note(session: string, project: string): void {
    if (this.#watches.size === 0) return;
    if (this.#changed.size === 0) this.#clock.after(gatheredMs, () => this.#send()).unref();
    let projects = this.#changed.get(session);
    if (projects === undefined) this.#changed.set(session, (projects = new Set()));
    projects.add(project);
  }

  #send(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    // The same object for every stream of a project, so that transports serialise it once.
    const changes = new Map<string | undefined, PresenceChange>();
    for (const { project, send } of this.#watches) {
      let change = changes.get(project);
      if (change === undefined) changes.set(project, (change = this.#changeIn(project, changed)));
      if (change.present.length + change.gone.length > 0) send(change);
    }
  }

  #changeIn(
    project: string | undefined,
    changed: readonly (readonly [session: string, projects: ReadonlySet<string>])[],
  ): PresenceChange {
    const [present, gone]: [Presence[], string[]] = [[], []];
    for (const [session, projects] of changed) {
      if (project !== undefined && !projects.has(project)) continue;
      const shown = this.#entries.get(session)?.shown;
      if (shown !== undefined && (project === undefined || shown.project_id === project)) present.push(shown);
      else gone.push(session);
    }
    return { whole: false, present, gone };
  }
}

/** Makes the caller's session present at a record of the project, or ends its presence. Returns the sessions that are present in the project. */
export function setPresence(
  tx: Tx<PlannerCollections>,
  { session, record_id: id, editing = false }: SetPresenceInput,
  caller: PresentCaller,
  register: PresenceRegister,
): readonly Presence[] {
  if (id === null) register.leave(session, caller.id);
  else {
    const found = tx.find(id);
    if (found === undefined) throw notFound('record', id);
    register.enter(session, caller, {
      project_id: tx.project,
      resource: { type: found.collection, id: found.record.id },
      editing,
    });
  }
  return register.in(tx.project);
}

function isAt(shown: Presence, { project_id: project, resource, editing }: Place): boolean {
  return shown.project_id === project && shown.resource.id === resource.id && shown.editing === editing;
}

function ofAnother(session: string): PlannerError {
  return conflict(`The session ${session} belongs to another credential: choose a random name.`);
}
