import type { Goal, LastVerification, Proof, VerificationBehind } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { allRows, allTasks } from '../records/all-rows.ts';
import type { ShownTask } from '../records/show-task.ts';
import { surfaceOf } from '../records/show-goal.ts';
import { changedSince } from './repository.ts';
import type { ChangingCommit, Repository, Since } from './repository.ts';

/** A goal or task that counts as verified. */
export interface Verified {
  readonly kind: 'goal' | 'task';
  readonly id: string;
  readonly name: string;
  readonly covers: readonly string[];
  /** As the plan has it. */
  readonly state: 'current' | 'stale' | null;
  /** How far a stale one is behind, as the plan has it. */
  readonly noted: VerificationBehind | undefined;
  readonly proof: Proof | undefined;
  /** A gate was agreed on, so that a proof could be there. */
  readonly hasGate: boolean;
}

/** A goal or task with a gate that was never green. */
export interface Unverified extends Pick<Verified, 'kind' | 'id' | 'name'> {
  readonly found: 'red' | 'never_run';
}

/** The result of a comparison with the repository. */
export interface Finding extends Verified {
  readonly found: 'current' | 'stale' | 'unknown_commit' | 'dirty' | 'no_proof';
  /** The commits since that touch the covered files. */
  readonly commits: readonly ChangingCommit[];
  /** Of a stale one that is before the commit. */
  readonly behind: VerificationBehind | undefined;
}

/** Returns whether a finding means that the plan says more than the repository shows. */
export function isOff({ found, hasGate }: Finding): boolean {
  return found !== 'current' && (found !== 'no_proof' || hasGate);
}

/**
 * The complete goals of a project, and its finished tasks that are verified; beside them those with a gate that are not verified. With
 * `goal_id` only this goal and its tasks.
 */
export async function verifiedIn(
  target: CliTarget,
  { project_id, goal_id }: { readonly project_id: string; readonly goal_id?: string | undefined },
): Promise<{ readonly verified: readonly Verified[]; readonly unverified: readonly Unverified[] }> {
  const all = await allRows<Goal>(target, 'list_goals', 'goals', { project_id, archived: false });
  const tasks = await allTasks(target, { project_id, goal_id });
  const goals = all.filter(({ status }) => status === 'complete');
  // The files of such a task change with the other tasks of its goal: the proof of the goal is about them all.
  const provenGoals = new Set(
    goals.filter(({ last_verification: last }) => last?.proof !== undefined).map(({ id }) => id),
  );
  const isWithin = ({ gate, covers = [], goal_id: id }: ShownTask): boolean =>
    gate == null && covers.length === 0 && provenGoals.has(id);
  const isChosen = ({ id }: Goal): boolean => goal_id === undefined || id === goal_id;
  const isVerified = ({ proof, verified_at: at }: ShownTask): boolean => proof != null || at != null;
  const done = tasks.filter((task) => task.status === 'done' && isVerified(task) && !isWithin(task));
  return {
    verified: [...goals.filter(isChosen).map(verifiedGoal), ...done.map(verifiedTask)],
    unverified: [
      ...all.filter((goal) => goal.status !== 'complete' && isChosen(goal)).flatMap(unverifiedGoal),
      ...tasks
        .filter((task) => task.gate != null && !isVerified(task))
        .map(({ id, label }) => ({ kind: 'task', id, name: label, found: 'never_run' }) as const),
    ],
  };
}

/** A goal that was reopened after a green verification counts as neither. */
function unverifiedGoal(goal: Goal): readonly Unverified[] {
  const { id, last_verification: last } = goal;
  const one = { kind: 'goal', id, name: goal.name ?? id } as const;
  if (last?.green === false) return [{ ...one, found: 'red' }];
  return last === null && surfaceOf(goal)?.kind === 'gate_command' ? [{ ...one, found: 'never_run' }] : [];
}

function verifiedGoal(goal: Goal): Verified {
  const last: LastVerification | null = goal.last_verification;
  return {
    ...{ kind: 'goal', id: goal.id, name: goal.name ?? goal.id, covers: goal.covers },
    ...{ state: goal.verification_state, noted: goal.verification_behind },
    proof: last?.green === true ? last.proof : undefined,
    hasGate: surfaceOf(goal)?.kind === 'gate_command',
  };
}

function verifiedTask(task: ShownTask): Verified {
  const { id, label, covers, verification_state: state, verification_behind: noted, proof, gate } = task;
  return {
    ...{ kind: 'task', id, name: label, covers: covers ?? [], state: state ?? null, noted },
    proof: proof ?? undefined,
    hasGate: gate != null,
  };
}

/** Compares proofs with a commit. Equal comparisons are made once. */
export async function compareProofs(
  repository: Repository,
  verified: readonly Verified[],
  at: string,
): Promise<readonly Finding[]> {
  const compared = new Map<string, Promise<Since>>();
  const findings: Finding[] = [];
  for (const one of verified) {
    const { proof, covers } = one;
    if (proof === undefined || proof.dirty) {
      findings.push({ ...one, found: proof === undefined ? 'no_proof' : 'dirty', commits: [], behind: undefined });
      continue;
    }
    const key = JSON.stringify([proof.commit, covers]);
    if (!compared.has(key)) compared.set(key, changedSince(repository, proof.commit, covers, at));
    findings.push({ ...one, ...findingOf(await compared.get(key)!) });
  }
  return findings;
}

function findingOf(since: Since): Pick<Finding, 'found' | 'commits' | 'behind'> {
  if (since.kind === 'changed') return { found: 'stale', commits: since.commits, behind: since.behind };
  return { found: since.kind === 'same' ? 'current' : 'unknown_commit', commits: [], behind: undefined };
}
