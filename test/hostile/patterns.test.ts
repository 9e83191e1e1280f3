import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import { patternCases } from './pattern-cases.ts';

/** Far more than any case takes, and far less than a pattern would that does not keep to the length of its text. */
const msMax = 120_000;

describe('patterns', function () {
  this.timeout(msMax + 30_000);
  const done = new Set<string>();
  let worker: Worker;
  let wake: () => void = () => undefined;

  before(() => {
    worker = new Worker(new URL('./pattern-worker.ts', import.meta.url), { workerData: Object.keys(patternCases) });
    const heard = (name: string): void => {
      done.add(name);
      wake();
    };
    worker.on('message', heard);
    worker.on('error', (error) => heard(`failed: ${error.stack}`));
    worker.on('exit', () => heard('ended'));
  });

  after(() => worker.terminate());

  for (const name of Object.keys(patternCases))
    it(`are through with ${name} in proportion to its length [A.hostile.patterns]`, async () => {
      const end = Date.now() + msMax;
      while (!done.has(name) && !done.has('ended') && Date.now() < end)
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 1000);
        });
      expect([...done].filter((one) => one.startsWith('failed')).join()).to.equal('');
      expect(done.has(name), `${name} is not over after ${msMax} ms`).to.equal(true);
    });
});
