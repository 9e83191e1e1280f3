import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { behindText } from '../../../base/behind-text.ts';
import type { Evidence } from '../../../schema/types.ts';
import { addCommand, collect, numberOf, usageError } from '../../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../../call/command-line.ts';
import { withTarget } from '../../call/cli-target.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { projectAndGoal } from '../../call/find-record.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { shownIds } from '../../call/short-ids.ts';
import { row, span } from '../../terminal/style.ts';
import type { ShownLine, Span, Style } from '../../terminal/style.ts';
import { allow, gather, groundOf } from '../../verify/evidence.ts';
import type { Ground, VerifyOptions } from '../../verify/evidence.ts';
import { gateMinutesDefault } from '../../verify/gate.ts';
import { compareProofs, isOff, verifiedIn } from '../../verify/proofs.ts';
import type { Finding, Unverified } from '../../verify/proofs.ts';
import { requireCompletable, subjectOf } from '../../verify/subject.ts';
import type { Subject } from '../../verify/subject.ts';
import { commitNamed, requireRepository } from '../../verify/repository.ts';
import { submit } from '../../verify/submit.ts';
import type { Submitted } from '../../verify/submit.ts';
import { taskRows } from '../../records/show-task.ts';

interface VerifyCommandOptions extends CommonOptions, ProjectOption {
  readonly at?: string;
  readonly here?: boolean;
  readonly trust?: boolean;
  readonly minutes?: string;
  readonly env?: readonly string[];
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly mark?: boolean;
}

const shortCommit = (commit: string): string => commit.slice(0, 10);

/** `verify`: runs the gate of a goal or task and hands the evidence in; with --check compares proofs with the repository. */
export function addVerifyCommand(deps: ProgramDeps, program: Command): void {
  addCommand<VerifyCommandOptions, 'verify [goal]'>(
    deps,
    program,
    {
      usage: 'verify [goal]',
      description:
        'run the gate of a goal or task at a commit, and hand the evidence in; exit code 0 green, 1 red, 2 not run, 3 refused',
      examples: [
        'verify "Cook mode"',
        'verify "Cook mode" --at v1.2 --minutes 10',
        'verify --check',
        'verify --check --mark',
      ],
      options: (command) =>
        projectOption(command)
          .option('--at <commit>', 'the commit, branch or tag to verify (default: HEAD)')
          .option('--here', 'run in the working tree as it is, not in a fresh one')
          .option('--trust', 'allow the commands of the plan, as an answer at the terminal does')
          .option('--minutes <number>', `the time after which the gate is stopped (default: ${gateMinutesDefault})`)
          .option('--env <name>', 'a variable that the gate gets beside PATH, HOME and the like; repeat', collect)
          .option('--dry-run', 'show what would run, and run nothing')
          .option('--check', 'compare the proofs of what is complete with the repository, and run nothing')
          .option('--mark', 'with --check: note in the plan what is stale, and what is current again'),
    },
    async ([text], options, out) => {
      if (options.check === true) return check(deps, text, options, out);
      if (options.mark === true) throw usageError('--mark', '--mark notes what --check finds: give both.');
      if (text === undefined)
        throw usageError('goal', 'Name the goal or task to verify, or compare all proofs with --check.');
      return verify(deps, text, options, out);
    },
  );
}

async function verify(
  deps: ProgramDeps,
  text: string,
  options: VerifyCommandOptions,
  out: CommandOutput,
): Promise<void> {
  const how = howOf(options);
  const subject = await withTarget(deps, options, async (target) => {
    const found = await subjectOf(target, text);
    if (options.dryRun === true) return found;
    // A leave that was given is remembered, even if the goal cannot be completed yet.
    if (how.isTrusted) await allow(deps, found, how);
    await requireCompletable(target, found);
    return found;
  });
  const ground = await groundOf(deps, subject.root, how);
  if (options.dryRun === true) return out.print(...planned(subject, ground, how));
  if (!how.isHere && ground.uncommitted.length > 0 && subject.surface.kind === 'gate_command')
    deps.notice(
      `Not part of what is verified, since they are not committed: ${someOf(ground.uncommitted)}. --here includes them.`,
    );
  // The plan is closed meanwhile: a gate may take long, and other commands write to it.
  const gathered = await gather(deps, subject, ground, how);
  await withTarget(deps, options, async (target) => {
    const submitted = await submit(target, subject, gathered);
    const lines = await linesOf(target, subject, submitted);
    if (submitted.isGreen) out.print(submitted, lines);
    else out.printNo(submitted, lines);
  });
}

