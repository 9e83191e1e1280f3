import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTests } from './support/browser.ts';

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
});
