import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { carry } from './support/carry.ts';
import { hold } from './support/hold.ts';
import { until, untilEqual } from './support/until.ts';
import { showOnly, visit } from './support/visit.ts';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** An initial document; `shown.id` is its id once the page is open. */
function oneDocument(body: string, shown: { id: string }): (rest: RestClient, project: string) => Promise<void> {
  return async (rest, project) => {
    shown.id = (await rest.post(`/projects/${project}/documents`, { title: 'Soil', body })).body.id as string;
  };
}

const source = (page: Page): ReturnType<Page['getByRole']> =>
  page.getByRole('textbox', { name: 'Text of the document' });

async function saved(page: Page): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: /^Saved$/ })
    .waitFor();
}

/** Waits until the service has a value that the person sees. */
const untilStored = (rest: RestClient, id: string, member: string, value: unknown): Promise<void> =>
  untilEqual(async () => (await rest.get(`/documents/${id}`)).body[member] as unknown, value);

browserTestsInOneTab('Documents', ({ app }) => {
  it('are in folders, and are moved by mouse and by menu [S.web.documents]', async () => {
    const shown = { id: '' };
    const { page, rest, project } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument('Clay.', shown),
    });
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Name').fill('Decisions');
    await page.keyboard.press('Enter');
    const folder = page.getByRole('button', { name: 'Decisions', exact: true });
    await folder.waitFor();
    const onto = page.locator('li[class*=over]').filter({ has: folder });
    await carry(page, page.getByRole('link', { name: 'Soil' }), folder, onto);
    const { id: folderId } = (await rest.get(`/projects/${project}/folders`)).body.folders[0];
    await untilStored(rest, shown.id, 'folder_id', folderId);
    await page.getByRole('button', { name: 'More about Soil' }).click();
    await page.getByRole('menuitem', { name: 'Move to…' }).click();
    await page.getByLabel('To', { exact: true }).selectOption('Unfiled');
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await untilStored(rest, shown.id, 'folder_id', null);
  });

  rarely('are rendered only if they are visible [S.web.documents]', async () => {
    const { page } = await app({
      path: '/projects/:project/documents',
      prepare: async (rest, project) => {
        const { body } = await rest.post(`/projects/${project}/folders`, { name: 'Beds' });
        for (let i = 0; i < 150; i++)
          await rest.post(`/projects/${project}/documents`, { title: `Bed ${i}`, body: '', folder_id: body.id });
      },
    });
    const links = page.getByRole('navigation', { name: 'Documents' }).getByRole('link');
    await links.filter({ hasText: 'Bed' }).first().waitFor();
    expect(await links.count()).to.be.lessThan(80);
    await page.getByRole('searchbox').fill('Bed 149');
    await page.getByRole('link', { name: 'Bed 149' }).click();
    await page.getByRole('searchbox').fill('');
    // Opening an address shows the document in the tree.
    await showOnly(page, new URL(page.url()).pathname);
    await page.getByRole('link', { name: 'Bed 149' }).waitFor();
    await page.getByRole('button', { name: 'Beds', exact: true }).waitFor({ state: 'detached' });
  });

  rarely('are saved with a proxy that makes tags weak [S.web.autosave, D13.if-match]', async () => {
    const shown = { id: '' };
    const { page, rest } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument('Clay.', shown),
    });
    await page.route(/api\/v1\/documents\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      await route.fulfill({ response, headers: { ...headers, etag: `W/${headers['etag']!}` } });
    });
    await page.getByRole('link', { name: 'Soil' }).click();
    await page.getByRole('button', { name: 'Both' }).click();
    for (const body of ['Loam.', 'Loam and sand.']) {
      await source(page).fill(body);
      await untilStored(rest, shown.id, 'body', body);
      await saved(page);
    }
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('are edited with links and pictures, in one revision, and survive a reload while being typed [S.web.documents, S.web.autosave, S.web.session]', async () => {
    const shown = { id: '' };
    const { page, rest, project } = await app({
      path: '/projects/:project/documents',
      prepare: async (client, id) => {
        await oneDocument('# Soil\n\nClay.\n', shown)(client, id);
        await client.post(`/projects/${id}/tasks`, { label: 'Dig the bed' });
      },
    });
    await page.getByRole('link', { name: 'Soil' }).click();
    await page.getByRole('heading', { name: 'Soil', level: 1 }).last().waitFor();
    await page.getByRole('button', { name: 'Both' }).click();
    await source(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('See [[dig');
    await page.getByRole('option', { name: /Dig the bed/ }).click();
    const preview = page.getByRole('region', { name: 'Preview of Text of the document' });
    expect(await preview.getByRole('link', { name: 'Dig the bed' }).getAttribute('href')).to.match(/\?task=tsk_/);
    await saved(page);
    await until(async () => (await rest.get(`/documents/${shown.id}`)).body.links.length === 1);
    await source(page).click();
    await page.keyboard.press('Control+End');
    await page.evaluate(`{
      const bytes = Uint8Array.from(atob('${dot}'), (each) => each.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'bed.png', { type: 'image/png' }));
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
    await preview.getByRole('img', { name: 'bed.png' }).waitFor();
    await page.keyboard.type(' Half a sen');
    await page.reload();
    await page.getByRole('button', { name: 'Both' }).click();
    await preview.getByText('Half a sen').waitFor();
    await until(async () =>
      /^# Soil\n\nClay.\nSee \[Dig the bed\]\(planner:\/\/task\/tsk_\w+\)!\[bed.png\]\(\/api\/v1\/files\/fil_\w+\) Half a sen$/.test(
        (await rest.get(`/documents/${shown.id}`)).body.body as string,
      ),
    );
    await saved(page);
    const { revisions } = (await rest.get(`/projects/${project}/revisions?target_id=${shown.id}`)).body;
    expect(revisions).to.have.length(1);
    await page.getByRole('button', { name: /^Links/ }).click();
    await page
      .getByRole('complementary', { name: 'Beside the text' })
      .getByRole('link', { name: 'Dig the bed' })
      .waitFor();
  });

  it('show the preview of a long text after the typed letters, parsed outside the thread that handles keys [S.web.preview]', async () => {
    const shown = { id: '' };
    const { page } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument(
        Array.from({ length: 300 }, (_, at) => `- Water bed **${at}** before six\n`).join(''),
        shown,
      ),
    });
    const worker = await hold(page, /parse-worker/);
    await page.getByRole('link', { name: 'Soil' }).click();
    await page.getByRole('button', { name: 'Both' }).click();
    const preview = page.getByRole('region', { name: 'Preview of Text of the document' });
    await preview.getByText('Water bed 299 before six').waitFor();
    await page.evaluate(`{
      window.changes = [];
      window.items = [...document.querySelectorAll('[aria-label^="Preview of"] li')];
      new MutationObserver((list) => window.changes.push(...list)).observe(window.items[0].closest('[aria-label]'), { childList: true, characterData: true, subtree: true });
    }`);
    const scrolled = await preview.evaluate((element) => {
      element.scrollTop = 400;
      return element.scrollTop;
    });
    await source(page).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('One more. ');
    await source(page).getByText('One more').waitFor();
    // The thread has nothing left to do, and nothing of the preview was drawn.
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve)))`);
    expect(await page.evaluate('window.changes.length')).to.equal(0);
    worker.release();
    await preview.getByText('One more. Water bed 0 before six').waitFor();
    // The other items stay as they were.
    expect(await page.evaluate('window.changes.length')).to.be.lessThan(12);
    expect(await page.evaluate('window.items.filter((each) => each.isConnected).length')).to.equal(300);
    expect(await preview.evaluate((element) => element.scrollTop)).to.be.closeTo(scrolled, 40);
  });

  it('show the preview of the last text without its worker, however late a preview before it is drawn [S.web.preview]', async () => {
    const { page } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument('Clay and sand. '.repeat(560), { id: '' }),
    });
    let drawFirst = (): void => undefined;
    const firstDrawn = new Promise<void>((resolve) => (drawFirst = resolve));
    let requests = 0;
    await page.route(/parse-worker/, async (route) => {
      if (++requests > 1) await firstDrawn;
      await route.abort();
    });
    await page.getByRole('link', { name: 'Soil' }).click();
    await page.getByRole('button', { name: 'Both' }).click();
    await source(page).click();
    await page.keyboard.press('Control+Home');
    // React draws a preview, which is not urgent, at a message of a port, and letters without one.
    await page.evaluate(`{
      const { postMessage } = MessagePort.prototype;
      const held = [];
      MessagePort.prototype.postMessage = function (...values) { held.push(() => postMessage.apply(this, values)); };
      const Former = Worker;
      Worker = class extends Former {
        constructor(...values) {
          super(...values);
          this.addEventListener('error', () => setTimeout(() => (window.hasFailed = true)));
        }
      };
      window.drawAgain = () => {
        Worker = Former;
        MessagePort.prototype.postMessage = postMessage;
        for (const post of held) post();
      };
    }`);
    await page.keyboard.type('b');
    await until(() => page.evaluate<boolean>('window.hasFailed === true'));
    await page.keyboard.type('s');
    // The pause after which a text is parsed is 9 ms, and began before.
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 100))`);
    await page.evaluate('window.drawAgain()');
    const preview = page.getByRole('region', { name: 'Preview of Text of the document' });
    await preview.getByText(/^bClay/).waitFor();
    drawFirst();
    await preview.getByText(/^bsClay/).waitFor();
  });

  it('have checklists that are ticked in the preview, which changes their text [S.web.checklists]', async () => {
    const shown = { id: '' };
    const body = 'Before `- [ ] this`.\n\n- [ ] dig\n  - [x] sow\n- [ ] [water](https://example.org)\n';
    const { page, rest } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument(body, shown),
    });
    await page.getByRole('link', { name: 'Soil' }).click();
    const boxes = page.getByRole('region', { name: 'Preview of Text of the document' }).getByRole('checkbox');
    await boxes.nth(2).check();
    await boxes.nth(1).uncheck();
    await saved(page);
    const ticked = body.replace('[x] sow', '[ ] sow').replace('[ ] [water]', '[x] [water]');
    await untilStored(rest, shown.id, 'body', ticked);
    expect(await boxes.evaluateAll((all) => all.map((each) => each.matches(':checked')))).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  rarely('accept a click on a title while titles for the next letters are searched for [S.web.documents]', async () => {
    const shown = { id: '' };
    const { page } = await app({
      path: '/projects/:project/documents',
      prepare: async (client, id) => {
        await oneDocument('Clay.\n', shown)(client, id);
        await client.post(`/projects/${id}/tasks`, { label: 'Dig the bed' });
      },
    });
    await page.getByRole('link', { name: 'Soil' }).click();
    await page.getByRole('button', { name: 'Both' }).click();
    await source(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('See [[d');
    const option = page.getByRole('option', { name: /Dig the bed/ });
    await option.waitFor();
    const search = await hold(page, /search\?/);
    await page.keyboard.type('ig');
    await search.sent;
    await option.click();
    await page
      .getByRole('region', { name: 'Preview of Text of the document' })
      .getByRole('link', { name: 'Dig the bed' })
      .waitFor();
    search.release();
    await saved(page);
  });

  it('are commented on in the preview, and the passage is found again [S.web.anchors, S.web.comments]', async () => {
    const shown = { id: '' };
    const { page, rest, project } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument('The beds dry out in **July**. A drip line costs 140.\n', shown),
    });
    await visit(page, `/projects/${project}/documents/${shown.id}`);
    const preview = page.getByRole('region', { name: 'Preview of Text of the document' });
    await preview.getByText('A drip line costs 140').waitFor();
    await page.evaluate(`{
      const text = document.querySelector('[role=region] p').lastChild;
      getSelection().setBaseAndExtent(text, 2, text, 23);
    }`);
    await page.getByRole('button', { name: 'Comment' }).last().click();
    const composer = page.getByRole('textbox', { name: 'Comment' });
    await composer.click();
    await page.keyboard.type('Is it still?');
    await page.keyboard.press('Control+Enter');
    const beside = page.getByRole('complementary', { name: 'Beside the text' });
    await beside.getByRole('button', { name: 'Show “A drip line costs 140” in the text' }).waitFor();
    const { comments } = (await rest.get(`/documents/${shown.id}/comments`)).body;
    expect(comments).to.have.length(1);
    expect(comments[0]).to.deep.include({ body: '<p>Is it still?</p>', passage: 'A drip line costs 140' });
    expect(comments[0].anchor).to.deep.include({ type: 'TextQuoteSelector', exact: 'A drip line costs 140' });
    const marked = async (text: string): Promise<void> => {
      const look = `['planner-passage', 'planner-passage-chosen'].flatMap((name) => [...(CSS.highlights.get(name) ?? [])]).map(String)`;
      await until(async () => (await page.evaluate<string[]>(look)).includes(text));
    };
    await marked('A drip line costs 140');
    await rest.patch(`/documents/${shown.id}`, {
      body: 'New.\n\nThe beds dry out in **July**. A drip line costs 160.\n',
    });
    await marked('A drip line costs 160');
    await rest.patch(`/documents/${shown.id}`, { body: 'All is different now.\n' });
    await beside.getByText('This text does not exist any more.').waitFor();
    await beside.getByRole('button', { name: 'Resolve' }).click();
    await beside.getByText('No open comments.').waitFor();
    await beside.getByRole('button', { name: 'Show 1 resolved' }).click();
    await beside.getByRole('button', { name: 'Reopen' }).click();
    await beside.getByRole('button', { name: 'More about this comment' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await beside.getByRole('textbox', { name: 'Comment' }).first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Settled');
    await beside.getByRole('button', { name: 'Save' }).click();
    await beside.getByText('Settled').waitFor();
    await beside.getByRole('button', { name: 'More about this comment' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await beside.getByText('No comments yet.').waitFor();
    const all = `/documents/${shown.id}/comments?include_resolved=true`;
    await untilEqual(async () => (await rest.get(all)).body.comments, []);
  });

  it('have notes next to them, edited in the same way [S.web.notes, S.web.file-path]', async () => {
    const { page, rest, project, root } = await app({ path: '/projects/:project/notes' });
    await page.getByRole('button', { name: 'New note' }).last().click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Neighbour');
    await page.getByRole('textbox', { name: 'Text of the note' }).click();
    await page.keyboard.type('He has a spare line.');
    await page.keyboard.press('Control+S');
    await untilEqual(async () => {
      const { notes } = (await rest.get(`/projects/${project}/notes`)).body;
      return notes.map(({ title, body }: { title: string; body: string }) => [title, body]);
    }, [['Neighbour', 'He has a spare line.']]);
    await saved(page);
    await rest.post('/flush', {});
    await page.getByRole('button', { name: 'More about this note' }).click();
    await page.getByRole('menuitem', { name: 'Open in your editor' }).click();
    const path = await page.getByRole('textbox', { name: 'Path of the file' }).inputValue();
    expect(readFileSync(join(root, path), 'utf8')).to.include('He has a spare line.');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More about this note' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No notes yet').waitFor();
  });

  it('merge concurrent changes of others, and show both versions of a conflict [S.web.autosave, S.web.live]', async () => {
    const shown = { id: '' };
    const { page, rest, root, project, service } = await app({
      path: '/projects/:project/documents',
      prepare: oneDocument('one\n\ntwo\n\nthree\n', shown),
    });
    await visit(page, `/projects/${project}/documents/${shown.id}?mode=write`);
    // An edit of the file appears in the open editor.
    await rest.post('/flush', {});
    const path = (await rest.get(`/projects/${project}/records/${shown.id}/file`)).body.path as string;
    writeFileSync(join(root, path), readFileSync(join(root, path), 'utf8').replace('three', 'three from the file'));
    await service.store.rescan();
    await source(page).getByText('three from the file').waitFor();
    await source(page).click();
    // Each save is on its way when the service gets the change of the other user, and arrives after it.
    const typed = async (text: string, theirs: string): Promise<void> => {
      const save = await hold(page, new RegExp(shown.id), 'PATCH');
      await page.keyboard.press('Control+Home');
      await page.keyboard.type(text);
      await page.keyboard.press('Control+S');
      await save.sent;
      await rest.patch(`/documents/${shown.id}`, { body: theirs });
      save.release();
    };
    await typed('mine ', 'one\n\ntwo\n\nthree of another\n');
    await source(page).getByText('three of another').waitFor();
    await untilStored(rest, shown.id, 'body', 'mine one\n\ntwo\n\nthree of another\n');
    await saved(page);
    // Both change the same words.
    await typed('all ', 'yours one\n\ntwo\n\nthree of another\n');
    await page.getByRole('heading', { name: 'Another user changed the same text' }).waitFor();
    expect((await rest.get(`/documents/${shown.id}`)).body.body).to.match(/^yours one/);
    await expectAccessible(page);
    await page.getByRole('radio', { name: /^Both/ }).check();
    await page.getByRole('button', { name: 'Save this' }).click();
    await untilStored(rest, shown.id, 'body', 'yours one\nall mine one\n\ntwo\n\nthree of another\n');
  });
});
