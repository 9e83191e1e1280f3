import { Session } from 'node:inspector';
import type { Profiler } from 'node:inspector';

/** A function of `src/` that was entered. */
export interface EnteredFunction {
  /** The path of its file below `src/`. */
  readonly file: string;
  /** Empty for a function without a name. */
  readonly name: string;
  /** Its place in the file. */
  readonly offset: number;
  readonly calls: number;
}

const sources = new URL('../../src/', import.meta.url).href;

/**
 * Counts the calls of each function of `src/` in this process, by the precise coverage of V8. The sources have to be loaded after the
 * counter is made. The body of a module, which runs once, is not counted.
 */
export class CallCounter {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Returns the functions that were entered since the last call. */
  take(): readonly EnteredFunction[] {
    let scripts: readonly Profiler.ScriptCoverage[] | undefined;
    // A session in its own thread calls back before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      scripts = result;
    });
    if (scripts === undefined) throw new Error('The inspector did not answer.');
    return scripts
      .filter(({ url }) => url.startsWith(sources))
      .flatMap(({ url, functions }) => functions.flatMap((one) => enteredOf(url.slice(sources.length), one)));
  }

  close(): void {
    this.#session.disconnect();
  }
}

function enteredOf(file: string, { functionName: name, ranges }: Profiler.FunctionCoverage): EnteredFunction[] {
  const { startOffset, count: calls } = ranges[0]!;
  const isModule = startOffset === 0 && name === '';
  return calls === 0 || isModule ? [] : [{ file, name, offset: startOffset, calls }];
}
