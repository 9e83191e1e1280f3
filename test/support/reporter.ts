import Mocha from 'mocha';
import { figuresReached } from './reached.ts';

/**
 * Mocha's own report with one more line at its very end, the same for every runner: `412 passed, 0 failed`, and `, 3 skipped` if
 * some were. A hook that fails counts as a failure.
 */
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    // Registered after the one of Spec, so it comes after its epilogue.
    runner.once('end', () => {
      for (const line of figuresReached()) process.stdout.write(`  reached: ${line}\n`);
      const { passes, failures, pending } = this.stats;
      process.stdout.write(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}\n`);
    });
  }
}
