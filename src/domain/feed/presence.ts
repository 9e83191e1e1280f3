import { isoTime } from '../../base/clock.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { PlannerError } from '../../base/errors.ts';
import type { Presence, PresenceChange, SetPresenceInput } from '../../schema/types.ts';
import type { Tx } from '../../store/index.ts';
import { FollowerRoom } from './follower-room.ts';
import type { FollowingCaller } from './follower-room.ts';
import type { PlannerCollections } from '../records/collections.ts';

/** How long a session without a stream is present after its last call. */
export const presenceMs = 30_000;
/** How long it remains after its stream ended: a client connects again after a second. */
export const streamGraceMs = 3000;
/** Changes within this time are sent together. */
const gatheredMs = 100;
/** The caller whose session is present. */
interface PresentCaller extends FollowingCaller {
  readonly author: string;
}

/** The record that a session looks at. */
type Place = Pick<Presence, 'project_id' | 'resource' | 'editing'>;

interface Entry {
  /** The credential that the session belongs to. */
  readonly caller: string;
  readonly shown: Presence;
  /** Makes room for another entry. */
  readonly release: () => void;
  expiry: Timer | undefined;
}

/** A session of a project. */
interface Named {
  readonly project: string;
  readonly session: string;
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
  /** The whole present state, which a stream sends first, and again after it missed changes. */
  readonly whole: () => PresenceChange;
  readonly end: () => void;
}

/** The sessions of callers that look at records right now, each at one. They are kept in memory only. */
export class PresenceRegister {
  readonly #clock: Clock;
  readonly #room = new FollowerRoom('Too many sessions are present: end some, or let them expire.');
  /** The entries by project and session: a name in one project has no meaning in another. */
  readonly #entries = new Map<string, Entry>();
  readonly #watches = new Set<PresenceWatch>();
  /** The changes that were not sent yet. */
  readonly #changed = new Map<string, Named>();

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
  enter(session: string, present: PresentCaller, place: Place): void {
    const { id: caller, author } = present;
    const { project_id: project } = place;
    const former = this.#entries.get(keyOf({ project, session }));
    if (former !== undefined && former.caller !== caller) throw ofAnother(session);
    for (const other of this.#own(caller, session)) if (other !== former) this.#remove(other);
    former?.expiry?.cancel();
    const isSame = former !== undefined && isAt(former.shown, place);
    const at = isSame ? former.shown.at : isoTime(this.#clock.now());
    const entry: Entry = {
      caller,
      shown: isSame ? former.shown : { session, author, ...place, at },
      release: former?.release ?? this.#room.enter(present),
      expiry: undefined,
    };
    this.#entries.set(keyOf({ project, session }), entry);
    if (!this.#hasStream(caller, session)) this.#expireIn(presenceMs, entry);
    if (!isSame) this.#note({ project, session });
  }

  /** Ends the presence of a session in a project. Throws `conflict` if it belongs to another credential. */
  leave(named: Named, caller: string): void {
    const entry = this.#entries.get(keyOf(named));
    if (entry === undefined) return;
    if (entry.caller !== caller) throw ofAnother(named.session);
    this.#remove(entry);
  }

  /** Sends each change of the sessions that are present from now on. The session of the stream does not expire while it is open. */
  watch(watch: PresenceWatch): PresenceStream {
    const { caller, session, project } = watch;
    this.#watches.add(watch);
    for (const entry of this.#own(caller, session)) entry.expiry?.cancel();
    return {
      whole: () => ({ whole: true, present: [...this.in(project)], gone: [] }),
      end: () => {
        if (!this.#watches.delete(watch) || this.#hasStream(caller, session)) return;
        for (const entry of this.#own(caller, session)) this.#expireIn(streamGraceMs, entry);
      },
    };
  }

  /**
   * A caller's sessions with a name: one, unless another credential had the name in a project where this credential
   * was.
   */
  #own(caller: string, session: string): Entry[] {
    return [...this.#entries.values()].filter((entry) => entry.caller === caller && entry.shown.session === session);
  }

  #hasStream(caller: string, session: string): boolean {
    for (const watch of this.#watches) if (watch.session === session && watch.caller === caller) return true;
    return false;
  }

  #expireIn(ms: number, entry: Entry): void {
    entry.expiry?.cancel();
    entry.expiry = this.#clock.after(ms, () => this.#remove(entry)).unref();
  }

  #remove(entry: Entry): void {
    const { session, project_id: project } = entry.shown;
    entry.expiry?.cancel();
    if (this.#entries.get(keyOf({ project, session })) !== entry) return;
    this.#entries.delete(keyOf({ project, session }));
    entry.release();
    this.#note({ project, session });
  }

  #note(named: Named): void {
    if (this.#watches.size === 0) return;
    if (this.#changed.size === 0) this.#clock.after(gatheredMs, () => this.#send()).unref();
    this.#changed.set(keyOf(named), named);
  }

  #send(): void {
    const changed = [...this.#changed.values()];
    this.#changed.clear();
    // One object for every stream of a project, so that transports serialise it once.
    const changes = new Map<string | undefined, PresenceChange>();
    for (const { project, send } of this.#watches) {
      let change = changes.get(project);
      if (change === undefined) changes.set(project, (change = this.#changeIn(project, changed)));
      if (change.present.length + change.gone.length > 0) send(change);
    }
  }

  #changeIn(only: string | undefined, changed: readonly Named[]): PresenceChange {
    const concerned = changed.filter(({ project }) => only === undefined || project === only);
    const shown = only === undefined ? new Map(this.in(only).map((one) => [one.session, one])) : undefined;
    const [present, gone]: [Presence[], string[]] = [[], []];
    for (const { project, session } of concerned) {
      // A session that went to another project is there for those who see both.
      const found = this.#entries.get(keyOf({ project, session }))?.shown ?? shown?.get(session);
      if (found !== undefined) present.push(found);
      else gone.push(session);
    }
    return { whole: false, present: [...new Set(present)], gone: [...new Set(gone)] };
  }
}

function keyOf({ project, session }: Named): string {
  return `${project}\0${session}`;
}

/** Makes the caller's session present at a record of the project, or ends its presence. Returns the sessions that are present in the project. */
export function setPresence(
  tx: Tx<PlannerCollections>,
  { session, record_id: id, editing = false }: SetPresenceInput,
  caller: PresentCaller,
  register: PresenceRegister,
): readonly Presence[] {
  if (id === null) register.leave({ project: tx.project, session }, caller.id);
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
