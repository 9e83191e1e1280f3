import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/chromium.ts';
import { startService } from '../service.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Figure } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, attain, measured, median } from '../measure.ts';
import { seed } from '../plans.ts';

const viewport = { width: 1440, height: 900 };
const firstCardMsMax = 1500;
const waitMsMax = 120_000;

/** The canvas of many tasks from its address on, with saved positions and without, with an empty cache. */
export const firstCanvas: Figure = {
  name: 'first-canvas',
  title: 'The first canvas, in a browser',
  measure: async (bench) => {
    const tasks = bench.quick ? 400 : 5000;
    const browser = await launchBrowser();
    const service = await startService(bench.scratch('first-canvas'));
    try {
      const placed = await seed(service, 'Garden', { tasks });
      const unplaced = await seed(service, 'Park', { tasks });
      await removePositions(service, unplaced.projectId, unplaced.taskIds);
      const at = (id: string): string => `${service.url}/projects/${id}/canvas`;
      const rounds = await alternate(bench.quick ? 1 : 5, {
        placed: () => opened(browser, at(placed.projectId)),
        unplaced: () => opened(browser, at(unplaced.projectId)),
      });
      const row = (which: keyof typeof rounds, what: string): ReturnType<typeof attain> => {
        const cards = measured(
          `canvas of ${tasks} tasks ${what}: from the address to the first card`,
          'ms',
          rounds[which].map(({ cardMs }) => cardMs),
        );
        const laidOut = Math.round(median(rounds[which].map(({ laidOutMs }) => laidOutMs)));
        return attain(cards, { atMost: firstCardMsMax }, undefined, { laid_out_ms: laidOut });
      };
      return [row('placed', 'with positions'), row('unplaced', 'without positions')];
    } finally {
      await browser.close();
      await service.stop();
    }
  },
};

/** The origin is no position. */
async function removePositions(service: ServerProcess, projectId: string, ids: readonly string[]): Promise<void> {
  const client = new HttpClient(service.url);
  await client.json('PUT', `/projects/${projectId}/canvas`, { nodes: ids.map((id) => ({ id, x: 0, y: 0 })) });
  client.close();
}

/** Milliseconds from the address until a card is visible, and until no layout is in progress. */
async function opened(browser: Browser, url: string): Promise<{ readonly cardMs: number; readonly laidOutMs: number }> {
  const context = await browser.newContext({ viewport });
  const view = await context.newPage();
  // A machine that is busy with other work is slow, not broken.
  view.setDefaultTimeout(waitMsMax);
  const began = performance.now();
  await view.goto(url, { waitUntil: 'commit' });
  await view.locator('.react-flow__node').first().waitFor();
  const cardMs = performance.now() - began;
  // The layout begins when the order of work is there.
  await view.getByText(/ready to begin$/).waitFor();
  await view.waitForTimeout(500);
  await view.getByText(/^Arranging/).waitFor({ state: 'detached' });
  const laidOutMs = performance.now() - began;
  await context.close();
  return { cardMs, laidOutMs };
}
