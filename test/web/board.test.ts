import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { carry } from './support/carry.ts';
import { drawnSince } from './support/drawn.ts';
import { chooseInPicker } from './support/pick.ts';
import { until, untilEqual } from './support/until.ts';
import { showOnly, untilUpdates } from './support/visit.ts';

const path = '/projects/:project/board';

async function twoTasks(rest: RestClient, project: string): Promise<void> {
  const { body: dig } = await rest.post(`/projects/${project}/tasks`, {
    label: 'Dig',
    priority: 'high',
    tags: ['soil'],
  });
  const { body: sow } = await rest.post(`/projects/${project}/tasks`, { label: 'Sow', assignee: 'Ada' });
  const ends = { from_type: 'task', from_id: dig.id, to_type: 'task', to_id: sow.id };
  await rest.post(`/projects/${project}/edges`, ends);
}

const column = (page: Page, name: string): ReturnType<Page['getByRole']> =>
  page.getByRole('region', { name: new RegExp(`^${name} `) });
const card = (page: Page, label: string): ReturnType<Page['getByRole']> =>
  page.getByRole('button', { name: new RegExp(`^${label}`) });

async function statusOf(rest: RestClient, project: string, label: string): Promise<string> {
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
  return tasks.find((task: { label: string }) => task.label === label).status as string;
}

const untilStatus = (rest: RestClient, project: string, label: string, status: string): Promise<void> =>
  until(async () => (await statusOf(rest, project, label)) === status);

const untilFocused = (page: Page, label: string): Promise<void> =>
  until(async () => String(await page.evaluate(`document.activeElement?.textContent`)).startsWith(label));

