import { browserTestsInOneTab } from './support/browser.ts';

browserTestsInOneTab('The list of shortcuts', ({ app }) => {
  it('shows the keys of each view in every view [S.web.shortcuts]', async () => {
    const { page } = await app({ path: '/projects/:project/goals' });
    await page.getByRole('heading', { name: 'Goals', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const [view, action] of [
      ['Board', 'Move the card to the column after'],
      ['List', 'Select up to the row'],
      ['List', 'Delete what is selected'],
      ['Canvas', 'Go to the node that is next in a direction'],
      ['Inbox and review', 'Send back with a reason'],
      ['Texts', 'Bold'],
    ] as const) {
      const section = dialog.locator('section').filter({ has: page.getByRole('heading', { name: view, exact: true }) });
      await section.getByText(action, { exact: true }).waitFor();
    }
    await dialog.getByText('Undo the last change').waitFor();
  });
});
