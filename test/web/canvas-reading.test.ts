import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { canvasPath as path, node, viewAtRest } from './support/canvas.ts';
import { until, untilEqual } from './support/until.ts';

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

const edge = (page: Page, id: string): Locator => page.locator(`.react-flow__edge[data-id="${id}"]`);

browserTestsInOneTab('Reading the canvas', ({ app }) => {
  it('points from prerequisite to dependent, without labels that say the same [S.web.canvas-arrows]', async () => {
    const { page } = await app({ path, prepare: plot });
    await node(page, 'Sell').waitFor();
    const labels = page.locator('.react-flow__edgelabel-renderer');
    await labels.locator('[data-orders]').waitFor();
    await untilEqual(
      async () => (await labels.locator('> *').allTextContents()).sort(),
      ['informs (orders the work)', 'relates_to'],
    );
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
    await legend.getByText('from the prerequisite to the task that waits for it').waitFor();
    await legend.getByText('no order of work').first().waitFor();
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
    await untilEqual(() => lit('node'), ['dig', 'paint', 'pick']);
    await untilEqual(() => lit('edge'), ['one', 'three', 'two']);
    await until(async () => (await strength('one')) === '1' && (await strength('four')) === '0.16');
    await expectAccessible(page);
    await edge(page, 'four').focus();
    await page.keyboard.press('Escape');
    await until(async () => (await lit('node')).length === 0);
    await until(async () => (await strength('four')) === '1');
    await edge(page, 'four').focus();
    await page.keyboard.press('Space');
    await untilEqual(() => lit('node'), ['pick', 'sell']);
    await untilEqual(() => lit('edge'), ['four']);
  });

  rarely('connects with the node on whose body an edge is dropped [S.web.canvas]', async () => {
    const { page, rest, project } = await app({ path, prepare: plot });
    const edges = async (): Promise<string[]> => {
      const { body } = await rest.get(`/projects/${project}/canvas`);
      const { edges: all } = body as { edges: { from_id: string; to_id: string }[] };
      return all.map(({ from_id, to_id }) => `${from_id} ${to_id}`);
    };
    await viewAtRest(page);
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

  it('filters, colours and frames tasks by their fields [S.web.canvas-filter, S.web.accessible]', async () => {
    const { page, rest, project } = await app({
      path,
      prepare: async (client, id) => {
        await plot(client, id);
        for (const [name, tasks] of [
          ['Harvest', ['dig', 'sow', 'pick']],
          ['Money', ['sell', 'paint']],
        ] as const) {
          const { body } = await client.post(`/projects/${id}/goals`, { name, objective: name });
          for (const task of tasks)
            await client.patch(`/tasks/${task}?project_id=${id}`, {
              goal_id: (body as { id: string }).id,
              priority: 'high',
            });
        }
        await client.patch(`/tasks/sell?project_id=${id}`, { priority: 'low', assignee: 'ada' });
      },
    });
    await node(page, 'Sell').waitFor();
    const shown = async (): Promise<string> =>
      (await page.locator('.react-flow__node').allTextContents())
        .map((each) => each.slice(0, 3))
        .sort()
        .join();
    await page.getByRole('button', { name: 'Goal', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Harvest' }).click();
    await page.keyboard.press('Escape');
    await until(async () => (await shown()) === 'Dig,Pic,Sow');
    await until(async () => (await page.locator('.react-flow__edge').count()) === 2);
    await page.getByRole('button', { name: 'Clear' }).click();
    await until(async () => (await shown()) === 'Dig,Pai,Pic,Sel,Sow');
    await page.getByRole('combobox').selectOption('goal');
    await page.getByRole('list', { name: 'Legend' }).getByText('Money').waitFor();
    await page.getByRole('button', { name: 'Frames by goal' }).click();
    await page.locator('[data-goal]').nth(1).waitFor();
    await page.waitForURL(/[?&]frames=goal/);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Arrange automatically' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Arrange' }).click();
    // Afterwards the frames do not overlap.
    await until(async () => {
      const { nodes } = (await rest.get(`/projects/${project}/canvas`)).body as {
        nodes: { id: string; x: number; y: number }[];
      };
      return nodes.find(({ id }) => id === 'sow')!.x !== 400;
    });
    await until(async () => {
      const [a, b] = [
        await page.locator('[data-goal]').first().boundingBox(),
        await page.locator('[data-goal]').nth(1).boundingBox(),
      ];
      return a!.x + a!.width <= b!.x || b!.x + b!.width <= a!.x || a!.y + a!.height <= b!.y || b!.y + b!.height <= a!.y;
    });
  });

  it('has a menu on nodes, edges and the canvas itself, also by keys [S.web.canvas-menu]', async () => {
    const { page, rest, project } = await app({ path, prepare: plot });
    await viewAtRest(page);
    await node(page, 'Sell').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Properties…' }).click();
    await page.getByRole('option', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Done' }).click();
    await until(
      async () => ((await rest.get(`/tasks/sell?project_id=${project}`)).body as { status: string }).status === 'done',
    );
    await node(page, 'Dig').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Open' }).waitFor();
    await page.keyboard.press('Escape');
    // A vertical line has no width, so that it cannot be clicked as an element.
    const [pick, sell] = [(await node(page, 'Pick').boundingBox())!, (await node(page, 'Sell').boundingBox())!];
    const foot = pick.y + pick.height;
    await page.mouse.click(pick.x + pick.width / 2, foot + (sell.y - foot) * 0.25, { button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await edge(page, 'four').waitFor({ state: 'detached' });
    await page.locator('.react-flow__pane').click({ button: 'right', position: { x: 500, y: 560 } });
    await page.getByRole('menuitem', { name: 'New task here…' }).click();
    await page.getByLabel('What is to be done').fill('Rest');
    await page.keyboard.press('Enter');
    await node(page, 'Rest').waitFor();
    await until(async () => {
      const { nodes } = (await rest.get(`/projects/${project}/canvas`)).body as { nodes: { label: string }[] };
      return nodes.some(({ label }) => label === 'Rest');
    });
  });
});
