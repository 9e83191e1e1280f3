import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { patternCases } from './pattern-cases.ts';
import { renderCases } from './render-cases.ts';

/**
 * The limit for all texts of a case, on a loaded machine. Each rendered text has its own limit of a second of CPU time.
 */
const msMax = 120_000;

/** `extent`: whether each renderer gets the longest texts that it accepts, too. */
export function describePatterns(extent: 'some' | 'all'): void {
  describe('Patterns', function () {
    this.timeout(msMax + 30_000);
    const names = Object.keys({ ...renderCases(extent), ...patternCases });
    const done = new Map<string, string | undefined>();
    let worker: Worker;
    let wake: () => void = () => undefined;

    before(() => {
      worker = new Worker(new URL('./pattern-worker.ts', import.meta.url), { workerData: { names, extent } });
      const onDone = ({ name, error }: { readonly name: string; readonly error?: string }): void => {
        done.set(name, error);
        wake();
      };
      worker.on('message', onDone);
      worker.on('exit', () => onDone({ name: 'ended' }));
    });

    after(() => worker.terminate());

    for (const name of names)
      it(`take time in proportion to the length of ${name} [A.hostile.patterns]`, async () => {
        const end = Date.now() + msMax;
        while (!done.has(name) && !done.has('ended') && Date.now() < end)
          await new Promise<void>((resolve) => {
            wake = resolve;
            setTimeout(resolve, 1000);
          });
        expect(done.get(name)).to.equal(undefined);
        expect(done.has(name), `${name} is not over after ${msMax} ms`).to.equal(true);
      });
  });
}
