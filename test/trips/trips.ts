import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { CallCounter } from './call-counter.ts';
import type { EnteredFunction } from './call-counter.ts';

/** How long a trip through the service is. */
export interface TripLength {
  readonly calls: number;
  readonly functions: number;
  readonly files: number;
}

/** The lengths of trips by name, which the program prints as JSON. */
export type TripLengths = Readonly<Record<string, TripLength>>;

const counter = new CallCounter();
// The counter has to be there before the sources are loaded.
const { TestService } = await import('../support/service.ts');
const { PlanFiles } = await import('../support/plan-files.ts');

/** Each trip is made so often. Functions that one of the times did not enter were called by something else, such as a timer. */
const rounds = 20;

const service = await TestService.start();
const { rest } = service;
const project = await service.project();
const key = await rest.post('/keys', { name: 'robo', kind: 'agent', project_id: project });
const withKey = { Authorization: `Bearer ${key.body.secret}` };
const mcp = await service.mcp({ headers: withKey });
const created = await rest.post(`/projects/${project}/tasks`, { label: 'A task' });
const { id } = created.body;
const files = await PlanFiles.of(service);

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

let round = 0;
const status = (): string => (round++ % 2 === 0 ? 'in_progress' : 'todo');

/** Calls the service, and resolves to the functions that were entered until its answer was sent. */
async function untilAnswer(
  call: () => Promise<{ readonly status?: number; readonly isError?: boolean }>,
): Promise<readonly EnteredFunction[]> {
  let entered: readonly EnteredFunction[] = [];
  const onSent = (): void => void (entered = counter.take());
  subscribe('http.server.response.finish', onSent);
  counter.take();
  const answer = await call();
  unsubscribe('http.server.response.finish', onSent);
  if (answer.isError === true || (answer.status ?? 200) !== 200) throw new Error(JSON.stringify(answer));
  return entered;
}

/** Edits the file of the task, and resolves to the functions that were entered until the edit is served. */
async function untilServed(): Promise<readonly EnteredFunction[]> {
  const label = `Edited ${round++}`;
  await files.edit(id, /^label: .*$/m, `label: ${label}`);
  counter.take();
  await service.store.rescan();
  const entered = counter.take();
  const { body } = await rest.get(`/tasks/${id}`);
  if (body.label !== label) throw new Error(`The edit is not served: ${JSON.stringify(body)}`);
  return entered;
}

const trips: Readonly<Record<string, () => Promise<readonly EnteredFunction[]>>> = {
  'GET a task': () => untilAnswer(() => rest.get(`/tasks/${id}`)),
  'GET a task, with a key': () => untilAnswer(() => rest.get(`/tasks/${id}`, withKey)),
  'PATCH a task': () => untilAnswer(() => rest.patch(`/tasks/${id}`, { status: status() })),
  'PATCH a task, with a key': () => untilAnswer(() => rest.patch(`/tasks/${id}`, { status: status() }, withKey)),
  'MCP update_task': () => untilAnswer(() => mcp.call('update_task', { task_id: id, status: status() })),
  'a hand edit': untilServed,
};

function lengthOf(entered: readonly EnteredFunction[]): TripLength {
  return {
    calls: entered.reduce((sum, { calls }) => sum + calls, 0),
    functions: entered.length,
    files: new Set(entered.map(({ file }) => file)).size,
  };
}

/** Prints the functions of a trip by file. */
function list(entered: readonly EnteredFunction[]): void {
  for (const [file, functions = []] of Map.groupBy(entered, (one) => one.file)) {
    const names = functions.map(({ name, calls }) => `${name || '(anonymous)'}${calls === 1 ? '' : ` × ${calls}`}`);
    process.stderr.write(`${file}: ${names.join(', ')}\n`);
  }
}

const placeOf = ({ file, offset }: EnteredFunction): string => `${file}:${offset}`;

/** The functions that were entered both times. */
function common(one: readonly EnteredFunction[], other: readonly EnteredFunction[]): readonly EnteredFunction[] {
  const calls = new Map(other.map((entered) => [placeOf(entered), entered.calls]));
  return one.flatMap((entered) => {
    const also = calls.get(placeOf(entered));
    return also === undefined ? [] : [{ ...entered, calls: Math.min(entered.calls, also) }];
  });
}

const lengths: Record<string, TripLength> = {};
for (const [name, make] of Object.entries(trips)) {
  let entered: readonly EnteredFunction[] | undefined;
  for (let made = 0; made < rounds; made++) {
    await service.store.flush();
    // What is due meanwhile, as after a slow flush, runs now.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    const now = await make();
    entered = entered === undefined ? now : common(entered, now);
  }
  lengths[name] = lengthOf(entered!);
  if (process.argv.includes(name)) list(entered!);
}
process.stdout.write(`${JSON.stringify(lengths, undefined, 2)}\n`);
await service.stop();
counter.close();
