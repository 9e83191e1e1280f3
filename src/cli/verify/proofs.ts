import type { Goal, LastVerification, Proof } from '../../schema/types.ts';
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
  readonly proof: Proof | undefined;
  /** A gate was agreed on, so that a proof could be there. */
  readonly hasGate: boolean;
}

/** The result of a comparison with the repository. */
export interface Finding extends Verified {
  readonly found: 'current' | 'stale' | 'unknown_commit' | 'dirty' | 'no_proof';
  /** The commits since that touch the covered files. */
  readonly commits: readonly ChangingCommit[];
}

/** Returns whether a finding means that the plan says more than the repository shows. */
export function isOff({ found, hasGate }: Finding): boolean {
  return found !== 'current' && (found !== 'no_proof' || hasGate);
}

/** The complete goals of a project, and its finished tasks that are verified. With `goal_id` only this goal and its tasks. */
export async function verifiedIn(
  target: CliTarget,
  { project_id, goal_id }: { readonly project_id: string; readonly goal_id?: string | undefined },
): Promise<readonly Verified[]> {
  const goals = await allRows<Goal>(target, 'list_goals', 'goals', { project_id, status: 'complete', archived: false });
  const tasks = await allTasks(target, { project_id, ...(goal_id === undefined ? {} : { goal_id }), status: 'done' });
  // The files of such a task change with the other tasks of its goal: the proof of the goal is about them all.
  const provenGoals = new Set(
    goals.filter(({ last_verification: last }) => last?.proof !== undefined).map(({ id }) => id),
  );
  const isWithin = ({ gate, covers = [], goal_id: id }: ShownTask): boolean =>
    gate == null && covers.length === 0 && provenGoals.has(id);
  return [
    ...goals.filter(({ id }) => goal_id === undefined || id === goal_id).map(verifiedGoal),
    ...tasks.filter((task) => (task.proof != null || task.verified_at != null) && !isWithin(task)).map(verifiedTask),
  ];
}

function verifiedGoal(goal: Goal): Verified {
  const last: LastVerification | null = goal.last_verification;
  return {
    ...{ kind: 'goal', id: goal.id, name: goal.name ?? goal.id, covers: goal.covers, state: goal.verification_state },
    proof: last?.green === true ? last.proof : undefined,
    hasGate: surfaceOf(goal)?.kind === 'gate_command',
  };
}

function verifiedTask({ id, label, covers, verification_state: state, proof, gate }: ShownTask): Verified {
  return {
    ...{ kind: 'task', id, name: label, covers: covers ?? [], state: state ?? null },
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
      findings.push({ ...one, found: proof === undefined ? 'no_proof' : 'dirty', commits: [] });
      continue;
    }
    const key = JSON.stringify([proof.commit, covers]);
    if (!compared.has(key)) compared.set(key, changedSince(repository, proof.commit, covers, at));
    findings.push({ ...one, ...findingOf(await compared.get(key)!) });
  }
  return findings;
}

function findingOf(since: Since): Pick<Finding, 'found' | 'commits'> {
  if (since.kind === 'changed') return { found: 'stale', commits: since.commits };
  return { found: since.kind === 'same' ? 'current' : 'unknown_commit', commits: [] };
}
