import { expect } from 'chai';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { showOnly } from './support/visit.ts';

async function tasks(rest: RestClient, project: string): Promise<void> {
  await rest.post(`/projects/${project}/tasks`, { label: 'Dig the pond', description: 'For **frogs**.' });
  await rest.post(`/projects/${project}/tasks`, { label: 'Frogs: count them' });
  await rest.post(`/projects/${project}/tasks`, { label: 'Sow', description: 'Grass.' });
}

browserTestsInOneTab('The filter by words', ({ app }) => {
  it('of the board and the list looks at descriptions on request, which its address contains [S.web.descriptions, S.web.live, S.web.accessible]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/board', prepare: tasks });
    for (const [view, role] of [
      ['board', 'button'],
      ['list', 'link'],
    ] as const) {
      if (view === 'list') await showOnly(page, address('/projects/:project/list'));
      const shown = (label: RegExp): ReturnType<typeof page.getByRole> => page.getByRole(role, { name: label });
      await shown(/^Sow/).waitFor();
      await page.getByPlaceholder('Filter…').fill('frog');
      await shown(/^Sow/).waitFor({ state: 'detached' });
      expect(await shown(/^Dig the pond/).count()).to.equal(0);
      const toggle = page.getByRole('button', { name: 'Search descriptions' });
      expect(await toggle.getAttribute('aria-pressed')).to.equal('false');
      await toggle.click();
      await shown(/^Dig the pond/).waitFor();
      await shown(/^Frogs: count them/).waitFor();
      expect(await shown(/^Sow/).count()).to.equal(0);
      await page.waitForURL(/[?&]in=descriptions/);
      await expectAccessible(page, ['[role=toolbar]', '[type=search]']);
      await showOnly(page, page.url());
      await shown(/^Dig the pond/).waitFor();
      expect(await toggle.getAttribute('aria-pressed')).to.equal('true');
      const { body } = await rest.post(`/projects/${project}/tasks`, { label: 'Watch', description: 'A frog jumps.' });
      await shown(/^Watch/).waitFor();
      await toggle.click();
      await shown(/^Watch/).waitFor({ state: 'detached' });
      await shown(/^Frogs: count them/).waitFor();
      await rest.delete(`/tasks/${body.id}`);
    }
  });

  rarely('of a saved view keeps whether it looks at descriptions [S.web.descriptions, S.web.list-views]', async () => {
    const { page, rest, project } = await app({
      path: '/projects/:project/list?q=frogs&in=descriptions',
      prepare: tasks,
    });
    await page.getByRole('link', { name: 'Dig the pond' }).waitFor();
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Frogs');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?view=[^&]+$/);
    await page.getByRole('link', { name: 'Dig the pond' }).waitFor();
    const { views } = (await rest.get(`/projects/${project}/views`)).body;
    expect(views[0].config).to.include({ text: 'frogs', in: 'descriptions' });
    await page.getByRole('link', { name: 'All tasks' }).click();
    await page.getByRole('link', { name: 'Sow' }).waitFor();
    await page.getByRole('link', { name: 'Frogs', exact: true }).click();
    await page.getByRole('link', { name: 'Sow' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Dig the pond' }).waitFor();
  });
});