function howOf({ at, here, trust, minutes, env = [] }: VerifyCommandOptions): VerifyOptions {
  if (at !== undefined && here === true)
    throw usageError('--at', '--at verifies a commit, and --here the working tree: give one of them.');
  const minutesMax = numberOf(minutes, '--minutes') ?? gateMinutesDefault;
  if (minutesMax === 0) throw usageError('--minutes', '--minutes must be at least 1.');
  return { at, isHere: here === true, isTrusted: trust === true, minutesMax, variables: env };
}

function planned(
  { title, surface, setup, place }: Subject,
  { repository, commit, uncommitted }: Ground,
  { isHere, minutesMax }: VerifyOptions,
): readonly [unknown, readonly ShownLine[]] {
  const where = isHere ? (repository?.top ?? place) : `a fresh worktree at ${shortCommit(commit!.commit)}`;
  const isGate = surface.kind === 'gate_command';
  const commands = isGate ? [...(isHere || setup === undefined ? [] : [setup]), surface.command] : [];
  const value = { surface, commands, at: isHere ? null : commit!.commit, uncommitted };
  if (!isGate) return [value, [`${title} is verified by what a person answers at the terminal.`]];
  const lines = [
    `${title} would be verified in ${where}, for at most ${minutesMax} minutes:`,
    ...commands.map((command) => `  $ ${command}`),
    ...(uncommitted.length === 0 ? [] : [`${isHere ? 'With' : 'Without'} uncommitted files: ${someOf(uncommitted)}.`]),
  ];
  return [value, lines];
}

const filesNamedMax = 5;

