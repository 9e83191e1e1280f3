import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import { retry } from '../../../base/retry.ts';
import type { Event, EventListAnswer } from '../../../schema/types.ts';
import { EventNames, sentenceOf, withoutRepeats } from '../../service/event-lines.ts';
import { addPlanCommand, numberOf, present, usageError } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { runWithInput } from '../../terminal/run-with-input.ts';
import { minuteOf } from '../../terminal/show-text.ts';

interface EventsOptions extends ProjectOption {
  readonly all?: boolean;
  readonly since?: string;
  readonly types?: string;
  readonly resource?: string;
  readonly follow?: boolean;
  readonly count?: string;
  readonly exec?: string;
}

/** Where a command reads events, and which. */
interface Source {
  readonly operation: 'list_events' | 'list_all_events';
  readonly input: Readonly<Record<string, unknown>>;
}

/** The number of events that are listed by default. */
const listedMax = 100;
/** The number of events that one call returns. */
const pageMax = 1000;
/** The time of one call that waits, in seconds. */
const waitSeconds = 25;
/** How long a follower retries while the service does not respond, for example because it is restarted. */
const retries = 30;
const retryMs = 1000;

/** `events`: lists and follows changes. */
export function addEventsCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'events',
      description: 'list the newest changes, oldest first, or follow them; cursors survive restarts',
      examples: [
        'events --since 119h6sb-3 --json',
        'events --follow --types task.done,comment.created',
        "events --follow --types task.unblocked --exec 'xargs -0 notify-send Planner'",
      ],
      options: (command) =>
        projectOption(command)
          .option('--all', 'of all projects')
          .option('--since <cursor>', 'the first ones after this event; with --follow, the default is the present')
          .option('--types <types>', 'only of these types, separated by commas: task.done, or task for all of tasks')
          .option('--resource <id>', 'only of the record with this id')
          .option('--follow', 'wait for further events; needs a running service; with --json one event per line')
          .option('--count <number>', `so many events (default: ${listedMax}; with --follow, without end)`)
          .option('--exec <command>', 'run this command for each event, with its JSON on standard input'),
    },
    async (_, options: EventsOptions, out, target) => {
      const { follow = false } = options;
      if (follow && target.url === undefined)
        throw new PlannerError('unavailable', '--follow needs a running service: start one with planner serve.');
      const count = numberOf(options.count, '--count') ?? (follow ? Infinity : listedMax);
      if (count < 1) throw usageError('--count', '--count is at least 1.');
      const source = await sourceOf(target, options);
      const read = follow ? followEvents : listEvents;
      try {
        await read(deps, target, source, { ...options, count }, out);
      } catch (thrown) {
        throw sinceWhat(thrown, options.since);
      }
    },
  );
}

/** A cursor that does not fit, as a person who typed it has to read of it. */
function sinceWhat(thrown: unknown, since: string | undefined): unknown {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'cursor_expired' || since === undefined) return thrown;
  const message = `--since is ${JSON.stringify(since)}, which is no cursor of an event that is kept here. Omit --since to list the newest events; events --json shows the cursor of each.`;
  return usageError('--since', message);
}

async function sourceOf(target: CliTarget, options: EventsOptions): Promise<Source> {
  const { all = false, types, resource, follow = false } = options;
  const since = options.since ?? (follow ? 'now' : undefined);
  if (all) {
    if (resource !== undefined) throw usageError('--resource', '--resource is of one project: omit --all.');
    return { operation: 'list_all_events', input: present({ since, types }) };
  }
  const { id } = await chooseProject(target, options);
  return { operation: 'list_events', input: present({ project_id: id, since, types, resource }) };
}

interface Chosen {
  readonly count: number;
  readonly exec?: string;
}

async function listEvents(
  deps: ProgramDeps,
  { planner }: CliTarget,
  { operation, input }: Source,
  { count, exec }: Chosen,
  out: CommandOutput,
): Promise<void> {
  const list = async (more: object): Promise<EventListAnswer> =>
    (await planner.call(operation, { ...input, ...more })) as unknown as EventListAnswer;
  const read = input['since'] === undefined ? newestEvents : eventsAfter;
  const { events, cursor, more } = await read(list, count);
  if (exec === undefined)
    out.print(
      { events, cursor, more },
      events.length === 0 ? 'There are no events.' : await linesOf(events, operation, planner),
    );
  else await runForEach(deps, exec, events, input['since']);
  if (!out.json && more) deps.notice(`There are more: continue with --since ${cursor}`);
}

