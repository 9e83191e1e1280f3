import pLimit from 'p-limit';
import { PlannerError } from '../../base/errors.ts';
import { runGate } from '../verify/gate.ts';
import { commitNamed } from '../verify/repository.ts';
import type { CommandRun } from '../verify/run-command.ts';
import { baseOf, inTheWay, mergedCommit, moveBase } from './base-branch.ts';
import type { BranchedTask } from './approved.ts';
import type { Base, InTheWay, NoMerge } from './base-branch.ts';
import { requireAllowed } from './workshop.ts';
import type { Workshop } from './workshop.ts';
import { areBefore, tipOf } from './worktree.ts';

/** A gate that was green at a commit. */
export interface Green {
  readonly gate: string;
  readonly run: CommandRun;
  readonly commit: string;
}

/** A branch to merge. */
export interface Merge {
  readonly task: Pick<BranchedTask, 'project_id' | 'label' | 'branch' | 'commit_refs'>;
  /** The command that has to be green on the result. */
  readonly gate: string | undefined;
  /** The commit at which it is green already. */
  readonly greenAt: string | undefined;
}

/** Why a branch was not merged. */
export type NotMerged =
  | (NoMerge & AtCommits)
  | ({ readonly kind: 'red'; readonly gate: string; readonly run: CommandRun } & AtCommits)
  | InTheWay
  | { readonly kind: 'moved' | 'detached' | 'itself' | 'gone' }
  | { readonly kind: 'not_run'; readonly why: string };

/** The commits of an attempt. */
export interface AtCommits {
  readonly base: Base;
  readonly tip: string;
}

/** The end of an attempt. `green`: of a gate that ran on the result. */
export type MergeEnd =
  | { readonly kind: 'merged'; readonly commit: string; readonly base: Base; readonly green: Green | undefined }
  | { readonly kind: 'already' }
  | NotMerged;

/** Returns whether a branch was not merged. */
export function isRefused(end: MergeEnd): end is NotMerged {
  return end.kind !== 'merged' && end.kind !== 'already';
}

/** The repository and the gates of a runner, or of one merge. */
export type MergeGround = Pick<Workshop, 'deps' | 'repository' | 'place' | 'setup' | 'isTrusted' | 'gateMinutesMax'> &
  Partial<Pick<Workshop, 'signal'>>;

/** While gates run, the base may move so often before it is left to a person. */
const attemptsMax = 3;

/** One branch at a time is merged: each is merged with the base that the one before it left. */
const oneByOne = pLimit(1);

/** Merges a branch into the base if nothing is lost by it, and the gate is green on the result. Otherwise nothing changes. */
export function mergeBranch(ground: MergeGround, merge: Merge): Promise<MergeEnd> {
  return oneByOne(async () => {
    for (let attempt = 1; attempt < attemptsMax; attempt++) {
      const end = await attemptAt(ground, merge);
      if (end.kind !== 'moved') return end;
    }
    return attemptAt(ground, merge);
  });
}

async function attemptAt(ground: MergeGround, { task, gate, greenAt }: Merge): Promise<MergeEnd> {
  const { top } = ground.repository;
  const base = await baseOf(top);
  if (base === undefined) return { kind: 'detached' };
  const { branch, label, commit_refs: commits } = task;
  if (base.name === branch) return { kind: 'itself' };
  const tip = await tipOf(top, branch);
  const ends = tip === undefined ? commits : [tip];
  if (ends.length > 0 && (await areBefore(top, ends, base.commit))) return { kind: 'already' };
  if (tip === undefined) return { kind: 'gone' };
  const result = await mergedCommit(top, base, tip, `Merge branch '${branch}'\n\n${label}`);
  if ('kind' in result) return { ...result, base, tip };
  const { commit } = result;
  // Before the gate, which may take long, and once more after it.
  const obstacle = await inTheWay(top, base, commit);
  if (obstacle !== undefined) return obstacle;
  const needsRun = gate !== undefined && greenAt !== commit;
  if (needsRun) await requireAllowed(ground, task.project_id, gate);
  const run = needsRun ? await gateAt(ground, { label, command: gate }, commit) : undefined;
  if (run !== undefined && 'kind' in run) return run;
  if (run !== undefined && run.exitCode !== 0) return { kind: 'red', gate: gate!, run, base, tip };
  const green = run === undefined ? undefined : { gate: gate!, run, commit };
  return (await moveBase(top, base, commit)) ?? { kind: 'merged', commit, base, green };
}

async function gateAt(
  { deps, repository, setup, gateMinutesMax: minutesMax, signal }: MergeGround,
  { label, command }: { readonly label: string; readonly command: string },
  commit: string,
): Promise<CommandRun | Extract<NotMerged, { readonly kind: 'not_run' }>> {
  const at = await commitNamed(repository, commit);
  const how = { command, setup, minutesMax, variables: [], at, isQuiet: true };
  try {
    const named = { ...deps, notice: (line: string): void => deps.notice(`${label}: ${line}`) };
    return await runGate(named, repository, signal === undefined ? how : { ...how, signal });
  } catch (thrown) {
    if (!(thrown instanceof PlannerError) || thrown.details['exit'] !== 2) throw thrown;
    return { kind: 'not_run', why: thrown.message };
  }
}

/** Why a branch was not merged, as a part of a sentence. */
export function reasonOf(end: NotMerged): string {
  switch (end.kind) {
    case 'conflict':
      return `it conflicts with ${end.base.name} in ${end.files.join(', ')}`;
    case 'red':
      return `the gate ends with exit code ${end.run.exitCode} on the merge with ${end.base.name}`;
    case 'changed':
      return `files that are not committed are in the way${end.files.length === 0 ? '' : `: ${end.files.join(', ')}`}`;
    case 'failed':
      return `git cannot merge it with ${end.base.name}: ${end.why}`;
    case 'not_run':
      return `the gate was not run: ${end.why}`;
    default:
      return reasons[end.kind];
  }
}

const reasons = {
  moved: 'the branch that is checked out moved meanwhile',
  filtered: 'a filter of git would have to run: merge it with git merge',
  detached: 'no branch is checked out',
  itself: 'it is the branch that is checked out: check out the one that it goes into',
  gone: 'this repository does not have it: git fetch may bring it',
} as const;
