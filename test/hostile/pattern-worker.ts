import { parentPort, workerData } from 'node:worker_threads';
import { patternCases } from './pattern-cases.ts';

/** Runs the cases one after the other and says which one is done. */
for (const name of workerData as readonly string[]) {
  await patternCases[name]!();
  parentPort!.postMessage(name);
}
