import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until } from './support/until.ts';
import { visit } from './support/visit.ts';

browserTestsInOneTab('Undo of decisions and creations', ({ app }) => {
  const toast = (page: Page, text: string): ReturnType<Page['locator']> =>
    page.locator('[data-sonner-toast]').filter({ hasText: text });
  const undone = (page: Page, what: string): Promise<void> => toast(page, `Undone: ${what}`).waitFor();
  const redone = (page: Page, what: string): Promise<void> => toast(page, `Redone: ${what}`).waitFor();

  it('takes the evidence for a goal back, with the remediation task that it filed or finished [S.web.undo-all]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/goals' });
    const { body: goal } = await rest.post(`/projects/${project}/goals`, {
      ...{ name: 'A fence', objective: 'It stands.', verification_surface: { kind: 'human_sign_off' } },
    });
    const state = async (): Promise<string> => {
      const { status, last_verification: last } = (await rest.get(`/goals/${goal.id}`)).body;
      const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: { status: string }[] };
      return [status, last?.green ?? 'none', ...tasks.map((task) => task.status)].join();
    };
    await rest.post(`/goals/${goal.id}/complete`, { evidence: { kind: 'human_sign_off', approved_by: '' } });
    expect(await state()).to.equal('blocked,false,scope');
    await visit(page, address(`/projects/:project/goals/${goal.id}`));
    await page.getByLabel('Approved by').fill('Grace');
    await page.keyboard.press('Enter');
    await toast(page, '“A fence” is complete.').waitFor();
    expect(await state()).to.equal('complete,true,done');
    await toast(page, '“A fence” is complete.').getByRole('button', { name: 'Undo' }).click();
    await undone(page, 'evidence for “A fence”');
    expect(await state()).to.equal('blocked,false,scope');
    await page.getByText('Verified as not reached').waitFor();
    await page.keyboard.press('Control+Shift+z');
    await redone(page, 'evidence for “A fence”');
    expect(await state()).to.equal('complete,true,done');
    await page.getByRole('button', { name: 'Reopen' }).click();
    await toast(page, '“A fence” is reopened.').waitFor();
    expect(await state()).to.equal('active,true,done');
    await page.keyboard.press('Control+z');
    await undone(page, 'reopening of “A fence”');
    expect(await state()).to.equal('complete,true,done');
    await page.keyboard.press('Control+z');
    await undone(page, 'evidence for “A fence”');
    await page.getByRole('button', { name: 'Resume work' }).click();
    await toast(page, '“A fence” is resumed.').waitFor();
    await page.keyboard.press('Control+z');
    await undone(page, 'resumption of “A fence”');
    expect(await state()).to.equal('blocked,false,scope');
  });

  rarely(
    'removes a document, a note and a comment that were just made, and brings them back [S.web.undo-all]',
    async () => {
      const { page, rest, project } = await app({ path: '/projects/:project/documents' });
      const count = async (): Promise<string> => {
        const { documents } = (await rest.get(`/projects/${project}/documents`)).body;
        const { notes } = (await rest.get(`/projects/${project}/notes`)).body;
        return `${documents.length} ${notes.length}`;
      };
      await page.getByRole('button', { name: 'New document' }).first().click();
      await toast(page, 'Created: new document “Untitled”.').getByRole('button', { name: 'Undo' }).click();
      await undone(page, 'new document “Untitled”');
      expect(await count()).to.equal('0 0');
      await toast(page, 'Undone: new document').getByRole('button', { name: 'Redo' }).click();
      await redone(page, 'new document “Untitled”');
      expect(await count()).to.equal('1 0');
      await page.getByRole('link', { name: 'Notes' }).click();
      await page.getByRole('button', { name: 'New note' }).first().click();
      await toast(page, 'Created: new note “Untitled”.').waitFor();
      await page.getByRole('textbox', { name: 'Comment' }).click();
      await page.keyboard.type('Good');
      await page.getByRole('button', { name: 'Comment' }).last().click();
      const listed = async (): Promise<number> =>
        (await rest.get(`/projects/${project}/comments`)).body.comments.length as number;
      await until(async () => (await listed()) === 1);
      // The composer is emptied once the page has the response.
      await until(async () => (await page.getByRole('textbox', { name: 'Comment' }).innerText()).trim() === '');
      await page.evaluate('document.activeElement?.blur()');
      await page.keyboard.press('Control+z');
      await undone(page, 'new comment');
      expect(await listed()).to.equal(0);
      await page.keyboard.press('Control+z');
      await undone(page, 'new note “Untitled”');
      expect(await count()).to.equal('1 0');
    },
  );
});
