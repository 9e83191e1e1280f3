import { parentPort } from 'node:worker_threads';
import { invalid, PlannerError } from '../errors.ts';
import { treeInMemory } from './plan-files.ts';
import type { PlanTree } from './plan-files.ts';
import type { PlanReply, PlanRequest } from './plan-thread.ts';
import { documentPieces, findPlan, readPlan } from './read-plan.ts';
import type { Candidate } from './read-plan.ts';

/** The thread behind `readInThread`: reads one plan, and ends. */

parentPort!.once('message', (request: PlanRequest) => {
  const answered = reply(request);
  parentPort!.postMessage(
    answered,
    'pieces' in answered ? answered.pieces.map(({ buffer }) => buffer as ArrayBuffer) : [],
  );
});

function reply({ files, paths, from, options }: PlanRequest): PlanReply {
  try {
    const tree = treeInMemory(files);
    const found = readPlan(tree, firstPlan(tree, paths, from), options);
    if (found.kind === 'export') return found;
    return { kind: 'moved', report: found.report, pieces: [...documentPieces(found.draft)] };
  } catch (thrown) {
    const error = thrown instanceof RangeError ? tooMuch(thrown) : thrown;
    if (!(error instanceof PlannerError)) throw error;
    const { code, message, field, details } = error;
    return { kind: 'error', code, message, details: field === undefined ? details : { ...details, field } };
  }
}

/** What exceeds V8's stack, or its longest text or list. */
function tooMuch({ message }: RangeError): PlannerError {
  return invalid(
    'file',
    message.includes('call stack')
      ? 'The plan has values that are nested too deeply.'
      : 'The plan takes too much memory.',
  );
}

/** The plan at the first path that has one. */
function firstPlan(tree: PlanTree, [path, ...further]: readonly string[], from: string | undefined): Candidate {
  try {
    return findPlan(tree, path!, from);
  } catch (thrown) {
    const isAbsent = thrown instanceof PlannerError && thrown.details['candidates'] === undefined;
    if (further.length === 0 || !isAbsent) throw thrown;
    return firstPlan(tree, further, from);
  }
}
