import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { hold } from './support/hold.ts';
import { until, untilEqual } from './support/until.ts';
import { visit } from './support/visit.ts';

async function oneTask(rest: RestClient, project: string): Promise<void> {
  await rest.post(`/projects/${project}/tasks`, { label: 'Receipt printer' });
  await rest.post(`/projects/${project}/documents`, { title: 'Watering', body: 'Drip lines.' });
}

const focused = async (page: Page): Promise<string> => String(await page.evaluate(`document.activeElement?.value`));

browserTestsInOneTab('The frame of the page', ({ app }) => {
  rarely('takes every key that follows Ctrl-K [S.web.commands]', async () => {
    const { page } = await app({ path: '/', own: 'document', prepare: oneTask });
    await page.getByRole('link', { name: 'Garden' }).first().click();
    await page.getByRole('link', { name: 'Board' }).click();
    await page.getByRole('button', { name: /^Receipt printer/ }).waitFor();
    // From now on no code comes: the menu's first code is there.
    const code = await hold(page, /\/assets\//);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cg bpay');
    await page.getByRole('dialog', { name: 'Search or do' }).waitFor();
    await untilEqual(() => focused(page), 'cg bpay');
    code.release();
  });

  rarely('shows a view when the service is back, and the panel next to the view [S.web.code]', async () => {
    const { page } = await app({ own: 'document', prepare: oneTask });
    await page.getByRole('link', { name: 'Board' }).waitFor();
    // With a route, the browser has no cache: code that is on its way now would not come.
    await page.locator('[data-updates="streamed"]').waitFor();
    await page.waitForLoadState('load');
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
    const sheets = await page.evaluate<string[]>(`[...document.styleSheets].flatMap(({ href }) => href ?? [])`);
    expect(sheets).to.deep.equal([...new Set(sheets)]);
    await untilEqual(
      () => page.evaluate<number>(`[...document.styleSheets].filter((sheet) => sheet.cssRules.length === 0).length`),
      0,
    );
  });

  it('folds the sidebar by a key and by its button, and keeps it so after a reload [S.web.sidebar]', async () => {
    const { page } = await app({ own: 'document', prepare: oneTask });
    const views = page.getByRole('navigation', { name: 'Project' });
    await views.waitFor();
    await page.keyboard.press('[');
    await views.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await views.waitFor();
    await page.reload();
    await views.waitFor();
  });

  it('says that a new version is there, and keeps open panels [S.web.code]', async () => {
    const { page } = await app({ own: 'document', prepare: oneTask });
    await page.getByRole('link', { name: 'Board' }).click();
    // The overview names the task, too.
    await page.locator('[data-task]').waitFor();
    // The service was upgraded: its page names other files, and the files of this page are gone.
    let isUpgraded = true;
    let isReloaded = false;
    await page.route('**/assets/**', (route) => (isUpgraded ? route.fulfill({ status: 404 }) : route.continue()));
    await page.route(
      ({ pathname }) => pathname === '/',
      async (route) => {
        // The page that is reloaded is the new build. Until then, the open one asks again with each piece that is missing.
        if (route.request().isNavigationRequest()) isReloaded = true;
        if (isReloaded) return route.continue();
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
    await bar.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(await bar.count()).to.equal(0);
  });

  rarely('draws the view next to a panel that fails, and the frame around a view that fails [S.web.code]', async () => {
    const { page } = await app({ own: 'document', prepare: oneTask, causes: /Broken/ });
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

  rarely(
    'loads the other views while the browser is idle, and shows them without the service [S.web.code]',
    async () => {
      const { page } = await app({ prepare: oneTask, preloads: true });
      // Not by an event: the response may have come before the test listens.
      const loaded = `['inbox', 'prototypes'].every((view) => performance.getEntriesByType('resource')
      .some(({ name, responseEnd }) => responseEnd > 0 && name.includes('/assets/' + view + '-') && name.endsWith('.js')))`;
      await until(() => page.evaluate<boolean>(loaded));
      await page.route('**/*', (route) => route.abort('connectionrefused'));
      await page.getByRole('link', { name: 'Inbox' }).click();
      await page.getByRole('heading', { name: 'The service does not respond' }).first().waitFor();
      expect(await page.getByText('This part is shown').count()).to.equal(0);
    },
  );
});

/** The service does not respond to the page until this is called. */
async function away(page: Page): Promise<() => Promise<void>> {
  await page.route('**/api/v1/**', (route) => route.abort('connectionrefused'));
  return () => page.unrouteAll({ behavior: 'ignoreErrors' });
}

const bodyOf = async (rest: RestClient, id: string): Promise<string> =>
  (await rest.get(`/documents/${id}`)).body.body as string;

async function typeAtEnd(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

browserTestsInOneTab('Unsent drafts', ({ app }) => {
  const documentOf = async (rest: RestClient, project: string): Promise<string> =>
    (await rest.get(`/projects/${project}/documents`)).body.documents[0].id as string;

  it('of a document are sent wherever the person is, once the service is back [S.web.autosave]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/documents', prepare: oneTask });
    const id = await documentOf(rest, project);
    await visit(page, address(`/projects/:project/documents/${id}?mode=write`));
    await typeAtEnd(page, 'Text of the document', ' Every morning.');
    const back = await away(page);
    await page.keyboard.type(' At six.');
    await page.getByText('Kept in this browser').waitFor();
    await page.getByRole('link', { name: 'Board' }).click();
    const pill = page.getByRole('button', { name: '1 unsent draft' });
    await pill.click();
    const list = page.getByRole('dialog', { name: 'Unsent drafts' });
    await list.getByText('Sent as soon as the service responds.').waitFor();
    await list.getByText('Drip lines. Every morning. At six.').waitFor();
    await list.getByRole('link', { name: 'Watering' }).waitFor();
    await expectAccessible(page);
    await back();
    await until(async () => (await bodyOf(rest, id)) === 'Drip lines. Every morning. At six.');
    await pill.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).to.match(/\/board$/);
  });

  rarely('that another user contradicts are listed, and merged when they are opened [S.web.autosave]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/documents', prepare: oneTask });
    const id = await documentOf(rest, project);
    await visit(page, address(`/projects/:project/documents/${id}?mode=write`));
    const text = page.getByRole('textbox', { name: 'Text of the document' });
    await text.waitFor();
    const back = await away(page);
    await text.fill('Sprinklers.');
    await page.getByText('Kept in this browser').waitFor();
    await page.getByRole('link', { name: 'Board' }).click();
    await rest.patch(`/documents/${id}`, { body: 'Cans.' });
    await page.getByRole('button', { name: '1 unsent draft' }).waitFor();
    await back();
    await page.getByRole('button', { name: '1 unsent draft' }).click();
    const list = page.getByRole('dialog', { name: 'Unsent drafts' });
    await list.getByText('Another user changed the same text').waitFor();
    expect(await bodyOf(rest, id)).to.equal('Cans.');
    await list.getByRole('link', { name: 'Watering' }).click();
    await page.getByRole('button', { name: 'Mine everywhere' }).click();
    await page.getByRole('button', { name: 'Save this' }).click();
    await until(async () => (await bodyOf(rest, id)) === 'Sprinklers.');
    await page.getByRole('button', { name: '1 unsent draft' }).waitFor({ state: 'detached' });
  });

  rarely('that version 0.1.0 stored are sent, and their keys removed [S.web.autosave]', async () => {
    const { page, rest, project } = await app({ prepare: oneTask });
    const id = await documentOf(rest, project);
    const { headers, body } = await rest.get(`/documents/${id}`);
    const fields = { title: body.title as string, body: body.body as string, status: '' };
    const stored = {
      base: { fields, tag: headers.get('etag') },
      fields: { ...fields, body: 'Drip lines. Every morning.' },
    };
    const former = `planner.draft.${project}.${id}`;
    await page.evaluate(`localStorage.setItem('${former}', ${JSON.stringify(JSON.stringify(stored))})`);
    await page.reload();
    await until(async () => (await bodyOf(rest, id)) === 'Drip lines. Every morning.');
    await until(async () => !/draft/.test(String(await page.evaluate('Object.keys(localStorage).join()'))));
  });

  rarely(
    'of a description and a comment are sent once they were handed in [S.web.autosave, S.web.comments]',
    async () => {
      const { page, rest, project } = await app({ path: '/projects/:project/board', prepare: oneTask });
      const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
      const task = `/tasks/${tasks[0].id}`;
      await page.getByRole('button', { name: /^Receipt printer/ }).click();
      await page.getByRole('button', { name: 'Write one' }).click();
      await typeAtEnd(page, 'Description', 'Thermal paper.');
      await typeAtEnd(page, 'Comment', 'Who buys it?');
      const back = await away(page);
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByText('as soon as the service responds').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Kept in this browser').waitFor();
      await typeAtEnd(page, 'Comment', 'And when?');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Receipt printer' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '3 unsent drafts' }).waitFor();
      await back();
      await until(async () => (await rest.get(task)).body.description === 'Thermal paper.');
      // The comment that was not handed in is kept, and not sent.
      await page.getByRole('button', { name: '1 unsent draft' }).click();
      await page.getByText('Not handed in yet').waitFor();
      const { comments } = (await rest.get(`${task}/comments`)).body;
      expect(comments.map(({ body }: { body: string }) => body)).to.deep.equal(['<p>Who buys it?</p>']);
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('dialog', { name: 'Discard this draft?' }).getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('button', { name: '1 unsent draft' }).waitFor({ state: 'detached' });
    },
  );
});
