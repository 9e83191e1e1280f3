import type { Clock, Timer } from '../base/clock.ts';

/** The changes of a burst are looked at together, and a file that an editor is writing is not reported. */
const debounceMs = 250;
/** Looking takes at most this share of the time, however much there is to look at. */
const shareMax = 0.02;

export interface NotedProjectsOptions {
  readonly clock: Clock;
  /** Looks at projects that were noted. Must not reject. */
  readonly look: (projects: readonly string[]) => Promise<void>;
}

/** Projects of which something may have changed: they are looked at a moment later, one look at a time. */
export class NotedProjects {
  readonly #options: NotedProjectsOptions;
  readonly #noted = new Set<string>();
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  #restMs = 0;

  constructor(options: NotedProjectsOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  note(...projects: readonly string[]): void {
    if (this.#isClosed) return;
    for (const project of projects) this.#noted.add(project);
    this.#timer ??= this.#options.clock
      .after(debounceMs + this.#restMs, () => {
        this.#timer = undefined;
        const noted = [...this.#noted];
        this.#noted.clear();
        void this.lookAt(noted);
      })
      .unref();
  }

  /** Looks at projects without that moment. Resolves when done. */
  lookAt(projects: readonly string[]): Promise<void> {
    return (this.#running = this.#running.then(() => this.#look(projects)));
  }

  /** Resolves when the look in progress is complete. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async #look(projects: readonly string[]): Promise<void> {
    if (this.#isClosed) return;
    const { clock, look } = this.#options;
    const begun = clock.monotonic();
    await look(projects);
    this.#restMs = (clock.monotonic() - begun) / shareMax;
  }
}
