/**
 * `planner run` works a goal of six tasks to its end, with an agent that follows a script, in a repository of its own.
 *
 *   npm run example -- [--once] [--wait SECONDS] [--pace MS]
 *
 * It asks and is answered on the page; after --wait seconds it answers itself. The page stays open until Ctrl-C; with --once, and without a
 * terminal, it ends by itself. The exit code is 0 only if the goal is complete and proven.
 */
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { goal, last, tasks } from './plan.ts';
import { Workshop } from './workshop.ts';

const { values: options } = parseArgs({
  options: { once: { type: 'boolean' }, wait: { type: 'string' }, pace: { type: 'string' } },
});
const isWatched = process.stdout.isTTY && options.once !== true;
/** How often the page is looked at meanwhile. */
const pollMs = 500;
const waitMs = Number(options.wait ?? (isWatched ? 10 : 0)) * 1000;
const stop = new AbortController();
const workshop = new Workshop();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
try {
  const begun = await begin();
  await Promise.race([work(begun), stopped()]);
  if (isWatched && !stop.signal.aborted) {
    say(`The page stays at ${begun.url}: look around. Ctrl-C ends it, and removes the repository.`);
    await stopped();
  }
} catch (thrown) {
  // A signal is no failure.
  if (!stop.signal.aborted) throw thrown;
} finally {
  await workshop.close();
}

interface Listed {
  readonly tasks: readonly { readonly label: string; readonly verified_at: string | null }[];
}

interface Begun {
  readonly url: string;
  readonly project: string;
}

/** A small library in a fresh repository, with a plan and a service. */
async function begin(): Promise<Begun> {
  say(`A fresh repository: ${workshop.repository}`);
  workshop.write('package.json', '{ "name": "shop", "private": true, "type": "module" }\n');
  workshop.write('README.md', '# Shop\n');
  await workshop.git('init', '--quiet');
  await planner(['connect', '--quiet']);
  await workshop.git('add', '.');
  await workshop.git('commit', '--quiet', '--message', 'Begin');
  const file = fileURLToPath(new URL('agent.ts', import.meta.url));
  workshop.addAgent('scripted', file, { PACE_MS: options.pace ?? (isWatched ? '500' : '0') });
  const url = await workshop.serve();
  const { projects } = await rest<{ projects: readonly [{ id: string }] }>(`${url}/api/v1/projects`);
  const project = projects[0].id;
  await plan(`${url}/api/v1/projects/${project}`);
  say(`\nOpen ${url}/projects/${project}/agents to watch.\n`);
  return { url, project };
}

/** The goal, its tasks, and their order, over REST; the command line and MCP do the same. */
async function plan(at: string): Promise<void> {
  const { id: goal_id } = await rest<{ id: string }>(`${at}/goals`, goal);
  const ids = new Map<string, string>();
  for (const { after, ...task } of tasks) {
    const { id: to_id } = await rest<{ id: string }>(`${at}/tasks`, { ...task, goal_id });
    ids.set(task.label, to_id);
    for (const label of after)
      await rest(`${at}/edges`, { from_type: 'task', from_id: ids.get(label), to_type: 'task', to_id });
  }
}

/** The runner works all tasks; the last one is for a person to approve; then the goal is verified. */
async function work({ url, project }: Begun): Promise<void> {
  const run = ['run', goal.name, '--agent', 'scripted', '--trust', '--parallel', '2'];
  await planner([...run, '--dry-run']);
  await planner(run, (line) => answerLater(url, line));
  await planner(['review']);
  const api = `${url}/api/v1/projects/${project}`;
  const isApproved = async (): Promise<boolean> => {
    const { tasks: done } = await rest<Listed>(`${api}/tasks?status=done`);
    return done.some(({ label, verified_at: at }) => label === last.label && at !== null);
  };
  if (!(await waitFor('Approve the task on the page, under Review', isApproved)))
    await planner(['approve', last.label]);
  await planner(run);
  await planner(['log']);
  await planner(['verify', '--check']);
  const { goals } = await rest<{ goals: readonly { name: string; status: string }[] }>(`${api}/goals`);
  if (!goals.some(({ name, status }) => name === goal.name && status === 'complete'))
    throw new Error(`The goal ${goal.name} is not complete.`);
}

/** A line of the runner may be a question: without an answer of a person it is answered here. */
async function answerLater(url: string, line: string): Promise<void> {
  const [, id] = /planner answer (run_\w+)/.exec(line) ?? [];
  if (id === undefined) return;
  const isAnswered = async (): Promise<boolean> =>
    (await rest<{ awaiting: object | null }>(`${url}/api/v1/agent-runs/${id}`)).awaiting === null;
  if (!(await waitFor('Answer on the page, under Agents', isAnswered))) await planner(['answer', id, '12.50 €']);
}

/** Gives a person time to do something. Resolves with whether it is done. */
async function waitFor(what: string, isDone: () => Promise<boolean>): Promise<boolean> {
  if (waitMs > 0) say(`\n${what}; in ${waitMs / 1000} seconds the example does it.\n`);
  for (let waited = 0; waited < waitMs && !(await isDone()); waited += pollMs)
    await setTimeout(pollMs, undefined, { signal: stop.signal });
  return isDone();
}

async function rest<T>(url: string, body?: object): Promise<T> {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, body === undefined ? {} : sent);
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Runs a command of Planner, and shows it with its output. `onLine` may begin something that has to end, too. */
async function planner(
  args: readonly string[],
  onLine: (line: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  say(`$ planner ${args.map((word) => (word.includes(' ') ? JSON.stringify(word) : word)).join(' ')}`);
  const begun: Promise<void>[] = [];
  await workshop.planner(args, (line) => {
    say(`  ${line}`);
    const begin = onLine(line);
    // It is awaited below, unless the command fails before.
    begin.catch(() => undefined);
    begun.push(begin);
  });
  await Promise.all(begun);
}

function say(line: string): void {
  console.log(line);
}

async function stopped(): Promise<void> {
  if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
}
