import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTests } from './support/browser.ts';

async function oneTask(rest: RestClient, project: string): Promise<void> {
  await rest.post(`/projects/${project}/tasks`, { label: 'Receipt printer' });
  await rest.post(`/projects/${project}/documents`, { title: 'Watering', body: 'Drip lines.' });
}

const focused = async (page: Page): Promise<string> => String(await page.evaluate(`document.activeElement?.value`));

/** The page after its first load, of which nothing else was loaded: the first idle period did not come. */
const withoutPreloading = `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`;

browserTests('The frame of the page', ({ app }) => {
  it('takes every key that follows Ctrl-K [S.web.commands]', async () => {
    const { page } = await app({ path: '/', prepare: oneTask });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.addInitScript(withoutPreloading);
    for (const [typed, isSlow] of [
      ['receipt', false],
      ['card', true],
      ['g bcpayment', true],
    ] as const) {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.goto('/');
      await page.getByRole('link', { name: 'Garden' }).first().click();
      await page.getByRole('link', { name: 'Board' }).click();
      await page.getByRole('button', { name: /^Receipt printer/ }).waitFor();
      // From now on no code comes: what the menu needs is there.
      if (isSlow) await page.route('**/assets/**', (route) => released.then(() => route.continue()));
      await page.keyboard.press('Control+k');
      await page.keyboard.type(typed);
      await page.getByRole('dialog', { name: 'Search or do' }).waitFor();
      expect(await focused(page)).to.equal(typed);
    }
    release();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('shows a view when the service is back, and the panel beside the view [S.web.code]', async () => {
    const { page } = await app({ prepare: oneTask });
    await page.addInitScript(withoutPreloading);
    await page.goto(page.url());
    await page.getByRole('link', { name: 'Board' }).waitFor();
    let isThere = false;
    const answer = (route: Route): Promise<void> => (isThere ? route.continue() : route.abort('connectionrefused'));
    await page.route('**/*', answer);
    await page.getByRole('link', { name: 'List' }).click();
    await page.getByText('This part is shown as soon as it does.').waitFor();
    await page.getByRole('status').getByText('Offline').waitFor();
    isThere = true;
    await page.getByRole('link', { name: 'Receipt printer' }).waitFor();
    isThere = false;
    await page.getByRole('link', { name: 'Receipt printer' }).click();
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
    await page.getByRole('grid').waitFor();
    isThere = true;
    await page.getByRole('dialog', { name: 'Receipt printer' }).waitFor();
    expect(
      await page.evaluate(`[...document.styleSheets].filter((sheet) => sheet.cssRules.length === 0).length`),
    ).to.equal(0);
  });

  it('says that a new version is there, and keeps what is open [S.web.code]', async () => {
    const { page } = await app({ prepare: oneTask });
    await page.addInitScript(withoutPreloading);
    await page.goto(page.url());
    await page.getByRole('link', { name: 'Board' }).click();
    await page.getByRole('button', { name: /^Receipt printer/ }).waitFor();
    // The service was upgraded: its page names other files, and those of this page are gone.
    let isUpgraded = true;
    await page.route('**/assets/**', (route) => (isUpgraded ? route.fulfill({ status: 404 }) : route.continue()));
    await page.route(
      ({ pathname }) => pathname === '/',
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace(/assets\/index-/, 'assets/newer-') });
      },
    );
    await page.getByRole('button', { name: /^Receipt printer/ }).click();
    const bar = page.getByRole('status').filter({ hasText: 'A new version of Planner is ready.' });
    await bar.waitFor();
    await page.getByRole('complementary', { name: 'Task' }).waitFor();
    expect(await page.getByRole('button', { name: /^Receipt printer/ }).count()).to.equal(1);
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('This part does not load.').waitFor();
    await expectAccessible(page);
    isUpgraded = false;
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await bar.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await bar.count()).to.equal(0);
  });

  it('draws the view beside a panel that fails, and the frame around a view that fails [S.web.code]', async () => {
    const { page } = await app({ prepare: oneTask, causes: /Broken/ });
    await page.addInitScript(withoutPreloading);
    await page.goto(page.url());
    await page.getByRole('link', { name: 'Board' }).click();
    const card = page.getByRole('button', { name: /^Receipt printer/ });
    await card.waitFor();
    await page.route(/assets\/(?:task-panel|history)-[^/]*\.js$/, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("Broken")' }),
    );
    await card.click();
    await page.getByRole('alert').getByText('Broken').waitFor();
    expect(await card.count()).to.equal(1);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { name: 'This view has failed' }).waitFor();
    await page.getByRole('link', { name: 'Board' }).click();
    await card.waitFor();
  });

  it('loads the other views while the browser is idle, and shows them without the service [S.web.code]', async () => {
    const { page } = await app({ prepare: oneTask });
    const loaded = page.waitForResponse(/assets\/prototypes-[^/]*\.js$/);
    await loaded;
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'The service does not respond' }).first().waitFor();
    expect(await page.getByText('This part is shown').count()).to.equal(0);
  });
});
