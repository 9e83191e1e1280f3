import { parentPort, workerData } from 'node:worker_threads';
import { patternCases } from './pattern-cases.ts';

/** Runs the cases in order and reports each with its error, if any. */
for (const name of workerData as readonly string[]) {
  let error: string | undefined;
  try {
    await patternCases[name]!();
  } catch (thrown) {
    error = String(thrown);
  }
  parentPort!.postMessage({ name, error });
}
