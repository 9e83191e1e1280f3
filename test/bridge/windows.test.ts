import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BridgeProcess, closeWindows } from '../support/bridge.ts';
import { withoutSlowSlices } from '../support/command.ts';
import { runCommand } from '../support/in-process.ts';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { noProblems } from '../support/no-problems.ts';

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

  const open = (name: string): Promise<BridgeProcess> => BridgeProcess.open({ cwd: scratch.path, name });
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

  it('lets the first hold the root, and the others use it as their service [D11.mcp]', async () => {
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
  });

  it('lets the next take over when the first is closed, in the same session [D11.mcp-takeover, D2.session-resume]', async () => {
    const [first, second] = [await open('first'), await open('second')];
    const id = await project(first);
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
  });

  it('executes each call once and returns its result, however often the holder is killed [D11.mcp-takeover, D1.idempotency]', async () => {
    const random = Random.announced('windows');
    const windows = [];
    for (const name of ['a', 'b', 'c']) windows.push(await open(name));
    const id = await project(windows[0]!);
    /** Ids by label, of what was acknowledged. */
    const acknowledged = new Map<string, string>();
    let attempts = 0;
    const ended = new AbortController();
    const killed = new Set<BridgeProcess>();
    const work = async (window: BridgeProcess): Promise<void> => {
      while (!ended.signal.aborted && !killed.has(window)) {
        const label = `Task ${++attempts}`;
        try {
          const { isError, value } = await window.call('create_task', { project_id: id, label });
          expect(isError, JSON.stringify(value)).to.equal(false);
          expect(acknowledged.has(label)).to.equal(false);
          acknowledged.set(label, value.task.id);
        } catch (thrown) {
          // The window's own bridge was killed: no response can come.
          if (!killed.has(window)) throw thrown;
        }
      }
    };
    // Several calls in flight in each window.
    const working = Promise.all(windows.flatMap((window) => [1, 2, 3, 4].map(() => work(window))));
    for (let round = 0; round < 2; round++) {
      const before = acknowledged.size;
      while (acknowledged.size < before + 20)
        await new Promise((resolve) => setTimeout(resolve, random.integer(5, 60)));
      const { pid } = holder();
      const held = windows.find((window) => window.pid === pid && !killed.has(window))!;
      killed.add(held);
      held.kill();
    }
    const last = windows.find((window) => !killed.has(window))!;
    const before = acknowledged.size;
    while (acknowledged.size < before + 10) await new Promise((resolve) => setTimeout(resolve, 10));
    ended.abort();
    await working;
    expect(holder().pid).to.equal(last.pid);
    const found = await tasks(last, id);
    for (const [label, task] of acknowledged)
      expect(found.get(label), `${label}, seed ${random.seed}`).to.deep.equal([task]);
    for (const [label, ids] of found) expect(ids, `${label}, seed ${random.seed}`).to.have.length(1);
  });

  it('uses a running service, and takes over when it ends [D11.mcp-takeover]', async () => {
    service = await startService(scratch.path);
    const window = await open('window');
    const id = await project(window);
    expect((await new RestClient(service.url).get(`/projects/${id}`)).body.name).to.equal('Shared');
    expect(holder().pid).to.equal(service.pid);
    await service.stop();
    await window.get('create_task', { project_id: id, label: 'Goes on' });
    expect(holder().pid).to.equal(window.pid);
    // A service that is started then is refused; the error names the holder.
    const { code, errors } = await runCommand(['serve', '--port', '0'], { cwd: scratch.path });
    expect(code).to.equal(1);
    expect(errors).to.include(holder().url);
  });

  it('reconnects to a service that was killed and is started again [D11.mcp-takeover]', async () => {
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
