import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { setField } from './support/pick.ts';
import { until, untilEqual } from './support/until.ts';
import { visit } from './support/visit.ts';

browserTestsInOneTab('Undo', ({ app }) => {
  const undo = (page: Page): Promise<void> => page.keyboard.press('Control+z');
  const undone = (page: Page, what: string): Promise<void> =>
    page
      .locator('[data-sonner-toast]')
      .filter({ hasText: `Undone: ${what}` })
      .waitFor();

  it('takes back moves on the board and fields of the panel in order, in every view [S.web.undo]', async () => {
    let task = '';
    const { page, rest } = await app({
      path: '/projects/:project/board',
      prepare: async (service, project) => {
        task = (await service.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
      },
    });
    const state = async (): Promise<unknown[]> => {
      const { status, priority } = (await rest.get(`/tasks/${task}`)).body as { status: string; priority: string };
      return [status, priority];
    };
    await page.getByRole('button', { name: /^Dig/ }).focus();
    await page.keyboard.press('Control+ArrowRight');
    await page.locator('[data-sonner-toast]').filter({ hasText: '“Dig” moved to In progress.' }).waitFor();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog', { name: 'Dig' });
    await setField(panel, 'Priority', 'Urgent');
    await setField(panel, 'Status', 'Done');
    await until(async () => (await state()).join() === 'done,urgent');
    await undo(page);
    await undone(page, 'status of “Dig”');
    expect(await state()).to.deep.equal(['in_progress', 'urgent']);
    // No notification covers the panel: its comments are sent at its bottom.
    const [shown, beside] = [await page.locator('[data-sonner-toast]').boundingBox(), await panel.boundingBox()];
    expect(shown!.x + shown!.width).to.be.below(beside!.x);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await undo(page);
    await undone(page, 'priority of “Dig”');
    await undo(page);
    await undone(page, 'status of “Dig”');
    expect(await state()).to.deep.equal(['todo', null]);
    await page.keyboard.press('Control+Shift+z');
    await page.locator('[data-sonner-toast]').filter({ hasText: 'Redone: status of “Dig”' }).waitFor();
    expect(await state()).to.deep.equal(['in_progress', null]);
  });

  rarely('restores a deleted task from the notification, with its comments and edges [S.web.undo]', async () => {
    const ids: string[] = [];
    const { page, rest, project, address } = await app({
      path: '/projects/:project/list',
      prepare: async (service, of) => {
        for (const label of ['Dig', 'Sow'])
          ids.push((await service.post(`/projects/${of}/tasks`, { label })).body.id as string);
        const [from_id, to_id] = ids;
        await service.post(`/projects/${of}/edges`, { from_type: 'task', from_id, to_type: 'task', to_id });
        await service.post(`/tasks/${from_id}/comments`, { body: 'deep' });
      },
    });
    const [dig] = ids;
    await visit(page, address(`/projects/:project/list?task=${dig}`));
    await page.getByRole('dialog', { name: 'Dig' }).getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete task', exact: true }).click();
    const toast = page.locator('[data-sonner-toast]').filter({ hasText: '“Dig” was deleted.' });
    await toast.waitFor();
    expect((await rest.get(`/tasks/${dig}`)).status).to.equal(404);
    await toast.getByRole('button', { name: 'Undo' }).click();
    await undone(page, 'deletion of “Dig”');
    expect((await rest.get(`/tasks/${dig}`)).status).to.equal(200);
    expect((await rest.get(`/tasks/${dig}/comments`)).body.comments).to.have.length(1);
    expect((await rest.get(`/projects/${project}/edges`)).body.edges).to.have.length(1);
    await page.getByRole('link', { name: 'Dig' }).waitFor();
  });

  it('never overwrites a later change, and says who made it [S.web.undo]', async () => {
    let task = '';
    const { page, rest, service } = await app({
      path: '/projects/:project/board',
      prepare: async (client, project) => {
        task = (await client.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
      },
    });
    await page.getByRole('button', { name: /^Dig/ }).focus();
    await page.keyboard.press('Control+ArrowRight');
    await page.locator('[data-sonner-toast]').filter({ hasText: '“Dig” moved to In progress.' }).waitFor();
    const agent = await service.mcp();
    await agent.call('update_task', { task_id: task, status: 'done' });
    await undo(page);
    const refused = page.locator('[data-sonner-toast]').filter({ hasText: 'Not undone: status of “Dig”' });
    await refused.getByText(/changed status since/).waitFor();
    expect((await rest.get(`/tasks/${task}`)).body).to.include({ status: 'done' });
  });

  rarely('restores many deleted tasks with the edges between them [S.web.undo]', async () => {
    const { page, rest, project } = await app({
      path: '/projects/:project/list',
      prepare: async (client, of) => {
        const ids: string[] = [];
        for (const label of ['Dig', 'Sow', 'Reap'])
          ids.push((await client.post(`/projects/${of}/tasks`, { label })).body.id as string);
        for (const [from, to] of [
          [0, 1],
          [1, 2],
          [2, 0],
        ] as const)
          await client.post(`/projects/${of}/edges`, {
            ...{ from_type: 'task', from_id: ids[from], to_type: 'task', to_id: ids[to], label: 'relates' },
          });
      },
    });
    const counts = async (): Promise<string> => {
      const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: object[] };
      const { edges } = (await rest.get(`/projects/${project}/edges`)).body as { edges: object[] };
      return `${tasks.length} ${edges.length}`;
    };
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete 3 tasks' }).click();
    await page.locator('[data-sonner-toast]').filter({ hasText: '3 tasks deleted' }).waitFor();
    expect(await counts()).to.equal('0 0');
    await undo(page);
    await undone(page, 'deletion of 3 tasks');
    expect(await counts()).to.equal('3 3');
  });
});

browserTestsInOneTab('The trash in the page', ({ app }) => {
  it('lists deleted records and restores them [S.web.trash]', async () => {
    let note = '';
    const { page, rest, project } = await app({
      path: '/projects/:project/trash',
      prepare: async (client, of) => {
        note = (await client.post(`/projects/${of}/notes`, { title: 'Ideas', body: 'One' })).body.id as string;
        await client.post(`/notes/${note}/comments`, { body: 'Good' });
        await client.delete(`/notes/${note}`);
      },
    });
    const entry = page.getByRole('listitem').filter({ hasText: 'Ideas' });
    await entry.getByText(/Deleted by Ada .*, with 1 comment/).waitFor();
    await entry.getByRole('button', { name: 'Restore note Ideas' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    await untilEqual(async () => (await rest.get(`/projects/${project}/trash`)).body, { trash: [] });
    expect((await rest.get(`/notes/${note}/comments`)).body.comments).to.have.length(1);
  });

  it('is offered where a record was open when another user deleted it [S.web.deleted, S.web.accessible]', async () => {
    const { page, rest, project } = await app({ path: '/projects/:project/board' });
    const task = (await rest.post(`/projects/${project}/tasks`, { label: 'Dig', description: 'Two metres.' })).body.id;
    const made = await rest.post(`/projects/${project}/documents`, { title: 'Soil', body: 'Loam' });
    const document = made.body.id as string;
    await visit(page, `/projects/${project}/board?task=${task}`);
    const panel = page.getByRole('dialog', { name: 'Dig' });
    await panel.getByRole('button', { name: 'Edit' }).click();
    await panel.getByRole('textbox', { name: 'Description' }).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Or three.');
    await rest.delete(`/tasks/${task}`);
    await panel.getByRole('heading', { name: '“Dig” was deleted by Ada' }).waitFor();
    expect(await panel.getByRole('region', { name: 'Your unsaved description' }).innerText()).to.include(
      'Two metres. Or three.',
    );
    expect(await panel.getByRole('group', { name: 'Properties' }).count()).to.equal(0);
    await expectAccessible(page, ['[role=dialog]']);
    await panel.getByRole('button', { name: 'Restore' }).click();
    await panel.getByRole('group', { name: 'Properties' }).waitFor();
    expect((await rest.get(`/tasks/${task}`)).status).to.equal(200);
    await visit(page, `/projects/${project}/documents/${document}?mode=write`);
    const editor = page.getByRole('textbox', { name: 'Text of the document' });
    await editor.waitFor();
    await rest.delete(`/documents/${document}`);
    await page.getByRole('heading', { name: '“Soil” was deleted by Ada' }).waitFor();
    expect(await page.getByRole('region', { name: 'Text', exact: true }).innerText()).to.include('Loam');
    expect(await editor.count()).to.equal(0);
    await page.getByRole('button', { name: 'Restore' }).click();
    await editor.waitFor();
  });
});