browserTestsInOneTab('The board', ({ app }) => {
  it('adds a task in place, and moves it by mouse and by keys, and orders cards by hand [S.web.board, S.web.board-hand, S.web.quick-add]', async () => {
    const { page, rest, project } = await app({ path, prepare: twoTasks });
    await page.getByRole('button', { name: 'Add a task to Scope' }).click();
    await page.getByLabel('New task in Scope').fill('Weed');
    await page.keyboard.press('Enter');
    await column(page, 'Scope').getByText('Weed').waitFor();
    await page.getByLabel('New task in Scope').fill('Hoe #12 #Soil !hi @ada');
    await page.getByRole('list', { name: 'Understood' }).getByText('Priority: High').waitFor();
    await page.getByRole('button', { name: 'Keep #12 as text' }).click();
    await page.getByLabel('New task in Scope').press('Enter');
    await column(page, 'Scope').getByText('Hoe #12', { exact: true }).waitFor();
    const { tasks } = (await rest.get(`/projects/${project}/tasks?status=scope&priority=high`)).body;
    expect(
      tasks.map((task: { tags: { name: string }[]; assignee: string }) => [task.tags[0]!.name, task.assignee]),
    ).to.deep.equal([['soil', 'Ada']]);
    await page.keyboard.press('Escape');
    await carry(
      page,
      card(page, 'Dig'),
      column(page, 'In progress'),
      page.locator('section[data-status=in_progress][class*=over]'),
    );
    await column(page, 'In progress').getByText('Dig').waitFor();
    await untilStatus(rest, project, 'Dig', 'in_progress');
    await card(page, 'Weed').focus();
    await page.keyboard.press('Control+ArrowRight');
    await column(page, 'To do').getByText('Weed').waitFor();
    await untilStatus(rest, project, 'Weed', 'todo');
    await untilFocused(page, 'Weed');
    await page.keyboard.press('ArrowRight');
    await untilFocused(page, 'Dig');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Dig' }).waitFor();
    {
      const { page, rest, project } = await app({
        path,
        prepare: async (client, id) => {
          for (const label of ['Dig', 'Sow', 'Weed', 'Reap'])
            await client.post(`/projects/${id}/tasks`, { label, status: 'todo', priority: 'low' });
        },
      });
      const todo = async (): Promise<string[]> =>
        (await rest.get(`/projects/${project}/tasks?status=todo&order=rank`)).body.tasks.map(
          ({ label }: { label: string }) => label,
        );
      const shown = async (): Promise<string[]> => column(page, 'To do').locator('[data-task]').allInnerTexts();
      const untilOrder = async (...labels: string[]): Promise<void> => {
        await untilEqual(shown, labels);
        await untilEqual(todo, labels);
      };
      const requests: string[] = [];
      page.on('request', (sent) => {
        if (sent.method() !== 'GET' && sent.url().includes('/tasks'))
          requests.push(
            `${sent.method()} ${sent
              .url()
              .replace(/.*(?=\/tasks)/, '')
              .replace(/tsk_.*/, 'id')}`,
          );
      });
      await card(page, 'Weed').focus();
      await page.keyboard.press('Alt+ArrowUp');
      await untilOrder('Dig', 'Weed', 'Sow', 'Reap');
      await page.getByRole('status').getByText('Weed moved to To do, above Sow').waitFor({ state: 'attached' });
      // Both are dropped ahead of the first card.
      await card(page, 'Sow').click({ modifiers: ['Control'] });
      await card(page, 'Reap').click({ modifiers: ['Shift'] });
      await carry(page, card(page, 'Reap'), card(page, 'Dig'), page.locator('li[class*=mark][style*="(0px)"]'));
      await untilOrder('Sow', 'Reap', 'Dig', 'Weed');
      await page.keyboard.press('Control+z');
      await untilOrder('Dig', 'Weed', 'Sow', 'Reap');
      expect(requests).to.deep.equal(['PATCH /tasks/id', 'POST /tasks/batch']);
      await page.getByRole('button', { name: '2 selected' }).click();
      // Keys and a right click mean all selected cards, if the card is one of them.
      await card(page, 'Dig').focus();
      await page.keyboard.press('x');
      await page.keyboard.press('ArrowDown');
      await untilFocused(page, 'Weed');
      await page.keyboard.press('x');
      await page.keyboard.press('w');
      await page.getByRole('dialog', { name: 'Assignee: 2 tasks' }).waitFor();
      await chooseInPicker(page, /“Ada”/, 'Ada');
      for (const label of ['Dig', 'Weed']) await card(page, label).getByText('Ada').waitFor();
      await card(page, 'Dig').click({ button: 'right' });
      await page.getByRole('dialog', { name: 'Change: 2 tasks' }).waitFor();
      await page.keyboard.press('Escape');
      await card(page, 'Reap').click({ button: 'right' });
      await page.getByRole('dialog', { name: 'Change: “Reap”' }).waitFor();
      await page.keyboard.press('Escape');
      // Dropped into another column, they follow each other there.
      await rest.post(`/projects/${project}/tasks`, { label: 'Plan', status: 'scope' });
      await card(page, 'Plan').waitFor();
      await carry(page, card(page, 'Weed'), card(page, 'Plan'), page.locator('li[class*=mark][style*="(0px)"]'));
      await untilEqual(() => column(page, 'Scope').locator('[data-task]').count(), 3);
      await untilEqual(
        async () =>
          (await rest.get(`/projects/${project}/tasks?status=scope&order=rank`)).body.tasks.map(
            ({ label }: { label: string }) => label,
          ),
        ['Dig', 'Weed', 'Plan'],
      );
      await page.getByRole('button', { name: '2 selected' }).click();
      await rest.post(`/projects/${project}/tasks`, { label: 'Rest', status: 'in_progress', priority: 'high' });
      await page.getByRole('combobox', { name: 'Group' }).selectOption('priority');
      await card(page, 'Rest').waitFor();
      await card(page, 'Dig').focus();
      await page.keyboard.press('Alt+ArrowUp');
      await until(async () => (await rest.get(`/projects/${project}/tasks?priority=high`)).body.tasks.length === 2);
      await page.getByRole('button', { name: 'Fold Scope' }).click();
      await showOnly(page, page.url());
      await page.getByRole('button', { name: /^Scope/, expanded: false }).click();
      await page.getByRole('button', { name: 'Fold Scope' }).waitFor();
    }
  });

  it('keeps its filter and its groups in the address, and folds what was done long ago [S.web.board-filter, S.web.board-hand]', async () => {
    const { page, rest, project, address, traffic } = await app({
      ...{ path: `${path}?q=so&group=assignee`, prepare: twoTasks },
    });
    await card(page, 'Sow').waitFor();
    expect(await card(page, 'Dig').count()).to.equal(0);
    // Every column has every group, so that a card can be moved into each.
    await column(page, 'Scope').getByRole('heading', { name: /^Ada/ }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await card(page, 'Dig').waitFor();
    await page.getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'soil' }).click();
    await card(page, 'Sow').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.include('tag=soil').and.to.include('group=assignee');
    await showOnly(page, page.url());
    await card(page, 'Dig').focus();
    expect(await card(page, 'Sow').count()).to.equal(0);
    await untilUpdates(page, 'streamed');
    // Results that are fetched once the stream is open are drawn before.
    await traffic.settled();
    const drawn = await drawnSince(page, '[data-task]');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Dig' }).waitFor();
    expect(await drawn(), 'cards drawn again').to.equal(0);
    const { body: plan } = await rest.get(`/projects/${project}/export`);
    const tasks = (plan.tasks as object[]).map((task) => ({
      ...task,
      status: 'done',
      updated_at: '2026-01-01T00:00:00Z',
    }));
    const { body: imported } = await rest.post('/projects/import', { ...plan, tasks });
    await showOnly(page, address(path.replace(':project', imported.id as string)));
    await column(page, 'Done').getByText('2', { exact: true }).waitFor();
    expect(await card(page, 'Dig').count()).to.equal(0);
    await page.getByRole('button', { name: 'Show 2 older' }).click();
    await card(page, 'Dig').waitFor();
  });

  rarely('shows changes of another user and an agent within a poll, in every browser [S.web.live]', async () => {
    const { page, rest, project, service, other } = await app({ path, prepare: twoTasks });
    const second = await other(path);
    await card(second, 'Dig').waitFor();
    await page.getByRole('button', { name: 'Add a task to To do' }).click();
    await page.getByLabel('New task in To do').fill('Prune');
    await page.keyboard.press('Enter');
    await column(second, 'To do').getByText('Prune').waitFor();
    const agent = await service.mcp();
    const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
    const dig = tasks.find(({ label }: { label: string }) => label === 'Dig').id as string;
    await agent.call('claim_task', { task_id: dig, agent_ref: 'builder' });
    for (const each of [page, second]) await column(each, 'In progress').getByText('builder').waitFor();
  });

  it('rolls back rejected changes with the reason, and reports when the service does not respond [S.web.refused, S.web.offline]', async () => {
    const { page, rest, project } = await app({ path, prepare: twoTasks });
    await card(page, 'Dig').focus();
    await page.route('**/api/v1/tasks/**', (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/json',
        body: JSON.stringify({ error: 'conflict', message: 'Its file has conflict markers.' }),
      }),
    );
    await page.keyboard.press('Control+ArrowRight');
    await page.getByText('Its file has conflict markers.').waitFor();
    await column(page, 'To do').getByText('Dig').waitFor();
    expect(await statusOf(rest, project, 'Dig')).to.equal('todo');
    await page.context().setOffline(true);
    await page.getByText('Offline').waitFor();
    await column(page, 'To do').getByText('Dig').waitFor();
    await page.context().setOffline(false);
    await page.getByText('Offline').waitFor({ state: 'detached' });
  });
});
