import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { drawnSince } from './support/drawn.ts';
import { chooseInPicker } from './support/pick.ts';
import { until, untilEqual, untilFocusIn } from './support/until.ts';
import { showOnly, untilUpdates, visit } from './support/visit.ts';

const path = '/projects/:project/list';

const plan = [
  { label: 'Dig the bed', status: 'done', priority: 'low', tags: ['soil'] },
  { label: 'Sow carrots', status: 'todo', priority: 'urgent', assignee: 'Ada' },
  { label: 'Water, daily', status: 'todo', priority: 'high', assignee: 'Grace', due_date: '2027-05-01' },
  { label: '=HYPERLINK("x")', status: 'scope', priority: null },
  { label: 'Build a fence 10', status: 'backlog', priority: 'high' },
  { label: 'Build a fence 9', status: 'backlog', priority: 'high' },
];

async function garden(rest: RestClient, project: string): Promise<void> {
  const ids: string[] = [];
  for (const task of plan) ids.push((await rest.post(`/projects/${project}/tasks`, task)).body.id as string);
  const [, sow, water] = ids;
  const ends = { from_type: 'task', from_id: sow, to_type: 'task', to_id: water };
  await rest.post(`/projects/${project}/edges`, ends);
}

/** The part of an element that the test reads. */
interface Row {
  getAttribute(name: string): string | null;
  querySelector(selector: string): { textContent: string } | null;
}

/** The labels of the rows from the top. */
async function shown(page: Page): Promise<string[]> {
  const rows = await page.locator('[role="row"][data-task]').evaluateAll((all) =>
    all.map((one) => ({
      at: Number((one as unknown as Row).getAttribute('aria-rowindex')),
      label: (one as unknown as Row).querySelector('a')!.textContent,
    })),
  );
  return rows.sort((a, b) => a.at - b.at).map(({ label }) => label);
}

const untilShown = (page: Page, labels: readonly string[]): Promise<void> =>
  untilEqual<readonly string[]>(() => shown(page), labels);

interface Clicked {
  /** A CSS selector and, after `>>`, the text of the element. */
  readonly selector: string;
  readonly shiftKey: boolean;
}

/** Clicks one element after the other in one task of the page, as a person does while the page is busy. Runs in the browser. */
function clickTogether(clicked: readonly Clicked[]): void {
  const { document, MouseEvent: Click } = globalThis as unknown as {
    document: { querySelectorAll(selector: string): Iterable<EventTarget & { textContent: string }> };
    MouseEvent: new (type: string, init: object) => Event;
  };
  for (const { selector, shiftKey } of clicked) {
    const [css = '', text = ''] = selector.split(' >> ');
    const found = [...document.querySelectorAll(css)].find((one) => one.textContent.includes(text));
    found!.dispatchEvent(new Click('click', { bubbles: true, cancelable: true, shiftKey }));
  }
}

const row = (page: Page, label: string): ReturnType<Page['getByRole']> => page.getByRole('row', { name: label });

async function tasksOf(
  rest: RestClient,
  project: string,
): Promise<Record<string, { status: string; tags: unknown[] }>> {
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
  return Object.fromEntries(tasks.map((task: { label: string }) => [task.label, task]));
}

