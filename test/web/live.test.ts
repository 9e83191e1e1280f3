import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Request } from 'playwright-core';
import { changesByView, plant } from '../support/changes-by-view.ts';
import { rarely } from '../support/rarely.ts';
import { tall, tasksAt, tasksOn } from './killed-service.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { StreamProxy } from './support/stream-proxy.ts';
import { untilEqual } from './support/until.ts';
import { untilUpdates, visit } from './support/visit.ts';

/** Returns whether a request asks for changes only. */
async function isConditional(request: Request): Promise<boolean> {
  return request.url().includes('since=') || (await request.headerValue('if-none-match')) !== null;
}

/** A record's file as a merge left it. */
const conflicting = (text: string): string => text.replace(/^(?=(?:title|label):)/m, '<<<<<<< a\n=======\n>>>>>>> b\n');

/** Resolves when all connections of a browser that streams may occupy are taken. */
const holdLocks = `Promise.all([0, 1, 2].map((slot) => new Promise((resolve) => {
  navigator.locks.request('planner-stream-' + slot, () => (resolve(), new Promise(() => undefined)));
})))`;

/**
 * More than the interval of the polls. Together with the passing time, less than the time after which a stream counts
 * as silent: no keep-alive arrives in time that was skipped.
 */
const somePollsMs = 6000;
const settledMs = 1000;

browserTestsInOneTab('The page', ({ app }) => {
  it('shows changes of others on every view, by one stream, and requests only that [S.web.live, S.web.stream]', async () => {
    const { page, rest, project, service, root, address, traffic } = await app({ path: '/' });
    const planted = await plant(rest, project);
    await untilUpdates(page, 'streamed');
    await page.getByRole('link', { name: 'Garden' }).first().waitFor();
    await rest.post('/projects', { name: 'Orchard' });
    await page.getByRole('link', { name: 'Orchard' }).first().waitFor();
    traffic.requests.length = 0;
    for (const { view, path, change } of changesByView) {
      await visit(page, `/projects/${project}${path(planted)}`);
      await page.getByRole('main').waitFor();
      await untilUpdates(page, 'streamed');
      // The view has all former changes: later ones come by the stream.
      await traffic.settled();
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
    await service.store.rescan();
    await page.getByText(file).first().waitFor();
    const repeated = traffic.reads.filter((request) => !request.url().includes('/search'));
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
    const { page, rest, project, service, traffic } = await app({ path: '/icon.svg', own: 'tab' });
    await plant(rest, project);
    const proxy = await StreamProxy.start(service.url);
    try {
      await page.clock.install();
      await page.goto(`${proxy.url}/projects/${project}/board`);
      await page.getByRole('button', { name: /^Dig/ }).waitFor();
      await untilUpdates(page, 'streamed');
      await traffic.settled();
      await page.clock.fastForward(settledMs);
      await traffic.settled();
      traffic.requests.length = 0;
      await page.clock.fastForward(somePollsMs);
      await traffic.settled();
      expect(traffic.requests.map((request) => request.url())).to.deep.equal([]);
      // The event of the change arrives after the page has requested its result.
      proxy.stall();
      const changed = page.waitForResponse((response) => response.url().includes('/tasks?'));
      await page.getByRole('button', { name: /^Dig/ }).focus();
      await page.keyboard.press('Control+ArrowRight');
      await changed;
      await traffic.settled();
      proxy.resume();
      await rest.post(`/projects/${project}/tasks`, { label: 'Sow' });
      await page.getByRole('button', { name: /^Sow/ }).waitFor();
      await traffic.settled();
      expect((await rest.get(`/projects/${project}/tasks`)).body.tasks[0].status).to.equal('in_progress');
      const lists = traffic.reads.filter((request) => request.url().includes('/tasks?'));
      expect(lists).to.have.length(2);
    } finally {
      await page.goto('about:blank');
      await proxy.stop();
    }
  });

  rarely('shows the reason of a rejected change for longer than a glance [S.web.refused]', async () => {
    const { page, rest, project, root, service, address } = await app({ path: '/icon.svg', own: 'tab' });
    const { task } = await plant(rest, project);
    await rest.post('/flush', {});
    const { path: file } = (await rest.get(`/projects/${project}/records/${task}/file`)).body;
    writeFileSync(join(root, file), conflicting(readFileSync(join(root, file), 'utf8')));
    // The service knows of the markers before it gets the change.
    await service.store.rescan();
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

  const pollAndFollow = async (modes: readonly ('refuse' | 'hold')[]): Promise<void> => {
    const { page, rest, project, service, traffic } = await app({
      ...{ path: '/icon.svg', viewport: tall },
      own: 'tab',
    });
    const proxy = await StreamProxy.start(service.url);
    try {
      const add = async (label: string): Promise<void> => {
        const { body } = await rest.post(`/projects/${project}/tasks`, { label });
        await page.locator(`[data-task="${String(body.id)}"]`).waitFor();
      };
      await page.clock.install();
      for (const mode of modes) {
        proxy.mode = mode;
        const requested = proxy.nextStream();
        await page.goto(`${proxy.url}/projects/${project}/board`);
        await requested;
        // The board has all former changes: later ones come by a poll.
        await traffic.settled();
        await add(`Polled while proxies ${mode}`);
        expect(await page.locator('html[data-updates="streamed"]').count()).to.equal(0);
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
      await traffic.settled();
      await add('Polled beside other tabs');
      expect(await page.locator('html[data-updates="streamed"]').count()).to.equal(0);
      await tabs.close();
      await untilUpdates(page, 'streamed');
      // From now on nothing comes from the stream: it is taken for lost after the interval of the keep-alives.
      proxy.stall();
      const again = proxy.nextStream();
      await page.clock.fastForward(21_000);
      await again;
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
  };

  it('polls by tags where streams are held back, and follows when they pass [S.web.stream-fallback, S.web.stream-resume]', () =>
    pollAndFollow(['hold']));

  rarely('polls by tags where streams are refused and then held back [S.web.stream-fallback]', () =>
    pollAndFollow(['refuse', 'hold']),
  );
});
