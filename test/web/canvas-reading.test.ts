import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTests } from './support/browser.ts';
import { until } from './support/until.ts';

const path = '/projects/:project/canvas';

/** Five tasks with edges of every kind. */
async function plot(rest: RestClient, project: string): Promise<void> {
  const nodes = [
    { id: 'dig', label: 'Dig', x: 40, y: 120 },
    { id: 'sow', label: 'Sow', x: 400, y: 120 },
    { id: 'pick', label: 'Pick', x: 760, y: 120 },
    { id: 'paint', label: 'Paint', x: 40, y: 380 },
    { id: 'sell', label: 'Sell', x: 760, y: 380 },
  ];
  const edges = [
    { id: 'one', from_id: 'dig', to_id: 'sow', label: 'blocks' },
    { id: 'two', from_id: 'pick', to_id: 'sow', label: 'Depends on' },
    { id: 'three', from_id: 'paint', to_id: 'sow', label: 'relates_to' },
    { id: 'four', from_id: 'pick', to_id: 'sell', label: 'informs' },
  ];
  await rest.put(`/projects/${project}/canvas`, { nodes, edges });
}

const node = (page: Page, label: string): Locator => page.locator('.react-flow__node').filter({ hasText: label });
const edge = (page: Page, id: string): Locator => page.locator(`.react-flow__edge[data-id="${id}"]`);

browserTests('Reading the canvas', ({ app }) => {
  it('points from prerequisite to dependent, without labels that say the same [S.web.canvas-arrows, S.web.accessible]', async () => {
    const { page } = await app({ path, prepare: plot });
    await node(page, 'Sell').waitFor();
    const labels = page.locator('.react-flow__edgelabel-renderer');
    await labels.locator('[data-orders]').waitFor();
    expect(await labels.locator('> *').allTextContents()).to.have.members(['relates_to', 'informs (orders the work)']);
    const arrows = async (id: string): Promise<readonly (string | null)[]> => {
      const line = edge(page, id).locator('.react-flow__edge-path');
      return [await line.getAttribute('marker-start'), await line.getAttribute('marker-end')].map(
        (each) => each && 'arrow',
      );
    };
    expect(await arrows('one')).to.deep.equal([null, 'arrow']);
    // Pick depends on Sow: the arrow is at Pick, where the edge begins.
    expect(await arrows('two')).to.deep.equal(['arrow', null]);
    expect(await arrows('four')).to.deep.equal([null, 'arrow']);
    expect(await edge(page, 'two').getAttribute('aria-label')).to.equal('Sow comes before Pick');
    const legend = page.getByRole('list', { name: 'Legend' });
    expect(await legend.innerText()).to.include('from the prerequisite to the task that waits for it');
    expect(await legend.innerText()).to.include('no order of work');
    await expectAccessible(page);
  });

  it('highlights the neighbours of a selected node or edge [S.web.canvas-neighbours, S.web.accessible]', async () => {
    const { page } = await app({ path, prepare: plot });
    const lit = async (what: string): Promise<string[]> =>
      page
        .locator(`.react-flow__${what}.lit`)
        .evaluateAll((found) => found.map((one) => (one as { dataset: { id: string } }).dataset.id).sort());
    const strength = (id: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('.react-flow__edge[data-id="${id}"]')).opacity`);
    await node(page, 'Sow').locator('span', { hasText: 'Sow' }).click();
    await until(async () => (await lit('node')).length > 0);
    expect(await lit('node')).to.deep.equal(['dig', 'paint', 'pick']);
    expect(await lit('edge')).to.deep.equal(['one', 'three', 'two']);
    expect([await strength('one'), await strength('four')]).to.deep.equal(['1', '0.16']);
    await expectAccessible(page);
    await edge(page, 'four').focus();
    await page.keyboard.press('Escape');
    await until(async () => (await lit('node')).length === 0);
    expect(await strength('four')).to.equal('1');
    await edge(page, 'four').focus();
    await page.keyboard.press('Space');
    await until(async () => (await lit('node')).join() === 'pick,sell');
    expect(await lit('edge')).to.deep.equal(['four']);
  });

  it('connects with the node on whose body an edge is dropped [S.web.canvas]', async () => {
    const { page, rest, project } = await app({ path, prepare: plot });
    const edges = async (): Promise<string[]> => {
      const { body } = await rest.get(`/projects/${project}/canvas`);
      const { edges: all } = body as { edges: { from_id: string; to_id: string }[] };
      return all.map(({ from_id, to_id }) => `${from_id} ${to_id}`);
    };
    await node(page, 'Paint').hover();
    const [from, to] = [(await node(page, 'Paint').boundingBox())!, (await node(page, 'Sell').boundingBox())!];
    await page.mouse.move(from.x + from.width, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x - 80, to.y + 10, { steps: 5 });
    // Far from each of the four dots.
    await page.mouse.move(to.x + to.width * 0.27, to.y + to.height / 2, { steps: 5 });
    await page.mouse.up();
    await until(async () => (await edges()).includes('paint sell'));
    expect(await edges()).to.have.length(5);
  });
});
