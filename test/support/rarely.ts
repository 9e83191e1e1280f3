const rare = new WeakSet<object>();

/** True in `test/rare.long.ts`, which runs the tests of `rarely` and no others. */
const areRun = process.env['PLANNER_TEST_RARE'] !== undefined;

/**
 * A test that `npm run test:long` runs and the default suite leaves out: there another test shows the rule, in the process, over REST or with a smaller
 * input. The gate does not count what its title cites.
 */
export function rarely(title: string, body: (this: Mocha.Context) => void | Promise<void>): void {
  if (areRun) rare.add(it(title, body));
}

/** Leaves only the tests of `rarely` in suites. */
export function keepRareOnly(suites: readonly Mocha.Suite[]): void {
  for (const suite of suites) {
    suite.tests = suite.tests.filter((test) => rare.has(test));
    keepRareOnly(suite.suites);
  }
}
