import { expect } from 'chai';
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { showOnly } from './support/visit.ts';

const sections = 24;
const longBody = Array.from(
  { length: sections },
  (_, at) =>
    `## Section ${at + 1}\n\n${'The beds dry out in July, and the drip line waters them before six. '.repeat(12)}`,
).join('\n\n');

/** The page on paper: the text that is drawn while the page is printed, and the number of pages. */
async function printed(page: Page): Promise<{ readonly text: string; readonly pages: number; readonly pdf: Buffer }> {
  // The text at the moment at which the browser draws the paper.
  await page.evaluate(
    `window.addEventListener('beforeprint', () => queueMicrotask(() => { window.printedText = document.body.innerText; }))`,
  );
  await page.emulateMedia({ media: 'print' });
  const pdf = await page.pdf({ format: 'A4' });
  const text = String(await page.evaluate(`window.printedText`));
  await page.emulateMedia({ media: 'screen' });
  return { text, pages: pagesOf(pdf), pdf };
}

/** The number of page objects of a PDF; some are in compressed streams. */
function pagesOf(pdf: Buffer): number {
  const count = (text: string): number => text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  const source = pdf.toString('latin1');
  let sum = count(source);
  for (const { index } of source.matchAll(/stream\r?\n/g)) {
    try {
      sum += count(inflateSync(pdf.subarray(source.indexOf('\n', index) + 1)).toString('latin1'));
    } catch {
      // Another kind of stream.
    }
  }
  return sum;
}

browserTestsInOneTab('On paper', ({ app }) => {
  const fill = async (rest: RestClient, project: string): Promise<void> => {
    await rest.post(`/projects/${project}/documents`, {
      title: 'Watering',
      body: `${longBody}\n\nSee [the pump](https://pump.example/manual).\n\nThis is the last paragraph.\n`,
    });
    const nodes = Array.from({ length: 60 }, (_, at) => ({ id: `t${at}`, label: `Bed ${at + 1} of sixty` }));
    await rest.put(`/projects/${project}/canvas`, { nodes });
  };

  it('a document is whole, without its surroundings, from the editor too [S.web.print]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/documents', prepare: fill });
    const { documents } = (await rest.get(`/projects/${project}/documents`)).body;
    for (const mode of ['preview', 'write', 'beside']) {
      await showOnly(page, address(`/projects/:project/documents/${documents[0].id}?mode=${mode}`));
      await page.getByText('Section 1', { exact: true }).filter({ visible: true }).first().waitFor();
      const { text, pages } = await printed(page);
      expect(pages, mode).to.be.within(5, 15);
      expect(text, mode).to.include('This is the last paragraph.').and.to.include(`Section ${sections}`);
      for (const around of ['Overview', 'Prototypes', 'Search or do', 'Write', 'No comments yet', '## Section'])
        expect(text, `${mode}: ${around}`).not.to.include(around);
    }
  });

  rarely('the list, the board and an open task are whole [S.web.print]', async () => {
    const { page, address } = await app({ path: '/projects/:project/list', prepare: fill });
    for (const view of ['list', 'board']) {
      await showOnly(page, address(`/projects/:project/${view}`));
      await page.getByText('Bed 1 of sixty').waitFor();
      const { text, pages } = await printed(page);
      expect(pages, view).to.be.greaterThan(1);
      for (const at of [1, 30, 60]) expect(text, view).to.include(`Bed ${at} of sixty`);
      expect(text, view).not.to.include('Prototypes').and.not.to.include('Filter');
      await page.getByText('Prototypes').waitFor();
    }
    await page.getByText('Bed 2 of sixty').click();
    await page.getByRole('dialog', { name: 'Bed 2 of sixty' }).waitFor();
    await page.getByText('No comments yet.').waitFor();
    const { text } = await printed(page);
    expect(text).not.to.include('Bed 1 of sixty');
  });
});
