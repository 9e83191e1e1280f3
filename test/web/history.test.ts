import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until } from './support/until.ts';
import { showOnly } from './support/visit.ts';

async function changes(rest: RestClient, project: string): Promise<void> {
  const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Dig', description: 'one\ntwo\n' });
  await rest.patch(`/tasks/${task.id}`, { description: 'one\nthree\n', priority: 'high' });
  const { body: note } = await rest.post(`/projects/${project}/notes`, { title: 'Seeds', body: 'Peas' });
  await rest.delete(`/notes/${note.id}`);
  const { body: key } = await rest.post('/keys', { kind: 'agent', project_id: project, name: 'builder' });
  await rest.send('PATCH', `/tasks/${task.id}`, { status: 'done' }, { Authorization: `Bearer ${key.secret}` });
}

browserTestsInOneTab('History', ({ app }) => {
  it('shows changes with author and difference, and restores them [S.web.history, S.web.accessible]', async () => {
    const { page, rest, project } = await app({ path: '/projects/:project/history', prepare: changes });
    const lines = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Show/ }) });
    await lines.nth(2).waitFor();
    expect(await lines.count()).to.equal(3);
    await page.getByRole('button', { name: /^Show the change of .*description/ }).click();
    await page.getByText('Removed: two').waitFor();
    await page.getByText('Added: three').waitFor();
    await expectAccessible(page);
    await showOnly(page, page.url());
    await page.getByText('Added: three').waitFor();
    await page.getByRole('button', { name: 'Restore the state before' }).click();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await until(async () => (await rest.get(`/projects/${project}/tasks`)).body.tasks[0].description === 'one\ntwo\n');
    await page.getByRole('button', { name: 'Agents', exact: true }).click();
    await page.waitForURL(/by=agent/);
    await until(async () => (await lines.count()) === 1);
    await lines.getByText('builder').waitFor();
    await page.getByRole('button', { name: 'Everybody' }).click();
    await page.getByText('the note “Seeds”').waitFor();
    await page.getByRole('button', { name: 'Show what was deleted' }).click();
    await page.getByRole('button', { name: 'Restore it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore it' }).click();
    await until(async () => (await rest.get(`/projects/${project}/notes`)).body.notes.length === 1);
  });
});

browserTestsInOneTab('Problems', ({ app }) => {
  it('show the file, the line and the remedy, and disappear once it is repaired [S.web.problems]', async () => {
    const { page, root, rest, project, service } = await app({
      path: '/projects/:project/problems',
      prepare: (client, id) => client.post(`/projects/${id}/tasks`, { label: 'Dig' }),
    });
    await page.getByText('Every file of this project is valid').waitFor();
    await rest.post('/flush');
    const [task] = (await rest.get(`/projects/${project}/tasks`)).body.tasks;
    const name = (await rest.get(`/projects/${project}/records/${task.id}/file`)).body.path as string;
    const file = join(root, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/^label: .*$/m, 'label: "broken'));
    await service.store.rescan();
    await page.getByText(name).waitFor();
    await page.getByText('What to do:').waitFor();
    await page.getByRole('button', { name: 'Check every file' }).click();
    await page.getByText('The whole root was checked').waitFor();
    writeFileSync(file, text);
    await service.store.rescan();
    await page.getByText('Every file of this project is valid').waitFor();
  });
});