browserTestsInOneTab('The list', ({ app }) => {
  it('sorts by several columns, filters and groups, and keeps all of it in its address [S.web.list, S.web.filters, S.web.accessible]', async () => {
    const { page, rest, project, address } = await app({ path, prepare: garden });
    await untilShown(
      page,
      plan.map(({ label }) => label),
    );
    const head = (name: string): ReturnType<Page['getByRole']> => page.getByRole('columnheader', { name });
    await head('Priority').getByRole('button').click();
    await head('Task')
      .getByRole('button')
      .click({ modifiers: ['Shift'] });
    // Numbers in texts sort as numbers, and absent priorities are last.
    const sorted = [
      'Sow carrots',
      'Build a fence 9',
      'Build a fence 10',
      'Water, daily',
      'Dig the bed',
      '=HYPERLINK("x")',
    ];
    await untilShown(page, sorted);
    expect(await head('Priority').getAttribute('aria-sort')).to.equal('ascending');
    await page.getByRole('toolbar', { name: 'Filters' }).getByRole('button', { name: 'Status' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'To do' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Backlog' }).click();
    await page.keyboard.press('Escape');
    await untilShown(page, sorted.slice(0, 4));
    await page.getByRole('toolbar', { name: 'Filters' }).getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Blocked' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Waits for others' }).click();
    await page.keyboard.press('Escape');
    await untilShown(page, ['Water, daily']);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('searchbox').fill('build fence');
    await untilShown(page, ['Build a fence 9', 'Build a fence 10']);
    await page.getByRole('button', { name: 'Group' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Status' }).click();
    await page.getByRole('row', { expanded: true }).waitFor();
    await showOnly(page, page.url());
    await page.getByRole('row', { expanded: true }).waitFor();
    await untilShown(page, ['Build a fence 9', 'Build a fence 10']);
    const params = new URL(page.url()).searchParams;
    expect(Object.fromEntries(params)).to.deep.equal({ q: 'build fence', sort: 'priority,label', group: 'status' });
    await page.getByText('Backlog', { exact: true }).first().click();
    await untilShown(page, []);
    await page.getByRole('button', { name: 'Clear' }).click();
    await untilShown(page, ['=HYPERLINK("x")', 'Sow carrots', 'Water, daily', 'Dig the bed']);
    await rest.post(`/projects/${project}/tasks`, { label: 'Drain', tags: ['soil', 'wet'] });
    await showOnly(page, address(`${path}?tag=soil&tag=wet`));
    await untilShown(page, ['Dig the bed', 'Drain']);
    await page.getByRole('button', { name: 'Tag is any of' }).click();
    await untilShown(page, ['Drain']);
    await page.getByRole('button', { name: 'Tag is all of' }).click();
    await page.getByRole('button', { name: 'Tag is not' }).waitFor();
    const bar = page.getByRole('toolbar', { name: 'Filters' });
    await bar.getByRole('button', { name: 'Due', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'None' }).click();
    await page.getByRole('menuitem', { name: 'Between…' }).click();
    await page.getByRole('textbox', { name: 'To' }).fill('1 may 2027');
    await page.keyboard.press('Enter');
    const others = ['Sow carrots', '=HYPERLINK("x")', 'Build a fence 10', 'Build a fence 9'];
    await untilShown(page, ['Sow carrots', 'Water, daily', ...others.slice(1)]);
    expect(new URL(page.url()).search).to.equal('?tag.not=soil&tag.not=wet&due=none&due=..1+may+2027');
    await page.getByRole('button', { name: 'Due: 2' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'None' }).click();
    await page.keyboard.press('Escape');
    await untilShown(page, ['Water, daily']);
    await page.getByRole('button', { name: 'Due is', exact: true }).click();
    await untilShown(page, others);
    await expectAccessible(page);
  });

  it('keeps each of several changes made before the page is rendered again [S.web.list]', async () => {
    const { page } = await app({ path, prepare: garden });
    await page.getByRole('columnheader', { name: 'Priority' }).waitFor();
    await page.evaluate(clickTogether, [
      { selector: '[data-column="priority"] button', shiftKey: false },
      { selector: '[data-column="label"] button', shiftKey: true },
    ]);
    await page.waitForURL(/\?sort=priority%2Clabel$/);
    await page.getByRole('toolbar', { name: 'Filters' }).getByRole('button', { name: 'Status' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'To do' }).waitFor();
    await page.evaluate(clickTogether, [
      { selector: '[role="menuitemcheckbox"] >> To do', shiftKey: false },
      { selector: '[role="menuitemcheckbox"] >> Backlog', shiftKey: false },
    ]);
    await page.waitForURL(/&status=todo&status=backlog|status=todo&status=backlog&/);
  });

  it('saves named views, which an address shares [S.web.list-views, S.web.filters]', async () => {
    const { page, rest, project, address } = await app({
      path: `${path}?status=todo&tag.not=soil&sort=-label`,
      prepare: garden,
    });
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('To do, backwards');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'To do, backwards' }).waitFor();
    await page.waitForURL(/\?view=viw_\w+$/);
    const [view] = (await rest.get(`/projects/${project}/views`)).body.views;
    expect(view).to.deep.include({ name: 'To do, backwards' });
    expect(view.config).to.deep.include({
      type: 'list',
      filters: { status: ['todo'], 'tag.not': ['soil'] },
      sort: ['-label'],
    });
    const shared = address(`${path}?view=${view.id}`);
    await showOnly(page, shared);
    await untilShown(page, ['Water, daily', 'Sow carrots']);
    // Changes are local until they are saved.
    await page.getByRole('searchbox').fill('sow');
    await untilShown(page, ['Sow carrots']);
    const changed = page.url();
    await showOnly(page, shared);
    await untilShown(page, ['Water, daily', 'Sow carrots']);
    await showOnly(page, changed);
    await untilShown(page, ['Sow carrots']);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    await showOnly(page, shared);
    await untilShown(page, ['Sow carrots']);
    // Changes of others are shown, too.
    await rest.patch(`/views/${view.id}`, { name: 'Sprouting', config: view.config });
    await page.getByRole('link', { name: 'Sprouting' }).waitFor();
    await untilShown(page, ['Water, daily', 'Sow carrots']);
    await page.getByRole('button', { name: 'More about this view' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Sowing');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Sowing' }).waitFor();
    await page.getByRole('button', { name: 'More about this view' }).click();
    await page.getByRole('menuitem', { name: 'Delete view…' }).click();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await until(async () => (await rest.get(`/projects/${project}/views`)).body.views.length === 0);
    await untilShown(
      page,
      plan.map(({ label }) => label),
    );
    const { body: other } = await rest.post(`/projects/${project}/views`, { name: 'Reaping', config: view.config });
    await visit(page, address(`${path}?view=${other.id}`));
    await untilShown(page, ['Water, daily', 'Sow carrots']);
    await rest.delete(`/views/${other.id}`);
    await page.getByText('The view of this address has been deleted.').waitFor();
  });

  it('is ordered by hand, by mouse and by keys, and exports the shown rows in order as CSV without formulas [S.web.list-hand, S.web.list-csv]', async () => {
    const { page, rest, project } = await app({
      path: `${path}?sort=hand&columns=label,status,priority`,
      prepare: garden,
    });
    const [dig, sow, water, link, ten, nine] = plan.map(({ label }) => label) as [string, ...string[]];
    await untilShown(page, [dig, sow!, water!, link!, ten!, nine!]);
    await row(page, nine!)
      .locator('[data-column=label]')
      .dragTo(row(page, sow!), { targetPosition: { x: 300, y: 4 } });
    await untilShown(page, [dig, nine!, sow!, water!, link!, ten!]);
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('Alt+ArrowDown');
    const moved = [sow!, dig, nine!, water!, link!, ten!];
    await untilShown(page, moved);
    await untilEqual<readonly string[]>(
      async () =>
        (await rest.get(`/projects/${project}/tasks?order=rank`)).body.tasks.map(
          ({ label }: { label: string }) => label,
        ),
      moved,
    );
    await page.keyboard.press('Control+z');
    await untilShown(page, [dig, nine!, sow!, water!, link!, ten!]);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Shown tasks' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal('Garden.csv');
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines.map((line) => line.replace(/^tsk_\w+/, 'tsk'))).to.deep.equal([
      ...['id,Task,Status,Priority', 'tsk,Dig the bed,Done,Low', 'tsk,Build a fence 9,Backlog,High'],
      ...['tsk,Sow carrots,To do,Urgent', 'tsk,"Water, daily",To do,High', `tsk,"'=HYPERLINK(""x"")",Scope,`],
      ...['tsk,Build a fence 10,Backlog,High', ''],
    ]);
  });

  it('can be used by keys only, changes many tasks together, and undoes a change [S.web.list-keys, S.web.list-bulk]', async () => {
    const { page, rest, project } = await app({ path, prepare: garden });
    await untilShown(
      page,
      plan.map(({ label }) => label),
    );
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    for (const label of ['Sow carrots', 'Water, daily'])
      await untilEqual(() => row(page, label).getAttribute('aria-selected'), 'true');
    const bar = page.getByRole('toolbar', { name: 'Chosen tasks' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Status' }).press('Enter');
    await chooseInPicker(page, 'In progress');
    await row(page, 'Sow carrots').getByText('In progress').waitFor();
    await until(async () => {
      const tasks = await tasksOf(rest, project);
      return tasks['Sow carrots']!.status === 'in_progress' && tasks['Water, daily']!.status === 'in_progress';
    });
    await untilFocusIn(bar);
    await page.keyboard.press('t');
    await page.getByRole('dialog', { name: 'Tags: 2 tasks' }).waitFor();
    await page.getByRole('combobox').fill('spring');
    await page.getByRole('option', { name: /“spring”/, selected: true }).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('option', { name: 'spring', exact: false }).getByRole('img', { name: 'Chosen' }).waitFor();
    await chooseInPicker(page, /“wet”/, 'wet');
    await until(async () => (await tasksOf(rest, project))['Water, daily']!.tags.length === 2);
    const toast = page.locator('[data-sonner-toast]').filter({ hasText: '2 tasks changed: tags' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await tasksOf(rest, project))['Water, daily']!.tags.length === 1);
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete 2 tasks?' }).getByRole('button', { name: 'Cancel' }).click();
    expect(Object.keys(await tasksOf(rest, project))).to.have.length(6);
    // The dialog gives the focus back once it is closed.
    await untilFocusIn(page.getByRole('grid', { name: 'Tasks' }));
    await page.keyboard.press('Delete');
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() !== 'GET' && request.url().includes('/tasks')),
      page.getByRole('button', { name: 'Delete 2 tasks' }).click(),
    ]);
    expect(sent.url()).to.match(/batch$/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(async () => Object.keys(await tasksOf(rest, project)).length === 4);
    await untilShown(page, ['Dig the bed', '=HYPERLINK("x")', 'Build a fence 10', 'Build a fence 9']);
    await page.getByRole('grid', { name: 'Tasks' }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Dig the bed' }).waitFor();
    await page.waitForURL(/[?&]task=tsk_/);
    // From anywhere, and the open task follows.
    await page.keyboard.press('j');
    await page.getByRole('dialog', { name: '=HYPERLINK("x")' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await row(page, 'Build a fence 9').locator('[data-column=label]').click();
    await page.getByRole('dialog', { name: 'Build a fence 9' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('dialog', { name: 'Build a fence 10' }).waitFor();
    await untilFocusIn(page.getByRole('grid', { name: 'Tasks' }));
    await page.keyboard.press('Enter');
    await untilFocusIn(page.getByRole('dialog', { name: 'Build a fence 10' }));
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('renders only the visible rows of a thousand [S.web.list-large]', async () => {
    const { page, traffic } = await app({
      path: `${path}?columns=label,status`,
      prepare: async (rest, project) => {
        await rest.put(`/projects/${project}/canvas`, {
          nodes: Array.from({ length: 1000 }, (_, at) => ({ id: `t${at}`, label: `Row ${at}` })),
        });
      },
    });
    const grid = page.getByRole('grid', { name: 'Tasks' });
    await grid.getByText('Row 0', { exact: true }).waitFor();
    expect(await grid.getAttribute('aria-rowcount')).to.equal('1001');
    expect(await grid.getByRole('row').count()).to.be.below(60);
    await grid.focus();
    await untilUpdates(page, 'streamed');
    // Results that are fetched once the stream is open are drawn before.
    await traffic.settled();
    const drawn = await drawnSince(page, '[data-task]');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Row 0' }).waitFor();
    expect(await drawn(), 'rows drawn again').to.equal(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The focus returns a moment after the panel is gone.
    await untilFocusIn(grid);
    await page.keyboard.press('End');
    await page.keyboard.press('x');
    await grid.locator('[aria-rowindex="1001"][aria-selected="true"]').waitFor();
  });
});
