import { isoTime, systemClock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import type { Evidence, Proof, VerificationSurface } from '../../schema/types.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { proofOf, runGate } from './gate.ts';
import { commitNamed, repositoryAround, requireRepository, uncommittedIn } from './repository.ts';
import type { Commit, Repository } from './repository.ts';
import type { CommandRun } from './run-command.ts';
import { notRun } from './subject.ts';
import type { Subject } from './subject.ts';
import { isYes, requireAllTrusted } from './trusted-commands.ts';

/** How something is verified. */
export interface VerifyOptions {
  /** A commit in place of HEAD. */
  readonly at: string | undefined;
  /** In the working tree, in place of a fresh one. */
  readonly isHere: boolean;
  /** The commands of the plan are allowed. */
  readonly isTrusted: boolean;
  readonly minutesMax: number;
  readonly variables: readonly string[];
}

/** Where something is verified. */
export interface Ground {
  readonly repository: Repository | undefined;
  readonly commit: Commit | undefined;
  /** Files that differ from the present commit. */
  readonly uncommitted: readonly string[];
}

/** Evidence, and the run of a gate that it is about. */
export interface Gathered {
  readonly evidence: Evidence;
  readonly run?: CommandRun;
}

/** The repository and commit that a verification is about. Outside of one only a run in the directory as it is is possible. */
export async function groundOf(
  { workingDirectory }: ProgramDeps,
  root: string | undefined,
  { at, isHere }: Pick<VerifyOptions, 'at' | 'isHere'>,
): Promise<Ground> {
  const repository = isHere
    ? await repositoryAround(workingDirectory, root)
    : await requireRepository(
        workingDirectory,
        root,
        'it has no commit to verify, and --here runs the gate in it as it is',
      );
  if (repository === undefined) return { repository, commit: undefined, uncommitted: [] };
  const commit = await commitNamed(repository, at ?? 'HEAD');
  return { repository, commit, uncommitted: await uncommittedIn(repository) };
}

/** Runs the gate, or asks a person. */
export async function gather(
  deps: ProgramDeps,
  subject: Subject,
  ground: Ground,
  options: VerifyOptions,
): Promise<Gathered> {
  const { surface } = subject;
  if (surface.kind === 'gate_command') return gateEvidence(deps, subject, surface.command, ground, options);
  const proof = await personalProof(deps, ground);
  if (surface.kind === 'human_sign_off') return { evidence: { ...(await signOff(deps, subject)), ...proof } };
  return { evidence: { ...(await checklist(deps, surface)), ...proof } };
}

/** Asks for the commands of the plan that a verification runs, unless they are allowed already. */
export async function allow(
  deps: ProgramDeps,
  { place, project_id: project, setup, surface }: Subject,
  { isHere, isTrusted }: Pick<VerifyOptions, 'isHere' | 'isTrusted'>,
): Promise<void> {
  if (surface.kind !== 'gate_command') return;
  const commands = { place, project, setup: isHere ? undefined : setup, gate: surface.command };
  await requireAllTrusted(deps, commands, isTrusted);
}

async function gateEvidence(
  deps: ProgramDeps,
  subject: Subject,
  command: string,
  { repository, commit, uncommitted }: Ground,
  { isHere, isTrusted, minutesMax, variables }: VerifyOptions,
): Promise<Gathered> {
  await allow(deps, subject, { isHere, isTrusted });
  const setup = isHere ? undefined : subject.setup;
  const at = isHere ? undefined : commit;
  const run = await runGate(deps, repository, { command, setup, minutesMax, variables, at });
  const late = run.isTimeout ? { detail: `Stopped after ${minutesMax} minutes.` } : {};
  const evidence = { kind: 'gate_command', exit_code: run.exitCode, command, ...late } as const;
  if (commit === undefined) return { evidence, run };
  const dirty = isHere && uncommitted.length > 0;
  return {
    evidence: { ...evidence, proof: proofOf(run, { ...commit, dirty, ran_by: await deps.owner(), setup }) },
    run,
  };
}

/** The proof of an answer: a person looks at the files in the working tree. */
async function personalProof(deps: ProgramDeps, { commit, uncommitted }: Ground): Promise<{ readonly proof?: Proof }> {
  if (commit === undefined) return {};
  const dirty = uncommitted.length > 0;
  const started_at = isoTime(systemClock.now());
  return { proof: { ...commit, dirty, started_at, seconds: 0, ran_by: await deps.owner() } };
}

async function checklist(
  { ask, remark }: ProgramDeps,
  surface: Extract<VerificationSurface, { kind: 'acceptance_checklist' }>,
): Promise<Extract<Evidence, { kind: 'acceptance_checklist' }>> {
  if (ask === undefined)
    throw notRun(
      'A checklist is answered at a terminal, and there is none: planner goal done <goal> --check <item> hands the answers in.',
    );
  const checked: string[] = [];
  for (const { id, criterion } of surface.items) {
    remark(printable(criterion));
    const line = await ask('Is it met? [y/N] ');
    if (line === undefined) throw notRun('The checklist was not answered to its end, and nothing was handed in.');
    if (isYes(line)) checked.push(id ?? criterion);
  }
  return { kind: 'acceptance_checklist', checked };
}

async function signOff(
  { ask, owner }: ProgramDeps,
  { title }: Subject,
): Promise<Extract<Evidence, { kind: 'human_sign_off' }>> {
  if (ask === undefined)
    throw notRun(
      'A person signs at a terminal, and there is none: planner goal done <goal> --sign-off <name> hands it in.',
    );
  const name = await owner();
  const given = await ask(
    `Does ${printable(name)} approve ${printable(title)}? [y/N, or the name of another approver] `,
  );
  if (given === undefined || /^\s*(?:n|no|-)?\s*$/i.test(given))
    throw notRun('It was not approved, and nothing was handed in.');
  return { kind: 'human_sign_off', approved_by: isYes(given) ? name : given.trim() };
}
