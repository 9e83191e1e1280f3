import { parentPort, workerData } from 'node:worker_threads';
import { patternCases } from './pattern-cases.ts';
import { renderCases } from './render-cases.ts';

const { names, extent } = workerData as { readonly names: readonly string[]; readonly extent: 'some' | 'all' };
const cases = { ...renderCases(extent), ...patternCases };

/** Runs the cases in order and reports each with its error, if any. */
for (const name of names) {
  let error: string | undefined;
  try {
    await cases[name]!();
  } catch (thrown) {
    error = String(thrown);
  }
  parentPort!.postMessage({ name, error });
}
