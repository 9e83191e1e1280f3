import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { untilEqual, untilKeysWork } from './support/until.ts';
import { visit } from './support/visit.ts';

/** A key of an input method, as browsers report it: within the composition, or after its end with the code of such keys. */
const composed = [
  { key: 'Enter', isComposing: true },
  { key: 'Enter', keyCode: 229 },
  { key: 'Escape', isComposing: true },
];

/** Sends the keys to the field that has the focus, and says whether it still has it. */
const press = (page: Page, keys: readonly object[] = composed): Promise<unknown> =>
  page.evaluate(`(() => {
    const field = document.activeElement;
    for (const key of ${JSON.stringify(keys)})
      field.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));
    return document.activeElement === field && field.matches('input, textarea, [contenteditable=true]');
  })()`);

browserTestsInOneTab('An input method', ({ app }) => {
  it('ends its composition with Enter and Escape, which save, close and choose nothing [S.web.composition]', async () => {
    let id = '';
    const { page, rest, project } = await app({
      path: '/projects/:project/board',
      prepare: async (client: RestClient, at: string) => {
        id = (await client.post(`/projects/${at}/tasks`, { label: 'Dig' })).body.id;
      },
    });
    await visit(page, `/projects/${project}/board?task=${id}`);
    const panel = page.getByRole('dialog');
    const label = panel.getByRole('textbox', { name: 'Label' });
    await label.fill('にほんご');
    expect(await press(page), 'label').to.equal(true);
    expect(await label.inputValue()).to.equal('にほんご');
    await panel.getByRole('button', { name: 'Tags' }).click();
    await page.getByRole('combobox').fill('どろ');
    await page.getByRole('option', { name: /どろ/ }).waitFor();
    expect(await press(page), 'tags').to.equal(true);
    expect(await page.getByRole('combobox').inputValue()).to.equal('どろ');
    expect((await rest.get(`/tasks/${id}`)).body.tags).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await untilKeysWork(page);
    await label.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'にほんご' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('にほん');
    await page.getByRole('option', { name: /にほんご/ }).waitFor();
    expect(await press(page), 'menu').to.equal(true);
    await page.keyboard.press('Escape');
  });
});

/** The direction of the innermost visible element that has the text. */
const directionOf = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(
    `[...document.querySelectorAll('#root *')]
      .filter((each) => each.checkVisibility() && each.textContent === ${JSON.stringify(text)})
      .map((each) => getComputedStyle(each).direction).at(-1)`,
  );

browserTestsInOneTab('A label in Hebrew', ({ app }) => {
  it('has its direction on cards, in the list, on the canvas and in the list of documents [S.web.direction]', async () => {
    const [label, title, folder] = ['לחפור (2) [א]', 'אדמה (3)', 'תיקייה (4)'];
    const { page, project } = await app({
      path: '/projects/:project/board',
      prepare: async (client: RestClient, at: string) => {
        await client.post(`/projects/${at}/tasks`, { label, position: { x: 0, y: 0 } });
        await client.post(`/projects/${at}/tasks`, { label: 'Dig (1)', position: { x: 0, y: 200 } });
        const { body: document } = await client.post(`/projects/${at}/documents`, { title, body: '' });
        await client.patch(`/documents/${document.id}`, { position: { x: 300, y: 0 } });
        await client.post(`/projects/${at}/folders`, { name: folder });
      },
    });
    for (const [view, texts] of [
      ['board', [label]],
      ['list', [label]],
      ['canvas', [label, title]],
      ['documents', [title, folder]],
    ] as const) {
      await visit(page, `/projects/${project}/${view}`);
      for (const text of texts) await untilEqual(() => directionOf(page, text), 'rtl');
    }
    await visit(page, `/projects/${project}/board`);
    await untilEqual(() => directionOf(page, 'Dig (1)'), 'ltr');
  });
});
