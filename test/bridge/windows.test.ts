import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BridgeProcess, closeWindows } from '../support/bridge.ts';
import { Command, withoutSlowSlices } from '../support/command.ts';
import { runCommand } from '../support/in-process.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { noProblems } from '../support/no-problems.ts';
import { rarely } from '../support/rarely.ts';

describe('planner mcp in several windows', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let service: ServerProcess | undefined;

  beforeEach(async () => {
    expect((await runCommand(['init'], { cwd: scratch.path })).code).to.equal(0);
  });

  afterEach(async () => {
    await closeWindows();
    await service?.kill();
    service = undefined;
  });

  const open = (name: string, environment: Readonly<Record<string, string>> = {}): Promise<BridgeProcess> =>
    BridgeProcess.open({ cwd: scratch.path, name, environment });
  const project = async (window: BridgeProcess): Promise<string> =>
    (await window.get('create_project', { name: 'Shared' })).project.id;

  /** The process that serves the root, by server.json. */
  function holder(): { readonly pid: number; readonly url: string } {
    return JSON.parse(readFileSync(join(scratch.path, '.planner/local/server.json'), 'utf8')) as ReturnType<
      typeof holder
    >;
  }

  /** The ids of all tasks by label. */
  async function tasks(window: BridgeProcess, project_id: string): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (let cursor: string | undefined; ;) {
      const page = await window.get('list_tasks', { project_id, limit: 1000, ...(cursor && { cursor }) });
      for (const { id, label } of page.tasks) found.set(label, [...(found.get(label) ?? []), id]);
      if (page.next_cursor === undefined) return found;
      cursor = page.next_cursor;
    }
  }

  rarely(
    'lets the first hold the root, the others use it, and the next take over when the first is closed, in the same session [D11.mcp, D11.mcp-takeover, D2.session-resume]',
    async () => {
      const [first, second] = [await open('first'), await open('second')];
      expect(holder().pid).to.equal(first.pid);
      const id = await project(first);
      const { tools } = await second.sdk.listTools();
      expect(tools.slice(0, 2).map(({ name }) => name)).to.deep.equal(['list_projects', 'get_project']);
      expect((await second.get('get_project', { project_id: id })).project.name).to.equal('Shared');
      expect(holder().pid).to.equal(first.pid);
      // Commands go through it too.
      const { output } = await runCommand(['call', 'list_projects', '--json'], { cwd: scratch.path });
      expect(JSON.parse(output).projects).to.have.length(1);
      const { goal } = await second.get('create_goal', { project_id: id, name: 'Payments', objective: 'Paid.' });
      await second.get('create_task', { project_id: id, goal_id: goal.id, label: 'Of this goal' });
      await second.get('set_current_goal', { goal_id: goal.id });
      await first.close();
      const { next } = await second.get('get_next_task', { project_id: id });
      expect(next.next_task.label).to.equal('Of this goal');
      expect(holder().pid).to.equal(second.pid);
      await second.get('update_goal', { goal_id: goal.id, objective: 'Paid twice.' });
      const { revisions } = await second.get('list_revisions', {
        project_id: id,
        target_type: 'goal',
        target_id: goal.id,
      });
      expect(revisions.map(({ author }: { author: string }) => author)).to.deep.equal(['agent:second']);
    },
  );

  rarely(
    'executes each call once and returns its result, however often the holder is killed [D11.mcp-takeover, D1.idempotency]',
    async () => {
      const random = Random.announced('windows');
      const windows = [];
      for (const name of ['a', 'b', 'c']) windows.push(await open(name));
      const id = await project(windows[0]!);
      const calls = new CallsInFlight(windows, id);
      for (let round = 0; round < 2; round++) {
        await calls.further(20);
        await new Promise((resolve) => setTimeout(resolve, random.integer(5, 60)));
        calls.kill(holder().pid);
      }
      await calls.further(10);
      await calls.end();
      const last = windows.find((window) => !calls.killed.has(window))!;
      expect(holder().pid).to.equal(last.pid);
      expectOnce(calls.acknowledged, await tasks(last, id), `seed ${random.seed}`);
    },
  );

  it('hands the root over to planner serve, and serves it again when that ends: at one address, with calls in flight executed once [D11.takeover, D11.mcp-takeover, D11.port]', async () => {
    // Services of other tests look for the first free port from the usual one on, and would take one that is handed over.
    const windows = [await open('a', { PLANNER_PORT: String(ownPort) }), await open('b')];
    const idle = await open('idle');
    const { pid, url } = holder();
    expect(pid).to.equal(windows[0]!.pid);
    const id = await project(windows[0]!);
    const refused = await runCommand(['stop'], { cwd: scratch.path });
    expect([refused.code, refused.errors.includes(`planner mcp (process ${pid})`)]).to.deep.equal([1, true]);
    const unasked = await fetch(`${url}/api/v1/service/hand-over`, { method: 'POST' });
    expect([unasked.status, ((await unasked.json()) as { error: string }).error]).to.deep.equal([403, 'forbidden']);
    const calls = new CallsInFlight(windows, id);
    await calls.further(10);
    const serving = new Command(['serve', '--json'], { cwd: scratch.path });
    try {
      const served = JSON.parse(await serving.firstLine());
      expect(served).to.include({ url });
      expect(holder()).to.include({ url, pid: served.pid });
      await calls.further(10);
      // The client has the address and the credential of the service before.
      expect((await idle.get('get_project', { project_id: id })).project.name).to.equal('Shared');
      // This service hands the root over to no other service.
      const second = await runCommand(['serve', '--port', '0'], { cwd: scratch.path });
      expect([second.code, second.errors]).to.deep.equal([1, `planner: ${inUse(served)}\n`]);
      expect((await runCommand(['stop'], { cwd: scratch.path })).code).to.equal(0);
      const { code, errors } = await serving.finished;
      expect([code, errors.split('\n')[0]]).to.deep.equal([0, takenFrom(pid)]);
    } finally {
      await serving.kill();
    }
    await calls.further(10);
    await calls.end();
    expect(holder()).to.include({ url });
    expect(windows.map((window) => window.pid)).to.include(holder().pid);
    expectOnce(calls.acknowledged, await tasks(windows[1]!, id), 'taken over');
  });

  rarely('reconnects to a service that was killed and is started again [D11.mcp-takeover]', async () => {
    service = await startService(scratch.path);
    const [first, second] = [await open('first'), await open('second')];
    const id = await project(first);
    await service.kill();
    service = await startService(scratch.path);
    await Promise.all([first, second].map((window) => window.get('create_task', { project_id: id, label: 'Again' })));
    expect(holder().pid).to.equal(service.pid);
  });

  it('writes back all records and releases the root when the client closes [D11.mcp]', async () => {
    const window = await open('window');
    const id = await project(window);
    await window.get('create_task', { project_id: id, label: 'Written' });
    await window.close();
    expect(() => holder()).to.throw('ENOENT');
    expect(await runCommand(['doctor'], { cwd: scratch.path })).to.include({ code: 0, output: noProblems });
    expect(withoutSlowSlices(window.errors)).to.equal('');
  });
});

