import { isoTime, systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Artifact, Evidence, Goal, Proof } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { recordsNamed } from '../call/find-record.ts';
import type { ShownTask } from '../records/show-task.ts';
import { codeBlock, outputBlock } from './code-block.ts';
import type { Gathered } from './evidence.ts';
import { exitingWith } from './exiting-with.ts';
import type { CommandRun } from './run-command.ts';
import type { Subject } from './subject.ts';

/** The answer of the plan to evidence. */
export interface Submitted {
  readonly isGreen: boolean;
  readonly evidence: Evidence;
  readonly goal?: Goal;
  readonly task?: ShownTask;
  readonly remediation_task?: ShownTask;
}

/** Hands evidence in, with the output of the gate as an artifact. A refusal of the plan has the exit code 3. */
export function submit(target: CliTarget, subject: Subject, gathered: Gathered): Promise<Submitted> {
  return exitingWith(3, async () => {
    const evidence = await withLog(target, subject, gathered);
    return subject.kind === 'goal' ? ofGoal(target, subject, evidence) : ofTask(target, subject, evidence);
  });
}

async function ofGoal({ planner }: CliTarget, { id: goal_id }: Subject, evidence: Evidence): Promise<Submitted> {
  const answer = await planner.call('complete_goal', { goal_id, evidence });
  const goal = answer['goal'] as Goal;
  const remedy = answer['remediation_task'] as ShownTask | undefined;
  return { isGreen: goal.status === 'complete', evidence, goal, ...(remedy && { remediation_task: remedy }) };
}

/** A red gate changes nothing of a task: it is worked on. */
async function ofTask({ planner }: CliTarget, { id: task_id }: Subject, evidence: Evidence): Promise<Submitted> {
  const isGreen = evidence.kind === 'gate_command' && evidence.exit_code === 0;
  if (!isGreen) return { isGreen, evidence };
  const { proof } = evidence;
  const at = proof === undefined ? '' : ` at ${proof.commit.slice(0, 10)}`;
  const verified = { verified_at: isoTime(systemClock.now()), verified_ref: `gate green${at}`, proof: proof ?? null };
  const { task } = await planner.call('update_task', { task_id, ...verified });
  return { isGreen, evidence, task: task as ShownTask };
}

async function withLog(target: CliTarget, subject: Subject, { evidence, run }: Gathered): Promise<Evidence> {
  const { proof } = evidence;
  if (run === undefined || proof === undefined) return evidence;
  const log_artifact_id = await putLog(target, subject, proof, run);
  return { ...evidence, proof: { ...proof, log_artifact_id } };
}

/**
 * The output of each run replaces the former one in one artifact, whose history has them all. It is found by its title if its id is in no proof:
 * a process may have ended after it made it.
 */
export async function putLog(
  target: Pick<CliTarget, 'planner'>,
  subject: Pick<Subject, 'id' | 'project_id' | 'title' | 'proof' | 'surface'>,
  proof: Proof,
  run: CommandRun,
): Promise<string> {
  const { planner } = target;
  const { id, project_id, title: subjectTitle, proof: former, surface } = subject;
  const content = logText(surface.kind === 'gate_command' ? surface.command : '', proof, run);
  const title = `${`Gate of ${subjectTitle.replace(/^"|"$/g, '')}`.slice(0, titleCharactersMax)} (${id.slice(-4)})`;
  const known = former?.log_artifact_id;
  if (known !== undefined)
    try {
      await planner.call('update_artifact', { artifact_id: known, content });
      return known;
    } catch (thrown) {
      if (!(thrown instanceof PlannerError) || thrown.code !== 'not_found') throw thrown;
    }
  const found = (await recordsNamed(target, 'artifact', { project_id, name: title })).at(-1)?.id;
  const { artifact } =
    found === undefined
      ? await planner.call('create_artifact', { project_id, title, content })
      : await planner.call('update_artifact', { artifact_id: found, content });
  return (artifact as Artifact).id;
}

const titleCharactersMax = 200;

/** The log as Markdown. */
function logText(
  command: string,
  { commit, dirty, ran_by }: Proof,
  { exitCode, startedAt, seconds, output }: CommandRun,
): string {
  const files = dirty ? ', with files that are not committed' : '';
  const head = `Exit code ${exitCode} after ${seconds} s at ${commit}${files}, ${startedAt}, run by ${ran_by}.`;
  return [head, codeBlock(command), outputBlock(output.text)].join('\n\n');
}
