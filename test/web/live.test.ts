import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { changesByView, plant } from '../support/changes-by-view.ts';
import { RestClient } from '../support/rest-client.ts';
import { startService } from '../support/server-process.ts';
import { browserTests } from './support/browser.ts';
import { StreamProxy } from './support/stream-proxy.ts';
import { until, untilEqual } from './support/until.ts';
import { untilUpdates, visit } from './support/visit.ts';

/** The reads that a page sends from now on, but for the stream itself. */
function readsOf(page: Page): Request[] {
  const reads: Request[] = [];
  page.on('request', (request) => {
    const isRead = request.method() === 'GET' && request.url().includes('/api/v1/');
    if (isRead && !/\/events\b/.test(request.url())) reads.push(request);
  });
  return reads;
}

/** Whether a request is for what changed only. */
async function isConditional(request: Request): Promise<boolean> {
  return request.url().includes('since=') || (await request.headerValue('if-none-match')) !== null;
}

/** No card is out of view, and so not drawn. */
const tall = { width: 1280, height: 4000 };

/** The tasks of the board. */
const tasksOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-task]')].map((card) => card.dataset.task).sort()`);

/** The tasks of the service. */
async function tasksAt(rest: RestClient, project: string): Promise<string[]> {
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: { id: string }[] };
  return tasks.map(({ id }) => id).sort();
}

/** A record's file as a merge left it. */
const conflicting = (text: string): string => text.replace(/^(?=(?:title|label):)/m, '<<<<<<< a\n=======\n>>>>>>> b\n');

/** Resolves when all connections of a browser that streams may occupy are taken. */
const holdLocks = `Promise.all([0, 1, 2].map((slot) => new Promise((resolve) => {
  navigator.locks.request('planner-stream-' + slot, () => (resolve(), new Promise(() => undefined)));
})))`;

/**
 * More than the interval of the polls. Together with what passes by itself, less than the time after which a stream counts
 * as silent: no keep-alive arrives in time that was skipped.
 */
const somePollsMs = 6000;
const settledMs = 1000;

