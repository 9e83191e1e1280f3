import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { drag } from './support/canvas.ts';
import { until } from './support/until.ts';

const path = '/projects/:project/canvas?at=0,0,1';

/** Three tasks without edges. */
const three = (rest: RestClient, project: string): Promise<unknown> =>
  rest.put(`/projects/${project}/canvas`, {
    nodes: [
      { id: 'dig', label: 'Dig', x: 60, y: 160 },
      { id: 'sow', label: 'Sow', x: 560, y: 300 },
      { id: 'pick', label: 'Pick', x: 60, y: 440 },
    ],
    edges: [],
  });

interface Plan {
  readonly nodes: readonly { readonly id: string; readonly x: number; readonly y: number }[];
  readonly edges: readonly { readonly from_id: string; readonly to_id: string }[];
}

const planOf = async (rest: RestClient, project: string): Promise<Plan> =>
  (await rest.get(`/projects/${project}/canvas`)).body as Plan;
const edgesOf = async (rest: RestClient, project: string): Promise<string> =>
  (await planOf(rest, project)).edges
    .map(({ from_id, to_id }) => `${from_id} ${to_id}`)
    .sort()
    .join();

/** A point of a card, by shares of its width and height. */
async function pointOf(page: Page, id: string, share: number, down: number): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await page.locator(`.react-flow__node[data-id="${id}"]`).boundingBox())!;
  return { x: x + width * share, y: y + height * down };
}

browserTestsInOneTab('Drawing edges', ({ app }) => {
  it('begins at any point of the border of a card and ends anywhere on another card [S.web.canvas-draw]', async () => {
    const { page, rest, project } = await app({ path, prepare: three });
    await page.locator('.react-flow__node').nth(2).waitFor();
    // Far from each of the four dots.
    const border = await pointOf(page, 'dig', 0.2, 1);
    await drag(page, { x: border.x, y: border.y - 2 }, await pointOf(page, 'sow', 0.3, 0.4));
    await until(async () => (await edgesOf(rest, project)) === 'dig sow');
    // Within the border a card is moved, as before.
    const inside = await pointOf(page, 'pick', 0.7, 0.55);
    await drag(page, inside, { x: inside.x + 80, y: inside.y + 60 });
    await until(async () => (await planOf(rest, project)).nodes.some(({ id, x }) => id === 'pick' && x > 100));
    expect(await edgesOf(rest, project)).to.equal('dig sow');
    // A press on the border selects the card, and does not begin an edge.
    for (const id of ['pick', 'dig']) {
      const { x, y } = await pointOf(page, id, 0.2, 1);
      await page.mouse.click(x, y - 2);
      await page.locator(`.react-flow__node.selected[data-id="${id}"]`).waitFor();
    }
    expect(await edgesOf(rest, project)).to.equal('dig sow');
  });

  rarely(
    'begins anywhere on a card after L, by dragging or by two clicks, until Esc [S.web.canvas-draw, S.web.accessible]',
    async () => {
      const { page, rest, project } = await app({ path, prepare: three });
      await page.locator('.react-flow__node').nth(2).waitFor();
      await page.keyboard.press('l');
      await page.getByRole('status').filter({ hasText: 'Drag from one card to another' }).waitFor();
      await page.getByRole('button', { name: 'Draw edges', pressed: true }).waitFor();
      await drag(page, await pointOf(page, 'dig', 0.4, 0.5), await pointOf(page, 'sow', 0.5, 0.5));
      await until(async () => (await edgesOf(rest, project)) === 'dig sow');
      for (const [id, share] of [
        ['sow', 0.6],
        ['pick', 0.4],
      ] as const) {
        const { x, y } = await pointOf(page, id, share, 0.5);
        await page.mouse.click(x, y);
      }
      await until(async () => (await edgesOf(rest, project)) === 'dig sow,sow pick');
      expect((await planOf(rest, project)).nodes.map(({ x, y }) => `${x} ${y}`)).to.have.members([
        '60 160',
        '560 300',
        '60 440',
      ]);
      await expectAccessible(page, ['[role=status]', '.react-flow__panel']);
      // A first card that was clicked is not remembered over the end.
      const dig = await pointOf(page, 'dig', 0.4, 0.5);
      await page.mouse.click(dig.x, dig.y);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Draw edges', pressed: false }).waitFor();
      await drag(page, dig, { x: dig.x + 60, y: dig.y });
      await until(async () => (await planOf(rest, project)).nodes.some(({ id, x }) => id === 'dig' && x > 100));
      await page.getByRole('button', { name: 'Draw edges' }).click();
      const pick = await pointOf(page, 'pick', 0.4, 0.5);
      await page.mouse.click(pick.x, pick.y);
      const again = await pointOf(page, 'dig', 0.4, 0.5);
      await page.mouse.click(again.x, again.y);
      await until(async () => (await edgesOf(rest, project)).includes('pick dig'));
      expect(await edgesOf(rest, project)).to.equal('dig sow,pick dig,sow pick');
    },
  );
});
