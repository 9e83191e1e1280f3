import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until } from './support/until.ts';
import { visit, showOnly } from './support/visit.ts';

const viewport = { width: 390, height: 844 };
/** The edge, in pixels from the left. */
const edge = 372;

async function fill(rest: RestClient, project: string): Promise<void> {
  const code = '```\n' + 'abcdefghij'.repeat(6) + '\n```';
  const long = {
    assignee: 'Ada Lovelace-Byron of the garden',
    due_date: '2030-12-03',
    priority: 'high',
    tags: ['soil'],
  };
  await rest.post(`/projects/${project}/tasks`, { label: 'Dig', status: 'scope', description: code, ...long });
  for (const label of ['Sow the long bed behind the shed before the first rain', 'Weed'])
    await rest.post(`/projects/${project}/tasks`, { label, status: 'in_progress', ...long });
  await rest.post(`/projects/${project}/documents`, { title: 'Watering', body: code });
}

async function statusOf(rest: RestClient, project: string, label: string): Promise<string> {
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
  return tasks.find((task: { label: string }) => task.label === label).status as string;
}

/** Targets smaller than 24 pixels, apart from links in a sentence. */
const smallTargets = `[...document.querySelectorAll('a[href], button, input, select, textarea, [role=checkbox], [role=tab]')]
  .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .map((each) => [each, (each.closest('label') ?? each).getBoundingClientRect()])
  .filter(([each, { width, height }]) => width > 1 && (width < 24 || height < 24) && !each.disabled)
  .filter(([each]) => getComputedStyle(each).display !== 'inline' && !each.matches('.skip-link'))
  .map(([each, { width, height }]) => each.outerHTML.slice(0, 90) + ' ' + Math.round(width) + 'x' + Math.round(height))`;

browserTestsInOneTab('On a phone', ({ app }) => {
  it('no view and no task is wider than the screen, and targets have 24 pixels [S.web.phone]', async () => {
    const { page, address } = await app({ path: '/projects/:project/board', viewport, touch: true, prepare: fill });
    const small: unknown[] = [];
    for (const path of ['', '/board', '/list', '/goals', '/documents', '/inbox', '/agents', '/settings']) {
      await showOnly(page, address(`/projects/:project${path}`));
      await page.locator('main h1, main h2, main [role=grid]').first().waitFor({ state: 'attached' });
      await until(async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0);
      expect(await page.evaluate(`document.documentElement.scrollWidth`), path).to.equal(viewport.width);
      small.push(...(await page.evaluate<string[]>(smallTargets)).map((target) => `${path}: ${target}`));
    }
    expect(small).to.deep.equal([]);
    await visit(page, address('/projects/:project/board'));
    await page.getByRole('button', { name: /^Dig/ }).click();
    const panel = page.getByRole('dialog', { name: 'Dig' });
    await panel.getByText('abcdefghij').waitFor();
    expect((await panel.boundingBox())!.width).to.be.at.most(viewport.width);
    const wide = `[...document.querySelectorAll('[role=dialog] *')].filter((each) => each.getBoundingClientRect().right > ${viewport.width} && each.closest('pre') === null).length`;
    expect(await page.evaluate(wide)).to.equal(0);
    expect(await page.evaluate(smallTargets)).to.deep.equal([]);
  });

  it('rows of the list have the height of their contents [S.web.phone]', async () => {
    const { page } = await app({ path: '/projects/:project/list', viewport, touch: true, prepare: fill });
    await page.getByText('Weed').waitFor();
    const overlaps = `(() => {
      const rows = [...document.querySelectorAll('[role=row][data-task]')]
        .map((row) => [row.getBoundingClientRect(), ...[...row.children].map((cell) => cell.getBoundingClientRect())])
        .sort(([a], [b]) => a.top - b.top);
      return rows.filter(([row, ...cells], at) =>
        cells.some(({ bottom }) => bottom > row.bottom + 0.5) || row.bottom > (rows[at + 1]?.[0].top ?? Infinity) + 0.5).length;
    })()`;
    await until(async () => (await page.evaluate(overlaps)) === 0);
    expect(await page.locator('[role=row][data-task]').count()).to.equal(3);
  });

  it('cards are moved by a long press and by their status, and tasks are made in every view [S.web.phone]', async () => {
    const { page, rest, project } = await app({
      path: '/projects/:project/board',
      viewport,
      touch: true,
      prepare: fill,
    });
    const card = page.getByRole('button', { name: /^Dig/ });
    await card.waitFor();
    await dragTo(page, page.locator('section[data-status=todo]'), card);
    await until(async () => (await statusOf(rest, project, 'Dig')) === 'todo');
    await page.getByRole('button', { name: 'Status of Dig: To do' }).click();
    await page.getByRole('option', { name: 'Done' }).click();
    await until(async () => (await statusOf(rest, project, 'Dig')) === 'done');
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('link', { name: 'List' }).click();
    await page.getByRole('button', { name: 'Create a task' }).click();
    await page.getByLabel('New task').fill('Prune');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Prune' }).waitFor();
  });
});

/** A finger that rests until the card is lifted, goes to the edge until the board has scrolled, and then onto the column. */
async function dragTo(page: Page, column: Locator, card: Locator): Promise<void> {
  const touch = await page.context().newCDPSession(page);
  const from = (await card.boundingBox())!;
  const at = { x: from.x + from.width / 3, y: from.y + from.height / 3 };
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
  // The lifted card is a second one.
  await page.getByText('Dig', { exact: true }).nth(1).waitFor();
  for (let step = 1; step <= 5; step++) {
    const point = { x: at.x + ((edge - at.x) * step) / 5, y: at.y + ((400 - at.y) * step) / 5 };
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  // The board scrolls while the finger is near an edge, and measures its columns after some of the moves.
  for (let last = edge, move = 0; ; move++) {
    const { x, width } = (await column.boundingBox())!;
    const middle = x + width / 2;
    const isInside = middle > viewport.width / 4 && middle < (viewport.width * 3) / 4;
    const isOver = /over/.test((await column.getAttribute('class')) ?? '');
    if (isInside && isOver && Math.abs(middle - last) < width / 4) break;
    last = isInside ? middle : middle < viewport.width / 2 ? viewport.width - edge : edge;
    const point = { x: last - (move % 2), y: 400 };
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
