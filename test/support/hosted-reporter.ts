import type Mocha from 'mocha';
import { runs } from './hosted-mode.ts';
import Reporter from './reporter.ts';

/** The report of a run over hosted services, whose tests about files skip themselves. */
export default class HostedReporter extends Reporter {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    // A test begins before its hooks.
    let running: Mocha.Test | undefined;
    runner.on('test', (test: Mocha.Test) => runs((running = test)));
    runner.on('hook', (hook: Mocha.Hook) => runs(hook));
    runner.on('hook end', () => runs(running));
  }
}
