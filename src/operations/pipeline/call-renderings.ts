import { conflict } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { render } from '../../domain/text/renderers.ts';
import type { OptionsOf, OutputOf, RendererName, Renderings, RenderJob } from '../../domain/text/renderers.ts';
import type { SourceText } from '../../domain/text/source-text.ts';
import { whenFetched } from '../../store/index.ts';

/** Renders texts outside of the thread that serves requests. */
export interface RenderPort {
  /**
   * `from`: the caller that caused the work. The threads are shared fairly between callers. Throws `rate_limited` if too much is queued.
   */
  render(job: RenderJob, from: string): Promise<unknown>;
}

/** Renders in the calling thread. */
export const inlineRendering: RenderPort = { render: (job) => Promise.try(() => whenFetched(() => render(job))) };

/** Inserts placeholders for texts that are not rendered yet. */
const pending: { readonly [N in RendererName]: OutputOf<N> } = {
  comment: { html: '' },
  sanitised: '',
  artifact: '',
  artifactUrls: '',
  named: { files: [], screens: [] },
  sharedText: '',
  sharedScreen: '',
  sharedMarkdown: { markdown: '', identifiers: [] },
  unified: '',
};

/** The texts that a call needs may change while they are rendered; the call is retried this many times. */
const roundsMax = 10;

/**
 * The renderings of one call. Views and transactions are synchronous, rendering is not: the call runs with placeholders to determine the
 * texts that it needs, its result or its transaction is discarded, and it runs again once everything is rendered.
 */
export class CallRenderings implements Renderings {
  readonly #port: RenderPort;
  readonly #from: string;
  readonly #done = new Map<string, Map<string, unknown>>();
  #missing: RenderJob[] = [];
  #inlineCharacters = 0;

  constructor(port: RenderPort, from: string) {
    this.#port = port;
    this.#from = from;
  }

  of<N extends RendererName>(name: N, text: string | SourceText, options: OptionsOf<N>): OutputOf<N> {
    const job: RenderJob<N> = { name, text: sourceOf(text), options };
    const done = this.#outputs(job);
    const id = idOf(job.text);
    if (!done.has(id)) {
      if (!this.#isSmall(job)) {
        this.#missing.push(job);
        return pending[name];
      }
      done.set(id, render(job));
    }
    return done.get(id) as OutputOf<N>;
  }

  async later<N extends RendererName>(name: N, text: string | SourceText, options: OptionsOf<N>): Promise<OutputOf<N>> {
    const job: RenderJob<N> = { name, text: sourceOf(text), options };
    if (this.#isSmall(job)) return render(job);
    return (await this.#port.render(job, this.#from)) as OutputOf<N>;
  }

  /** Runs the call until everything that it needs is rendered. */
  async complete<T>(run: () => Promise<T>): Promise<T> {
    for (let round = 0; round < roundsMax; round++) {
      this.#missing = [];
      try {
        const value = await run();
        if (!this.isIncomplete) return value;
      } catch (thrown) {
        // A placeholder may have caused the error.
        if (!this.isIncomplete) throw thrown;
      }
      await this.#render(this.#missing);
    }
    throw conflict('The texts that this call shows change faster than they can be rendered. Try again.');
  }

  /** One after the other, so that a call with many texts has one entry in the queue. */
  async #render(jobs: readonly RenderJob[]): Promise<void> {
    for (const job of jobs) {
      const outputs = this.#outputs(job);
      const id = idOf(job.text);
      if (!outputs.has(id)) outputs.set(id, await this.#port.render(job, this.#from));
    }
  }

  get isIncomplete(): boolean {
    return this.#missing.length > 0;
  }

  /** Aborts the transaction of a call that ran with placeholders. */
  requireComplete(): void {
    if (this.isIncomplete) throw new Incomplete();
  }

  /**
   * Returns whether a text may be rendered immediately: in the worst case the texts of one call take some milliseconds.
   */
  #isSmall({ text }: RenderJob): boolean {
    // A large text has a stored hash and is not read for this.
    if (text.sha256 !== undefined) return false;
    const { length } = text.body;
    if (length > limits.inlineTextCharactersMax) return false;
    if (this.#inlineCharacters + length > limits.inlineTextsCharactersMax) return false;
    this.#inlineCharacters += length;
    return true;
  }

  #outputs({ name, options }: Pick<RenderJob, 'name' | 'options'>): Map<string, unknown> {
    const key = options === null ? name : `${name} ${JSON.stringify(options)}`;
    const known = this.#done.get(key) ?? new Map<string, unknown>();
    this.#done.set(key, known);
    return known;
  }
}

function sourceOf(text: string | SourceText): SourceText {
  return typeof text === 'string' ? { body: text } : text;
}

/** The key of a text among the texts of one call. */
function idOf(text: SourceText): string {
  return text.sha256 ?? text.body;
}

class Incomplete extends Error {}
