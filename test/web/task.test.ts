import { expect } from 'chai';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { chooseInPicker, setField } from './support/pick.ts';
import { untilEqual, untilFocusIn, untilKeysWork } from './support/until.ts';
import { showOnly, visit } from './support/visit.ts';

type Task = Readonly<Record<string, unknown>> & { readonly tags: readonly { readonly name: string }[] };

/** The number of parts of the panel in each frame: a key waits for one of them, not for all. */
const countParts = `
  window.parts = new Set();
  (function look() {
    const parts = document.querySelectorAll('[role=dialog] :is(textarea, [data-fields], h3)').length;
    if (parts > 0) window.parts.add(parts);
    if (window.parts.size < 4) requestAnimationFrame(look);
  })();
`;

browserTestsInOneTab('A task', ({ app }) => {
  it('opens by its address next to any view, with every field editable [S.web.task]', async () => {
    let id = '';
    const { page, rest, project } = await app({
      path: '/projects/:project/board',
      prepare: async (client: RestClient, at: string) => {
        id = (await client.post(`/projects/${at}/tasks`, { label: 'Dig', description: 'Two *metres*.' })).body.id;
        await client.post(`/projects/${at}/tasks`, { label: 'Buy a spade' });
      },
    });
    await page.evaluate(countParts);
    await visit(page, `/projects/${project}/board?task=${id}`);
    const panel = page.getByRole('dialog', { name: 'Dig' });
    await panel.getByText('Two metres.').waitFor();
    await panel.getByRole('heading', { name: 'History' }).waitFor();
    expect(await page.evaluate<number>('window.parts.size'), 'frames with more of the panel').to.be.above(3);
    await setField(panel, 'Status', 'In progress');
    await setField(panel, 'Priority', 'Urgent');
    await setField(panel, 'Assignee', /“Ada”/, 'Ada');
    await setField(panel, 'Due date', /Mar 4, 2027/, '4 mar 2027');
    await setField(panel, 'Tags', /New tag “soil”/, 'soil');
    for (const [field, value] of [
      ['Kind', 'Decision'],
      ['Lane', 'Approve'],
      ['Severity', 'High'],
      ['Commits', 'Add abc1234'],
    ] as const) {
      await panel.getByRole('button', { name: 'All properties' }).click();
      await page.getByRole('combobox').fill(field);
      await page.getByRole('option', { name: field, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: `${field}: “Dig”` }).waitFor();
      await chooseInPicker(page, value, value.replace('Add ', ''));
    }
    await panel.getByRole('button', { name: 'soil' }).waitFor();
    await panel.getByRole('button', { name: 'Prerequisite' }).click();
    await chooseInPicker(page, /Buy a spade/, 'spade');
    await panel.getByRole('heading', { name: 'Must be done first' }).waitFor();
    await panel.getByText('Blocked by').getByRole('button', { name: 'Buy a spade' }).waitFor();
    await panel.getByRole('button', { name: 'Edit' }).click();
    await panel.getByRole('textbox', { name: 'Description' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Or three.');
    // Another view of the page in between: documents.test.ts reloads it while a text is typed.
    await showOnly(page, `/projects/${project}/list?task=${id}`);
    const again = page.getByRole('dialog', { name: 'Dig' });
    await again.getByText('Or three.').waitFor();
    await again.getByRole('button', { name: 'Save' }).click();
    await again.getByRole('button', { name: 'Edit' }).waitFor();
    const read = async (): Promise<Task> => (await rest.get(`/tasks/${id}`)).body as Task;
    await untilEqual(async () => (await read())['description'], 'Two *metres*. Or three.');
    const task = await read();
    expect(task).to.include({
      status: 'in_progress',
      priority: 'urgent',
      assignee: 'Ada',
      due_date: '2027-03-04',
      kind: 'decision',
      lane: 'approve',
      severity: 'high',
      blocked: true,
    });
    expect(task['commit_refs']).to.deep.equal(['abc1234']);
    expect(task.tags.map(({ name }) => name)).to.deep.equal(['soil']);
    await rest.patch(`/tasks/${id}`, { description: '- [ ] Mark it\n- [ ] Dig' });
    await again.getByRole('checkbox').nth(1).click();
    await untilEqual(async () => (await read())['description'], '- [ ] Mark it\n- [x] Dig');
    await again.getByLabel('Label').fill('Dig deep');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Dig deep' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.search === '');
  });

  it('is one of twelve with eleven dependencies after 120 keys besides the letters of labels, and is changed by one key wherever it is [S.web.keyboard-planning, S.web.picker, S.web.accessible]', async () => {
    const { page, rest, project } = await app({ path: '/projects/:project/board' });
    await page.getByRole('heading', { name: /^To do/ }).waitFor();
    let keys = 0;
    const press = async (key: string): Promise<void> => {
      keys++;
      await page.keyboard.press(key);
    };
    const labels = ['Plan', 'Dig', 'Line', 'Fill', 'Plant', 'Stock', 'Fence', 'Light', 'Seat', 'Sign', 'Paint', 'Open'];
    for (const [at, label] of labels.entries()) {
      await press('c');
      await page.getByLabel('New task').waitFor();
      await page.keyboard.type(label);
      await press('Enter');
      await page.getByRole('dialog', { name: label, exact: true }).waitFor();
      await untilKeysWork(page);
      if (at === 0) continue;
      // Every third task waits for one that was planned long before, the others for the one before.
      const first = labels[at % 3 === 0 ? Math.floor(at / 3) : at - 1]!;
      await press('b');
      await page.getByRole('combobox').waitFor();
      if (at % 3 === 0) for (const letter of first.slice(0, 3)) await press(letter);
      await page.getByRole('option', { name: first, selected: true }).waitFor();
      await press('Enter');
      await page.getByRole('dialog', { name: label, exact: true }).getByText('Must be done first').waitFor();
      await untilKeysWork(page);
    }
    const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as {
      tasks: { id: string; label: string; waiting_on: string[] }[];
    };
    const nameOf = new Map(tasks.map(({ id, label }) => [id, label]));
    expect(
      Object.fromEntries(tasks.map((task) => [task.label, task.waiting_on.map((id) => nameOf.get(id)).join()])),
    ).to.deep.equal(
      Object.fromEntries(
        labels.map((label, at) => [label, at === 0 ? '' : labels[at % 3 === 0 ? Math.floor(at / 3) : at - 1]]),
      ),
    );
    expect(keys).to.be.at.most(120);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const fieldOf = async (label: string, field: string): Promise<unknown> => {
      const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: Task[] };
      return tasks.find((task) => task['label'] === label)![field];
    };
    await page.getByRole('button', { name: /^Dig/ }).focus();
    await page.keyboard.press('p');
    await page.getByRole('dialog', { name: 'Priority: “Dig”' }).waitFor();
    await expectAccessible(page, ['[role=dialog]']);
    await chooseInPicker(page, 'Urgent');
    await untilEqual(() => fieldOf('Dig', 'priority'), 'urgent');
    await untilFocusIn(page.getByRole('button', { name: /^Dig/ }));
    await page.getByRole('button', { name: /^Line/ }).click({ button: 'right' });
    await page.getByRole('option', { name: 'Due date' }).click();
    await page.getByRole('dialog', { name: 'Due date: “Line”' }).waitFor();
    await chooseInPicker(page, /^Tomorrow/, 'tomorrow');
    await untilEqual(async () => (await fieldOf('Line', 'due_date')) === null, false);
    await page.getByRole('button', { name: /^Line/ }).focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('set assignee');
    await page.getByRole('option', { name: 'Set assignee', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Assignee: “Line”' }).waitFor();
    await chooseInPicker(page, /“Grace”/, 'Grace');
    await untilEqual(() => fieldOf('Line', 'assignee'), 'Grace');

    await visit(page, `/projects/${project}/list`);
    const grid = page.getByRole('grid', { name: 'Tasks' });
    const row = grid.getByRole('row', { name: /Dig/ });
    await row.locator('[data-field=assignee]').click();
    await chooseInPicker(page, 'Grace');
    await untilEqual(() => fieldOf('Dig', 'assignee'), 'Grace');
    await untilFocusIn(grid);
    await page.keyboard.press('v');
    await page.getByRole('dialog', { name: 'Lane: “Dig”' }).waitFor();
    await chooseInPicker(page, 'Full');
    await untilEqual(() => fieldOf('Dig', 'lane'), 'full');

    await visit(page, `/projects/${project}/canvas`);
    await page.locator('.react-flow__node').filter({ hasText: 'Line' }).focus();
    await page.keyboard.press('y');
    await page.getByRole('dialog', { name: 'Kind: “Line”' }).waitFor();
    await chooseInPicker(page, 'Decision');
    await untilEqual(() => fieldOf('Line', 'kind'), 'decision');
  });
});