/** Of this process alone: neither among those that services try, nor among those that the system gives. */
const ownPort = 10_000 + (process.pid % 20_000);

/** The error of a second service. */
const inUse = ({ root, pid, url }: { readonly root: string; readonly pid: number; readonly url: string }): string =>
  `${root}/local is in use by Planner, process ${pid} on ${hostname()}, ${url}. Use it at ${url}, or stop it first (kill ${pid} on ${hostname()}).`;

const takenFrom = (pid: number): string =>
  `Taken over from planner mcp (process ${pid}), which uses this service from now on.`;

/** Several windows that create tasks, with several calls in flight in each. */
class CallsInFlight {
  /** Ids by label. */
  readonly acknowledged = new Map<string, string>();
  readonly killed = new Set<BridgeProcess>();
  readonly #windows: readonly BridgeProcess[];
  readonly #working: Promise<unknown>;
  #attempts = 0;
  #isEnded = false;

  constructor(windows: readonly BridgeProcess[], project_id: string) {
    this.#windows = windows;
    this.#working = Promise.all(windows.flatMap((window) => [1, 2, 3, 4].map(() => this.#work(window, project_id))));
  }

  /** Waits until so many more are acknowledged. */
  async further(count: number): Promise<void> {
    const before = this.acknowledged.size;
    const enough = async (): Promise<void> => {
      while (this.acknowledged.size < before + count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await Promise.race([enough(), this.#working]);
  }

  kill(pid: number): void {
    const window = this.#windows.find((one) => one.pid === pid && !this.killed.has(one))!;
    this.killed.add(window);
    window.kill();
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#working;
  }

  async #work(window: BridgeProcess, project_id: string): Promise<void> {
    while (!this.#isEnded && !this.killed.has(window)) {
      const label = `Task ${++this.#attempts}`;
      try {
        const { isError, value } = await window.call('create_task', { project_id, label });
        expect(isError, JSON.stringify(value)).to.equal(false);
        expect(this.acknowledged.has(label)).to.equal(false);
        this.acknowledged.set(label, value.task.id);
      } catch (thrown) {
        // The window's own bridge was killed: no response can come.
        if (!this.killed.has(window)) throw thrown;
      }
    }
  }
}

/** Each acknowledged task is there once, and no task twice. */
function expectOnce(
  acknowledged: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, readonly string[]>,
  where: string,
): void {
  for (const [label, task] of acknowledged) expect(found.get(label), `${label}, ${where}`).to.deep.equal([task]);
  for (const [label, ids] of found) expect(ids, `${label}, ${where}`).to.have.length(1);
}