function someOf(files: readonly string[]): string {
  const more = files.length - filesNamedMax;
  return files.slice(0, filesNamedMax).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

async function linesOf(
  target: CliTarget,
  { title, kind, id, project_id }: Subject,
  { isGreen, evidence, goal, remediation_task: remedy }: Submitted,
): Promise<readonly ShownLine[]> {
  const { proof } = evidence;
  const shown = await shownIds(target, project_id, [id, ...(remedy === undefined ? [] : [remedy.id])]);
  const colour = isGreen ? 'green' : 'red';
  const lines: ShownLine[] = [row(span(colour, colour), `  ${title}${runText(evidence)}${stateTexts[kind][colour]}`)];
  if (goal !== undefined && !isGreen && evidence.kind !== 'gate_command')
    lines.push({ block: goal.last_verification?.detail ?? '' });
  if (remedy !== undefined) {
    lines.push(...(await taskRows(target, [remedy])));
    lines.push(
      `To go on: planner task set ${shown(remedy.id)} --status todo, planner goal resume ${shown(id)}, and then planner verify ${shown(id)} again.`,
    );
  }
  if (proof?.log_artifact_id !== undefined) lines.push(`Its output: planner artifact show ${proof.log_artifact_id}`);
  return lines;
}

const stateTexts = {
  goal: { green: ': it is complete.', red: ': it is blocked.' },
  task: { green: ': it is verified.', red: '.' },
} as const;

/** Where a gate ran, and how it ended. */
function runText(evidence: Evidence): string {
  const { proof } = evidence;
  const ended = evidence.kind === 'gate_command' ? [`exit code ${evidence.exit_code}`] : [];
  if (proof === undefined) return ended.length === 0 ? '' : ` (${ended.join()})`;
  const dirty = proof.dirty ? ', with uncommitted files' : '';
  const how = ended.length === 0 ? '' : ` (${ended.join()}, ${proof.seconds} s)`;
  return ` at ${shortCommit(proof.commit)}${dirty}${how}`;
}

async function check(
  deps: ProgramDeps,
  text: string | undefined,
  options: VerifyCommandOptions,
  out: CommandOutput,
): Promise<void> {
  const { root, verified, unverified } = await withTarget(deps, options, async (target) => ({
    root: target.root,
    ...(await verifiedIn(target, await projectAndGoal(target, { ...options, goal: text }))),
  }));
  const repository = await requireRepository(deps.workingDirectory, root, 'it has no commit to compare proofs with');
  const { commit: at } = await commitNamed(repository, options.at ?? 'HEAD');
  const findings = await compareProofs(repository, verified, at);
  if (options.mark === true) await withTarget(deps, options, (target) => mark(target, findings));
  const value = {
    at,
    verified: findings.map(({ proof, hasGate: _, noted: __, ...rest }) => ({ ...rest, proof: proof ?? null })),
    unverified,
  };
  const lines = [
    ...(findings.length === 0 ? ['Nothing is complete or verified yet.'] : findings.flatMap(findingLines)),
    ...unverifiedLines(unverified),
  ];
  if (findings.some(isOff)) out.printNo(value, lines);
  else out.print(value, lines);
}

/** Notes each finding that differs from the state in the plan. */
async function mark({ planner }: CliTarget, findings: readonly Finding[]): Promise<void> {
  for (const { kind, id, found, state, behind, noted } of findings) {
    const isNoted = found === state && isDeepStrictEqual(behind, noted);
    if ((found !== 'stale' && found !== 'current') || isNoted) continue;
    const verification = {
      verification_state: found,
      ...(behind === undefined ? {} : { verification_behind: behind }),
    };
    if (kind === 'goal') await planner.call('update_goal', { goal_id: id, ...verification });
    else await planner.call('update_task', { task_id: id, ...verification });
  }
}

const foundStyles: Readonly<Record<Finding['found'], Style | undefined>> = {
  ...{ current: 'green', stale: 'yellow', unknown_commit: 'red', dirty: 'yellow', no_proof: 'dim' },
};

function findingLines(finding: Finding): readonly ShownLine[] {
  const { found, name, kind, commits, proof, behind } = finding;
  const at = proof === undefined ? '' : `green at ${shortCommit(proof.commit)}`;
  const says: Readonly<Record<Finding['found'], string>> = {
    current: `${at}, unchanged since`,
    stale: behind === undefined ? `${at}, which is not before this commit` : `${at}, ${behindText(behind)}:`,
    unknown_commit: `${at}, a commit that this repository does not have: fetch the whole history`,
    dirty: `${at} with files that were not committed`,
    no_proof: finding.hasGate ? 'no proof: planner verify makes one' : 'no proof',
  };
  const label = foundLabel(foundStyles[found], found);
  return [
    row(label, `  ${kind}  ${JSON.stringify(name)}  ${says[found]}`),
    ...commits.map(({ commit, subject }) =>
      row('                  ', span('dim', shortCommit(commit)), `  ${subject}`),
    ),
  ];
}

/** Red goals one by one; goals whose gate has never run as a number. They are open, so that the plan says nothing wrong of them. */
function unverifiedLines(unverified: readonly Unverified[]): readonly ShownLine[] {
  const red = unverified.filter(({ found }) => found === 'red');
  const open = unverified.filter(({ found }) => found === 'never_run').map(({ name }) => JSON.stringify(name));
  return [
    ...red.map(({ kind, id, name }) =>
      row(
        foundLabel('red', 'red'),
        `  ${kind}  ${JSON.stringify(name)}  its last verification was red: planner goal show ${id}`,
      ),
    ),
    ...(open.length === 0 ? [] : [row(span('dim', `The gate has not run yet: ${someOf(open)}.`))]),
  ];
}

function foundLabel(style: Style | undefined, found: string): string | Span {
  return span(style, found.replace('_', ' ').padEnd(14));
}
