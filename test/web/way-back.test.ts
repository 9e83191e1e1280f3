import { expect } from 'chai';
import { browserTestsInOneTab } from './support/browser.ts';
import { until, untilEqual } from './support/until.ts';

browserTestsInOneTab('The way back', ({ app }) => {
  it('leads to the place in a list and on the board where one was [S.web.way-back]', async () => {
    const { page, address } = await app({
      path: '/projects/:project/list',
      prepare: async (rest, project) => {
        const nodes = Array.from({ length: 60 }, (_, at) => ({ id: `t${at}`, label: `Bed ${at}`, status: 'todo' }));
        await rest.put(`/projects/${project}/canvas`, { nodes });
      },
    });
    for (const [view, scroller] of [
      ['List', '[aria-label=Tasks]'],
      ['Board', 'section[data-status=todo] > div'],
    ] as const) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.locator(scroller).getByText('Bed 0', { exact: true }).waitFor();
      const offset = (): Promise<number> => page.evaluate(`document.querySelector('${scroller}').scrollTop`);
      await page.evaluate(`document.querySelector('${scroller}').scrollTop = 900`);
      await page.getByText('Bed 0', { exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Goals', exact: true }).click();
      await page.getByRole('heading', { name: 'Goals', level: 1 }).waitFor();
      await page.goBack();
      await until(async () => (await page.locator(scroller).count()) === 1 && (await offset()) > 800);
      await page.getByRole('link', { name: 'Goals', exact: true }).click();
      await page.getByRole('heading', { name: 'Goals', level: 1 }).waitFor();
      // A link begins at the top.
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.getByText('Bed 0', { exact: true }).waitFor();
      await untilEqual(offset, 0);
    }
    expect(page.url()).to.include(address('/projects/:project/board'));
  });
});
