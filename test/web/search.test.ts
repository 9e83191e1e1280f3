import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';

/** One record of each kind; `aphids` is in the titles of some and in the texts of others. */
async function garden(rest: RestClient, project: string): Promise<void> {
  const at = `/projects/${project}`;
  const { body: task } = await rest.post(`${at}/tasks`, { label: 'Order soap', description: 'It helps with aphids.' });
  await rest.post(`${at}/goals`, { name: 'No aphids', objective: 'Roses that bloom.' });
  await rest.post(`${at}/artifacts`, { title: 'Aphids report', kind: 'markdown', content: 'Fewer than last year.' });
  await rest.post(`${at}/prototypes`, { name: 'Aphids app' });
  await rest.post(`${at}/submissions`, { participant_name: 'Bo', title: 'Roses', body: 'I saw aphids there.' });
  const target = { target_type: 'task', target_id: task.id };
  await rest.post(`${at}/comments`, { ...target, body: 'The aphids came back.' });
}

browserTestsInOneTab('The search of the command menu', ({ app }) => {
  rarely(
    'shows hits of every kind in groups, hits in texts with the marked word, and opens them [S.web.commands]',
    async () => {
      const { page } = await app({ prepare: garden });
      // Before it is drawn, the page takes no keys.
      await page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor();
      const open = async (group: string, line: RegExp): Promise<void> => {
        await page.keyboard.press('Control+k');
        // Filled in one step, because the first letters have hits of their own, which are replaced when the next letter
        // is typed.
        await page.getByRole('combobox').fill('aphids');
        const hitIn = (name: string, text: RegExp): Locator =>
          page.getByRole('group', { name }).getByRole('option', { name: text });
        // Hits by text come after hits by title, and push these down: a click at that moment is on another line.
        await hitIn('Comments', /Order soap.*The aphids came back/).waitFor();
        const hit = hitIn(group, line);
        await hit.waitFor();
        if (group === 'Tasks') {
          expect(await hit.locator('mark').allTextContents()).to.deep.equal(['aphids']);
          for (const [name, text] of [
            ['Goals', /No aphids.*Roses that bloom/],
            ['Artifacts', /Aphids report.*Fewer than/],
            ['Prototypes', /Aphids app/],
            ['Submissions', /Roses.*I saw aphids there/],
          ] as const)
            await hitIn(name, text).waitFor();
          expect(
            (await page.getByRole('option').allTextContents()).findIndex((text) => text.includes('New task')),
          ).to.equal(6);
        }
        await hit.click();
      };
      await open('Tasks', /Order soap.*It helps with aphids/);
      await page.getByRole('dialog', { name: 'Order soap' }).waitFor();
      await open('Goals', /No aphids/);
      await page.waitForURL(/\/goals\/gol_/);
      await open('Artifacts', /Aphids report/);
      await page.waitForURL(/\/artifacts\/art_/);
      await open('Prototypes', /Aphids app/);
      await page.waitForURL(/\/prototypes\//);
      await open('Submissions', /Roses/);
      await page.waitForURL(/\/inbox/);
      await open('Comments', /The aphids came back/);
      await page.waitForURL(/task=tsk_/);
    },
  );
});
