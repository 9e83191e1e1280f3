import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { RestClient } from '../support/rest-client.ts';
import { startService } from '../support/server-process.ts';
import type { BrowserTests } from './support/browser.ts';
import { StreamProxy } from './support/stream-proxy.ts';
import { until, untilEqual } from './support/until.ts';
import { untilUpdates } from './support/visit.ts';

/** No card is out of view, and so not drawn. */
export const tall = { width: 1280, height: 4000 };

/** The tasks of the board. */
export const tasksOn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-task]')].map((card) => card.dataset.task).sort()`);

/** The tasks of the service. */
export async function tasksAt(rest: RestClient, project: string): Promise<string[]> {
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: { id: string }[] };
  return tasks.map(({ id }) => id).sort();
}

/**
 * Kills the service behind a page as often as `rounds` says, while others write: the page shows acknowledged changes.
 */
export async function killedWhileOthersWrite(app: BrowserTests['app'], rounds: number): Promise<void> {
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
    for (let round = 0; round < rounds; round++) {
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
}
