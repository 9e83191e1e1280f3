import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../support/chromium.ts';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { alternate, compare, measured, percentile } from '../measure.ts';
import { seed } from '../plans.ts';

const viewport = { width: 1440, height: 900 };
/** The frame interval that counts as fluid: twenty frames a second, without a graphics card. */
const fluidMs = 50;

/** A canvas that is panned, zoomed and edited: the time between frames. */
export const canvas: Figure = {
  name: 'canvas',
  title: 'The canvas, in a browser',
  measure: async (bench) => {
    const browser = await launchBrowser();
    const service = await startService(bench.scratch('canvas'));
    try {
      const small = await seed(service, 'Garden', { tasks: 40 });
      const large = await seed(service, 'Park', { tasks: bench.quick ? 400 : 2000 });
      const at = (id: string): string => `${service.url}/projects/${id}/canvas`;
      const rounds = await alternate(bench.quick ? 1 : 5, {
        small: () => frames(browser, at(small.projectId)),
        large: () => frames(browser, at(large.projectId)),
      });
      const row = (what: string, share: number): ReturnType<typeof compare> => {
        const p = (all: readonly number[][]): number[] => all.map((one) => percentile(one, share));
        const of = measured(
          `canvas of ${bench.quick ? 400 : 2000} nodes: from frame to frame, ${what}`,
          'ms',
          p(rounds.large),
        );
        const beside = compare(of, measured(`of 40 nodes, ${what}`, 'ms', p(rounds.small)));
        return { ...beside, ofTime: { atMost: fluidMs } };
      };
      return [row('p50', 0.5), row('p95', 0.95)];
    } finally {
      await browser.close();
      await service.stop();
    }
  },
};

const record = `
  window.frames = [];
  let last = 0;
  const next = (now) => {
    if (last > 0) window.frames.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
`;

/** One script does all steps, because nodes that leave the viewport are removed from the page. */
const centreOfANode = `(() => {
  const { x, y, width, height } = document.querySelector('.react-flow__node').getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
})()`;

/** Milliseconds between the frames while a user pans, zooms out, zooms in again and moves a task. */
async function frames(browser: Browser, url: string): Promise<number[]> {
  const context = await browser.newContext({ viewport });
  const view = await context.newPage();
  await view.goto(url);
  await view.locator('.react-flow__node').first().waitFor();
  await view.waitForTimeout(1500);
  await view.evaluate(record);
  const middle = { x: 800, y: 500 };
  await view.mouse.move(middle.x, middle.y);
  await pan(view, middle);
  for (let step = 0; step < 8; step++) await view.mouse.wheel(0, 240);
  await pan(view, middle);
  for (let step = 0; step < 8; step++) await view.mouse.wheel(0, -240);
  await view.waitForTimeout(300);
  await view.getByRole('button', { name: 'Show everything' }).click();
  await view.waitForTimeout(300);
  const node = await view.evaluate<{ readonly x: number; readonly y: number }>(centreOfANode);
  await view.mouse.move(node.x, node.y);
  await view.mouse.down();
  await view.mouse.move(middle.x, middle.y, { steps: 40 });
  await view.mouse.up();
  const durations = await view.evaluate<number[]>('window.frames');
  await context.close();
  return durations;
}

/** Drags the background, where no node is under the pointer. */
async function pan(view: Page, { x, y }: { readonly x: number; readonly y: number }): Promise<void> {
  await view.mouse.move(x, y);
  await view.mouse.down({ button: 'middle' });
  await view.mouse.move(x - 400, y - 250, { steps: 40 });
  await view.mouse.move(x, y, { steps: 40 });
  await view.mouse.up({ button: 'middle' });
}
