import { accepted, acceptedKeys } from './accepted.ts';
import type { AreaResult } from './mutation-run.ts';
import { keyOf } from './state.ts';
import type { Verdict } from './state.ts';

export function isNoticed({ outcome }: Verdict): boolean {
  return outcome === 'killed' || outcome === 'timed out';
}

/** Mutants that no test noticed and that are not accepted. */
export function unexplained(results: readonly AreaResult[]): string[] {
  const survivors = results.flatMap(({ verdicts }) => verdicts.filter((verdict) => !isNoticed(verdict)));
  return survivors
    .filter((verdict) => !acceptedKeys.has(keyOf(verdict)))
    .map(({ file, line, id, outcome }) => `${file}:${line} ${id} (${outcome})`);
}

/** Accepted survivors of files that were run whole which are no mutants any more, or which a test notices now. */
export function outdated(results: readonly AreaResult[]): string[] {
  const verdicts = new Map(results.flatMap((result) => result.verdicts.map((one) => [keyOf(one), one] as const)));
  const files = new Set([...verdicts.values()].map(({ file }) => file));
  return accepted.flatMap(({ file, mutant }) => {
    const verdict = verdicts.get(keyOf({ file, id: mutant }));
    if (!files.has(file) || (verdict !== undefined && !isNoticed(verdict))) return [];
    return [`${file}: ${mutant} ${verdict === undefined ? 'is no mutant' : `is noticed by ${verdict.by}`}`];
  });
}

/** The score of each area: `http: 412 of 430 mutants noticed (95.8 %), 18 accepted survivors`. */
export function scores(results: readonly AreaResult[]): string[] {
  const all = { area: 'all', verdicts: results.flatMap(({ verdicts }) => verdicts) };
  return [...results, all].map(({ area, verdicts }) => {
    const noticed = verdicts.filter(isNoticed).length;
    const explained = verdicts.filter((one) => !isNoticed(one) && acceptedKeys.has(keyOf(one))).length;
    const share = verdicts.length === 0 ? 100 : (100 * noticed) / verdicts.length;
    const late = verdicts.filter(({ outcome }) => outcome === 'timed out').length;
    return `${area}: ${noticed} of ${verdicts.length} mutants noticed (${share.toFixed(1)} %, ${late} by a timeout), ${explained} accepted, ${verdicts.length - noticed - explained} unexplained`;
  });
}
