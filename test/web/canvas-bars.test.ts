import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { canvasPath as path } from './support/canvas.ts';
import { until, untilEqual } from './support/until.ts';

/** Columns of tasks, each before the one on its right. */
async function rows(rest: RestClient, project: string, columns: number, count: number): Promise<void> {
  await rest.put(`/projects/${project}/canvas`, {
    nodes: Array.from({ length: columns * count }, (_, at) => ({
      id: `t${at}`,
      label: `Task ${at}`,
      x: 40 + Math.floor(at / count) * 290,
      y: 40 + (at % count) * 90,
    })),
    edges: Array.from({ length: (columns - 1) * count }, (_, at) => ({ from_id: `t${at}`, to_id: `t${at + count}` })),
  });
}

/** The bars of the canvas that overlap. */
const overlapping = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const bars = [...document.querySelectorAll('.react-flow__panel > *')]
      .map((bar) => [bar.getAttribute('aria-label') ?? bar.textContent, bar.getBoundingClientRect()])
      .filter(([, { width }]) => width > 0);
    return bars.flatMap(([one, a], at) => bars.slice(at + 1).flatMap(([other, b]) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom ? [one + ' over ' + other] : []));
  })()`);

browserTestsInOneTab('The bars of the canvas', ({ app }) => {
  it('do not cover each other, say without a pointer the meaning of their numbers, and keep no tooltip after a dialog [S.web.canvas-bars, S.web.phone, S.web.accessible]', async () => {
    const { page } = await app({ path, prepare: (rest, project) => rows(rest, project, 3, 4) });
    await page.locator('.react-flow__node').nth(11).waitFor();
    await page.getByRole('toolbar', { name: 'Filters and colours' }).waitFor();
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await untilEqual(() => overlapping(page), []);
      await page.getByRole('button', { name: 'New task' }).first().click({ trial: true });
      await page.getByRole('button', { name: 'Frames by goal' }).click({ trial: true });
    }
    await page.getByRole('button', { name: '4 ready to begin' }).waitFor();
    await page.getByRole('button', { name: 'Longest chain: 3 tasks' }).waitFor();
    const tip = page.getByRole('tooltip');
    for (const answer of ['Cancel', 'Arrange']) {
      await page.getByRole('button', { name: 'Arrange automatically' }).click();
      await page.getByRole('dialog').getByRole('button', { name: answer }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.mouse.move(700, 600);
      // A tooltip is there after 400 ms.
      await page.waitForTimeout(700);
      expect(await tip.allTextContents(), answer).to.deep.equal([]);
    }
    // With the keys it is shown.
    await page.getByRole('button', { name: 'Find a node' }).focus();
    await page.keyboard.press('Tab');
    await tip.filter({ hasText: 'Arrange automatically' }).waitFor();
    await expectAccessible(page, ['[role=tooltip]', '.react-flow__panel']);
  });
});

browserTestsInOneTab('The map of the canvas', ({ app }) => {
  it('distinguishes 2,000 cards, and shows where work can begin [S.web.canvas-map]', async () => {
    const { page } = await app({ path, prepare: (rest, project) => rows(rest, project, 40, 50) });
    const map = page.getByRole('img', { name: 'Map of the whole canvas' });
    await map.waitFor();
    await page.getByRole('button', { name: '50 ready to begin' }).waitFor();
    const picture = (await map.screenshot()).toString('base64');
    // The shares of pixels with strong colours, and in the gaps between cards.
    const shares = await page.evaluate<{ strong: number; gaps: number }>(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${picture}';
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let [strong, gaps] = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = data.slice(at, at + 3);
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 80) strong++;
        if (Math.min(red, green, blue) > 220) gaps++;
      }
      return { strong: strong / data.length * 4, gaps: gaps / data.length * 4 };
    })()`);
    expect(shares.strong).to.be.above(0.01);
    expect(shares.gaps).to.be.above(0.3);
    // A press shows that part of the canvas.
    const { x, y, width, height } = (await map.boundingBox())!;
    await page.mouse.click(x + width - 12, y + height / 2 + 44);
    await page.locator('.react-flow__node[data-id="t1999"]').waitFor();
    const zoom = (): Promise<number> =>
      page.evaluate<number>(
        `new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a`,
      );
    const before = await zoom();
    await page.mouse.wheel(0, -100);
    await until(async () => (await zoom()) > before);
  });
});
