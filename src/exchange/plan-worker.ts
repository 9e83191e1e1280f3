import { parentPort } from 'node:worker_threads';
import type { Draft } from '../domain/exchange/draft.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import { treeInMemory } from './plan-files.ts';
import type { PlanTree } from './plan-files.ts';
import { buffersOf } from './plan-thread.ts';
import type { PlanReply, PlanRequest } from './plan-thread.ts';
import { draftPieces, findPlan, readPlan } from './read-plan.ts';
import type { Candidate } from './read-plan.ts';

/** The thread that `readInThread` starts reads one plan, and ends. */

parentPort!.once('message', (request: PlanRequest) => {
  const answered = reply(request);
  parentPort!.postMessage(answered, 'pieces' in answered ? buffersOf(answered.pieces) : []);
});

function reply({ files, paths, from, options, recordsMax }: PlanRequest): PlanReply {
  try {
    const whole = new Map([...files].map(([path, pieces]) => [path, Buffer.concat(pieces)]));
    const tree = treeInMemory(whole);
    const found = readPlan(tree, firstPlan(tree, paths, from), options);
    if (found.kind === 'export') return { kind: 'export', pieces: files.get(found.path)! };
    requireFew(found.draft, recordsMax);
    return { kind: 'moved', report: found.report, pieces: [...draftPieces(found.draft)] };
  } catch (thrown) {
    const error = thrown instanceof RangeError ? tooMuch(thrown) : thrown;
    if (!(error instanceof PlannerError)) throw error;
    const { code, message, field, details } = error;
    return { kind: 'error', code, message, details: field === undefined ? details : { ...details, field } };
  }
}

/** Throws `invalid_argument` for a plan with more records and edges than its caller may import in one call. */
function requireFew({ lists }: Draft, most: number): void {
  let count = 0;
  for (const records of lists.values())
    for (const { links } of records) count += 1 + (Array.isArray(links) ? links.length : 0);
  if (count <= most) return;
  const message = `The plan has ${count} records and edges, and ${most} can be imported at once: import it in parts.`;
  throw invalid('file', message, { records: count, records_max: most });
}

/** The error for a plan that exceeds V8's stack, or its longest text or list. */
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
