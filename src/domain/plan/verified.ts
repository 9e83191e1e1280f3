import { invalid } from '../../base/errors.ts';
import type { Proof, VerificationBehind } from '../../schema/types.ts';

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

interface Verification {
  readonly proof: Proof | null | undefined;
  readonly state: State | null;
  readonly behind: VerificationBehind | null | undefined;
}

/** The state of a verification in records. */
export interface VerificationFields {
  readonly verification_state: State | null;
  readonly verification_behind: VerificationBehind | null;
}

/**
 * The state of a verification. A proof of a commit makes it current, and a comparison with the repository finds it stale, or
 * current again; a stale one may be so many commits behind. Throws `invalid_argument` if a state is given without a proof to compare.
 */
export function verificationAfter(
  former: Verification,
  given: { readonly [Member in keyof Verification]?: Verification[Member] | undefined },
): VerificationFields {
  const state = stateAfter(former, given);
  if (given.behind != null && state !== 'stale')
    throw invalid('verification_behind', 'Only a stale verification is behind: give verification_state, too.');
  return {
    verification_state: state,
    verification_behind: state === 'stale' ? (given.behind ?? former.behind ?? null) : null,
  };
}

function stateAfter(former: Verification, given: Parameters<typeof verificationAfter>[1]): State | null {
  const proof = given.proof === undefined ? former.proof : given.proof;
  const isComparable = proof != null && !proof.dirty;
  if (given.state != null && !isComparable)
    throw invalid('verification_state', 'Nothing was verified at a commit, so there is nothing that could be stale.');
  if (!isComparable) return null;
  return given.state ?? (given.proof === undefined ? former.state : 'current');
}