browserTests('The page', ({ app }) => {
  it('shows what others change on every view, by one stream, and requests only that [S.web.live, S.web.stream]', async () => {
    const { page, rest, project, service, root, address } = await app({ path: '/' });
    const planted = await plant(rest, project);
    await untilUpdates(page, 'streamed');
    await page.getByRole('link', { name: 'Garden' }).first().waitFor();
    await rest.post('/projects', { name: 'Orchard' });
    await page.getByRole('link', { name: 'Orchard' }).first().waitFor();
    const reads = readsOf(page);
    for (const { view, path, change } of changesByView) {
      await visit(page, `/projects/${project}${path(planted)}`);
      await page.getByRole('main').waitFor();
      await untilUpdates(page, 'streamed');
      const text = `others-${view}`;
      await change(planted, text);
      await page.getByText(text).first().waitFor();
    }
    // An agent, and a person with an editor.
    await visit(page, address('/projects/:project/agents'));
    const agent = await service.mcp();
    await agent.call('claim_task', { task_id: planted.task, agent_ref: 'builder' });
    await page.getByRole('heading', { name: 'builder' }).waitFor();
    await visit(page, address('/projects/:project/problems'));
    await page.getByRole('heading', { name: 'Problems', level: 1 }).waitFor();
    await rest.post('/flush', {});
    const { path: file } = (await rest.get(`/projects/${project}/records/${planted.note}/file`)).body;
    writeFileSync(join(root, file), conflicting(readFileSync(join(root, file), 'utf8')));
    await page.getByText(file).first().waitFor();
    const repeated = reads.filter((request) => !request.url().includes('/search'));
    const whole = [];
    const seen = new Set<string>();
    for (const request of repeated) {
      const url = request.url().replace(/[?&]since=[^&]*/, '');
      if (seen.has(url) && !(await isConditional(request))) whole.push(request.url());
      seen.add(url);
    }
    expect(whole, 'requested in full again').to.deep.equal([]);
  });

  it('sends nothing while nothing changes, and its own changes are requested once [S.web.stream]', async () => {
    const { page, rest, project, address } = await app({ path: '/icon.svg' });
    await plant(rest, project);
    await page.clock.install();
    await page.goto(address('/projects/:project/board'));
    await page.getByRole('button', { name: /^Dig/ }).waitFor();
    await untilUpdates(page, 'streamed');
    await page.clock.fastForward(settledMs);
    const reads = readsOf(page);
    await page.clock.fastForward(somePollsMs);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 0))');
    expect(reads.map((request) => request.url())).to.deep.equal([]);
    await page.getByRole('button', { name: /^Dig/ }).focus();
    await page.keyboard.press('Control+ArrowRight');
    await until(async () => (await rest.get(`/projects/${project}/tasks`)).body.tasks[0].status === 'in_progress');
    const lists = (): Request[] => reads.filter((request) => request.url().includes('/tasks?'));
    await untilEqual(async () => lists().length, 1);
    // A task that is made before this answer is in it.
    await (await lists()[0]!.response())!.finished();
    await rest.post(`/projects/${project}/tasks`, { label: 'Sow' });
    await page.getByRole('button', { name: /^Sow/ }).waitFor();
    expect(lists()).to.have.length(2);
  });

  it('shows the reason of a rejected change for longer than a glance [S.web.refused]', async () => {
    const { page, rest, project, root, address } = await app({ path: '/icon.svg' });
    const { task } = await plant(rest, project);
    await rest.post('/flush', {});
    const { path: file } = (await rest.get(`/projects/${project}/records/${task}/file`)).body;
    writeFileSync(join(root, file), conflicting(readFileSync(join(root, file), 'utf8')));
    await page.clock.install();
    await page.goto(address('/projects/:project/board'));
    await page.getByRole('button', { name: /^Dig/ }).focus();
    await page.keyboard.press('Control+ArrowRight');
    const reason = page.getByText(file).last();
    await reason.waitFor();
    await page.clock.fastForward(15_000);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
    await reason.waitFor();
    await page.clock.fastForward(10_000);
    await reason.waitFor({ state: 'detached' });
  });

  it('polls by tags where streams are refused or held back, and follows when they pass [S.web.stream-fallback, S.web.stream-resume]', async () => {
    const { page, rest, project, service } = await app({ path: '/icon.svg', viewport: tall });
    const proxy = await StreamProxy.start(service.url);
    try {
      const add = async (label: string): Promise<void> => {
        const { body } = await rest.post(`/projects/${project}/tasks`, { label });
        await page.locator(`[data-task="${String(body.id)}"]`).waitFor();
      };
      await page.clock.install();
      for (const mode of ['refuse', 'hold'] as const) {
        proxy.mode = mode;
        await page.goto(`${proxy.url}/projects/${project}/board`);
        await add(`Polled while proxies ${mode}`);
        expect(await page.locator('html[data-updates="streamed"]').count()).to.equal(0);
        expect(proxy.streams).to.be.greaterThan(0);
        proxy.mode = 'pass';
        // A stream that is held back is noticed after five seconds; the next attempt is not sooner than after as many.
        await page.clock.fastForward(6000);
        await page.clock.fastForward(15_000);
        await untilUpdates(page, 'streamed');
        await add(`Streamed after ${mode}`);
      }
      // Three tabs have streams: requests of this one have a connection.
      const tabs = await page.context().newPage();
      await tabs.goto(`${proxy.url}/icon.svg`);
      await page.goto('about:blank');
      await tabs.evaluate(holdLocks);
      await page.goto(`${proxy.url}/projects/${project}/board`);
      await add('Polled beside other tabs');
      expect(await page.locator('html[data-updates="streamed"]').count()).to.equal(0);
      await tabs.close();
      await untilUpdates(page, 'streamed');
      // From now on nothing comes from the stream: it is taken for lost after the interval of the keep-alives.
      proxy.stall();
      await page.clock.fastForward(21_000);
      await untilUpdates(page, 'polled');
      await untilUpdates(page, 'streamed');
      await add('Streamed after silence');
      const missed = await rest.post(`/projects/${project}/tasks`, { label: 'While nobody listened' });
      expect(missed.status).to.equal(201);
      proxy.cut();
      await untilEqual(() => tasksOn(page), await tasksAt(rest, project));
    } finally {
      await page.goto('about:blank');
      await proxy.stop();
    }
  });

  it('misses no change when the service is killed while others write [S.web.stream-resume]', async () => {
    const { page, root } = await app({ path: '/icon.svg', viewport: tall });
    const directory = join(root, 'killed');
    mkdirSync(directory);
    let server = await startService(directory);
    const proxy = await StreamProxy.start(server.url);
    const rest = new RestClient(proxy.url);
    const acknowledged: string[] = [];
    const write = async (count: number): Promise<void> => {
      for (let written = 0; written < count;) {
        const label = `Task ${acknowledged.length}`;
        const answer = await rest.post(`/projects/${project}/tasks`, { label }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(String((answer.body as { id: string }).id));
        if (answer?.status === 201) written++;
        else await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const project = String((await rest.post('/projects', { name: 'Garden' })).body.id);
    try {
      await page.goto(`${proxy.url}/projects/${project}/board`);
      await untilUpdates(page, 'streamed');
      for (let round = 0; round < 2; round++) {
        const writing = Promise.all([write(6), write(6)]);
        await until(async () => acknowledged.length >= 12 * round + 4);
        await server.kill();
        server = await startService(directory);
        proxy.target = server.url;
        await writing;
        await untilEqual(() => tasksOn(page), await tasksAt(rest, project));
        await untilUpdates(page, 'streamed');
      }
      const shown = await tasksOn(page);
      expect(acknowledged.filter((id) => !shown.includes(id))).to.deep.equal([]);
      const { body } = await rest.post(`/projects/${project}/tasks`, { label: 'The last one' });
      await page.locator(`[data-task="${String(body.id)}"]`).waitFor();
    } finally {
      await page.goto('about:blank');
      await proxy.stop();
      await server.stop();
    }
  });
});
