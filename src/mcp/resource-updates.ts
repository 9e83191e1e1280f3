import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import type { EventListAnswer } from '../schema/types.ts';
import type { WatchedResource } from './watched-resource.ts';

/**
 * Follows the events of a project after a cursor. The first answer comes immediately; its error is thrown by the first
 * `next`.
 */
export type FollowProject = (
  project: string,
  since: string,
  signal: AbortSignal,
) => AsyncGenerator<EventListAnswer, void>;

/** The cursor up to which the events of each project were looked at. */
export type Places = Map<string, string>;

export interface ResourceUpdatesOptions {
  readonly follow: FollowProject;
  readonly clock: Clock;
  /** Where to begin in projects; in others, at the present. Advances. */
  readonly places: Places;
  /** Called with the resources that may have changed. The events are not read further before it resolves; it does not reject. */
  readonly onUpdated: (uris: readonly string[]) => Promise<void>;
  /** Following failed: nothing more will be reported. */
  readonly onFailed: (thrown: unknown) => void;
}

const present = 'now';

/**
 * Reports changes of resources, from the events of their projects: each resource once for all events of a short time, and of
 * the time in which the client reads nothing.
 */
export class ResourceUpdates {
  readonly #options: ResourceUpdatesOptions;
  readonly #projects = new Map<string, AbortController>();
  #resources: readonly WatchedResource[] = [];

  constructor(options: ResourceUpdatesOptions) {
    this.#options = options;
  }

  /** Watches these resources instead. When it resolves, every later change of them is reported. Rejects with `PlannerError`. */
  async watch(resources: readonly WatchedResource[]): Promise<void> {
    const projects = new Set(resources.map(({ project }) => project));
    const former = this.#resources;
    this.#resources = resources;
    try {
      for (const project of projects) if (!this.#projects.has(project)) await this.#begin(project);
    } catch (thrown) {
      this.#resources = former;
      throw thrown;
    }
    for (const [project, stop] of this.#projects)
      if (!projects.has(project)) {
        stop.abort();
        this.#projects.delete(project);
        this.#options.places.delete(project);
      }
  }

  end(): void {
    for (const stop of this.#projects.values()) stop.abort();
    this.#projects.clear();
  }

  async #begin(project: string): Promise<void> {
    const { follow, places } = this.#options;
    const stop = new AbortController();
    const answers = follow(project, places.get(project) ?? present, stop.signal);
    try {
      const first = await answers.next();
      this.#projects.set(project, stop);
      void this.#run(project, answers, first, stop.signal);
    } catch (thrown) {
      if (!isExpired(thrown)) throw thrown;
      await this.#restart(project, thrown);
    }
  }

  /** Events were missed: any resource of the project may have changed. */
  async #restart(project: string, { details }: PlannerError): Promise<void> {
    const { places, onUpdated } = this.#options;
    places.set(project, details['cursor'] as string);
    await this.#begin(project);
    void onUpdated(this.#urisIn(project));
  }

  async #run(
    project: string,
    answers: AsyncGenerator<EventListAnswer, void>,
    first: IteratorResult<EventListAnswer, void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { places, onUpdated, clock } = this.#options;
    const changed = new Set<WatchedResource>();
    try {
      for (let next = first; next.done !== true && !signal.aborted; next = await answers.next()) {
        await this.#addChangedBy(project, next.value, changed);
        if (signal.aborted) break;
        // A client cannot continue at the place after events whose resources are not reported yet.
        if (changed.size > 0 && next.value.more) continue;
        places.set(project, next.value.cursor);
        if (changed.size === 0) continue;
        const uris = Array.from(changed, ({ uri }) => uri);
        changed.clear();
        await onUpdated(uris);
        await delay(clock, limits.resourceUpdatesMs);
      }
    } catch (thrown) {
      if (!signal.aborted) await this.#onError(project, thrown);
    } finally {
      await answers.return();
    }
  }

  async #addChangedBy(project: string, { events }: EventListAnswer, changed: Set<WatchedResource>): Promise<void> {
    if (events.length === 0) return;
    for (const resource of this.#resources) {
      if (resource.project !== project || changed.has(resource)) continue;
      for (const event of events)
        if (await resource.isChangedBy(event)) {
          changed.add(resource);
          break;
        }
    }
  }

  async #onError(project: string, thrown: unknown): Promise<void> {
    const { onUpdated, onFailed } = this.#options;
    this.#projects.delete(project);
    try {
      if (isExpired(thrown)) await this.#restart(project, thrown);
      else if (thrown instanceof PlannerError && thrown.code === 'not_found') await onUpdated(this.#urisIn(project));
      else onFailed(thrown);
    } catch (failure) {
      onFailed(failure);
    }
  }

  #urisIn(project: string): string[] {
    return this.#resources.filter((resource) => resource.project === project).map(({ uri }) => uri);
  }
}

function isExpired(thrown: unknown): thrown is PlannerError {
  return thrown instanceof PlannerError && thrown.code === 'cursor_expired';
}
