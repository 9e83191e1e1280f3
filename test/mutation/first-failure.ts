import Mocha from 'mocha';

/** What the report of one test file begins its lines with. */
export const failureMark = 'FAILED: ';
export const passedMark = 'PASSED';

/** Reports the first failure as soon as it happens, without waiting for the cleanup. */
export default class FirstFailure extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('fail', (test: Mocha.Test | Mocha.Hook, error: Error) =>
      process.stdout.write(`${failureMark}${test.fullTitle()}: ${error.message.split('\n', 1)[0]}\n`),
    );
    runner.once('end', () => {
      if (this.stats.failures === 0 && this.stats.passes > 0) process.stdout.write(`${passedMark}\n`);
    });
  }
}