type List = (input: object) => Promise<EventListAnswer>;

/** The last events, in their order. The cursor continues after them. */
async function newestEvents(list: List, count: number): Promise<EventListAnswer> {
  let answer = await list({ before: 'now', limit: Math.min(pageMax, count) });
  let { events } = answer;
  while (answer.more && events.length < count) {
    answer = await list({ before: answer.cursor, limit: Math.min(pageMax, count - events.length) });
    events = [...answer.events, ...events];
  }
  return { events, cursor: events.at(-1)?.cursor ?? answer.cursor, more: false };
}

async function eventsAfter(list: List, count: number): Promise<EventListAnswer> {
  let answer = await list({ limit: Math.min(pageMax, count) });
  let { events } = answer;
  while (answer.more && events.length < count) {
    answer = await list({ since: answer.cursor, limit: Math.min(pageMax, count - events.length) });
    events = [...events, ...answer.events];
  }
  return { ...answer, events };
}

async function followEvents(
  deps: ProgramDeps,
  { planner }: CliTarget,
  { operation, input }: Source,
  { count, exec }: Chosen,
  out: CommandOutput,
): Promise<void> {
  let [left, next]: [number, Source['input']] = [count, input];
  while (left > 0) {
    const limit = Math.min(pageMax, left);
    const call = (): Promise<unknown> => planner.call(operation, { ...next, limit, wait: waitSeconds });
    const { events, cursor } = (await retrying(deps, call)) as EventListAnswer;
    if (exec === undefined && out.json) for (const event of events) out.printLive(event, []);
    else if (exec === undefined) out.printLive(events, await linesOf(events, operation, planner));
    else await runForEach(deps, exec, events, next['since']);
    left -= events.length;
    next = { ...next, since: cursor };
  }
}

/** The cursor continues after a restart of the service: a follower only has to call again. */
function retrying<T>(deps: ProgramDeps, call: () => Promise<T>): Promise<T> {
  const mayRetry = (thrown: unknown, failures: number): boolean => {
    const isAway = thrown instanceof PlannerError && thrown.code === 'unavailable';
    if (!isAway || failures > retries) return false;
    if (failures === 1) deps.notice(`${thrown.message} Retrying.`);
    return true;
  };
  return retry({ clock: systemClock, pauseMs: () => retryMs, mayRetry }, call);
}

/** Runs the command for events, of which the first one follows the cursor `since`. */
async function runForEach(deps: ProgramDeps, command: string, events: readonly Event[], since: unknown): Promise<void> {
  let before = since;
  for (const event of events) {
    const code = await runWithInput(command, `${JSON.stringify(event)}\n`, deps.workingDirectory);
    if (code !== 0) throw failed(code, event, before);
    before = event.cursor;
  }
}

function failed(code: number | string, { type, resource, cursor }: Event, before: unknown): PlannerError {
  const what = `The command of --exec ended with ${code} at ${type} of ${resource.label ?? resource.id}`;
  const again = typeof before === 'string' && before !== 'now' ? `with --since ${before}` : 'without --since';
  const message = `${what}. Correct the command, and run it again ${again}; to go on behind this event, with --since ${cursor}.`;
  return new PlannerError('conflict', message, { cursor });
}

/** A line for each change: when, by whom, what, and of several projects where. */
async function linesOf(
  events: readonly Event[],
  operation: Source['operation'],
  planner: CliTarget['planner'],
): Promise<readonly string[]> {
  const names = new EventNames(planner);
  const lines: string[] = [];
  for (const event of withoutRepeats(events)) {
    const where = operation === 'list_all_events' ? await names.place(event) : '';
    lines.push(`${minuteOf(event.at)}  ${await sentenceOf(event, names, where)}`);
  }
  return lines;
}
