import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { type HostedService } from '../support/hosted-service.ts';
import { untilEqual } from '../web/support/until.ts';
import { untilUpdates } from '../web/support/visit.ts';

/**
 * Signs in at the proxy's address, saves a document twice, each time after the answer to the former change, and sees the change of another
 * by the stream.
 */
export async function editThrough(browser: Browser, url: string, hosted: HostedService): Promise<void> {
  const { owner } = hosted;
  const project = await hosted.project('Orchard');
  const { id } = (await owner.post(`/projects/${project}/documents`, { title: 'Soil', body: 'Clay.' })).body;
  const { secret } = await hosted.key('owner', { name: 'Ada' });
  // The certificate of the proxy is the test's own.
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(error.message));
    await page.goto(`${url}/projects/${project}/documents/${id}`);
    await page.getByLabel('Owner key').fill(secret);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Both' }).click();
    await untilUpdates(page, 'streamed');
    for (const body of ['Loam.', 'Loam and sand.']) {
      await page.getByRole('textbox', { name: 'Text of the document' }).fill(body);
      await untilEqual(async () => (await owner.get(`/documents/${id}`)).body.body as string, body);
      await page
        .getByRole('status')
        .filter({ hasText: /^Saved$/ })
        .waitFor();
    }
    await seesOthers(page, hosted, project);
    expect(wrong).to.deep.equal([]);
  } finally {
    await context.close();
  }
}

async function seesOthers(page: Page, { owner }: HostedService, project: string): Promise<void> {
  await owner.post(`/projects/${project}/documents`, { title: 'Water', body: '' });
  await page.getByRole('link', { name: 'Water' }).waitFor();
  // The change did not arrive by a poll.
  await untilUpdates(page, 'streamed');
}
