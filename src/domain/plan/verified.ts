import { invalid } from '../../base/errors.ts';
import type { Proof } from '../../schema/types.ts';

type State = 'current' | 'stale';

/** Throws `invalid_argument` unless every entry means files within the repository. */
export function requireCovers(covers: readonly string[] | undefined): void {
  const outside = covers?.find((entry) => /^[/\\:]|\\|(?:^|\/)\.\.(?:\/|$)/.test(entry));
  if (outside === undefined) return;
  throw invalid(
    'covers',
    `covers are paths or globs from the top of the repository, as src or src/**/*.ts: ${JSON.stringify(outside)} begins with a slash or a colon, or contains .. or a backslash.`,
  );
}

/**
 * The state of a verification. A proof of a commit makes it current, and a comparison with the repository finds it stale, or
 * current again. Throws `invalid_argument` if a state is given without a proof to compare.
 */
export function stateAfter(
  former: { readonly proof: Proof | null | undefined; readonly state: State | null },
  given: { readonly proof?: Proof | null | undefined; readonly state?: State | undefined },
): State | null {
  const proof = given.proof === undefined ? former.proof : given.proof;
  const isComparable = proof != null && !proof.dirty;
  if (given.state !== undefined && !isComparable)
    throw invalid('verification_state', 'Nothing was verified at a commit, so there is nothing that could be stale.');
  if (!isComparable) return null;
  return given.state ?? (given.proof === undefined ? former.state : 'current');
}
