import { expect } from 'chai';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { untilEqual } from './support/until.ts';
import { showOnly, visit } from './support/visit.ts';

type Task = Readonly<Record<string, unknown>> & { readonly tags: readonly { readonly name: string }[] };

/** The number of parts of the panel in each frame: a key waits for one of them, not for all. */
const countParts = `
  window.parts = new Set();
  (function look() {
    const parts = document.querySelectorAll('[role=dialog] :is(textarea, select, h3)').length;
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
    await panel.getByLabel('Status').selectOption('in_progress');
    await panel.getByLabel('Priority').selectOption('urgent');
    await panel.getByLabel('Assignee').fill('Ada');
    await panel.getByLabel('Due').fill('2027-03-04');
    await panel.getByLabel('Tags').fill('soil');
    await page.keyboard.press('Enter');
    await panel.getByLabel('Remove soil').waitFor();
    await panel.getByRole('button', { name: 'Prerequisite' }).click();
    await page.getByRole('combobox').fill('spade');
    await page.getByRole('option', { name: /Buy a spade/ }).click();
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
      blocked: true,
    });
    expect(task.tags.map(({ name }) => name)).to.deep.equal(['soil']);
    await again.getByLabel('Label').fill('Dig deep');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Dig deep' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.search === '');
  });
});
