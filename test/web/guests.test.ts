import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until } from './support/until.ts';
import { visit } from './support/visit.ts';

const arabic = 'مرحبا بالعالم';

const directionOf = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(
    `getComputedStyle([...document.querySelectorAll('main :is(p, li, input)')]
      .findLast((each) => each.checkVisibility() && (each.value || each.textContent).includes(${JSON.stringify(text)}))).direction`,
  );

browserTestsInOneTab('Guests', ({ app }) => {
  it('read a shared task with links to its documents, on a phone, by keys [S.web.guests]', async () => {
    const { page, rest, project } = await app({ path: '/icon.svg', viewport: { width: 390, height: 844 } });
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Dig', description: 'Deep.' });
    const code = 'x'.repeat(200);
    await rest.post(`/projects/${project}/documents`, {
      title: 'Soil',
      body: `- [x] dug\n- [ ] sown\n\n\`\`\`\n${code}\n\`\`\`\n\n${arabic}\n`,
      link_to: task.id,
    });
    const { body: share } = await rest.post(`/tasks/${task.id}/share`, {});
    await page.goto(share.url);
    expect(await page.getByText(code).count()).to.equal(0);
    await page.getByRole('link', { name: 'Soil' }).click();
    await page.getByText(code).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(390);
    await page.getByRole('link', { name: 'Dig' }).click();
    await page.getByText('Deep.').waitFor();
  });

  it('find the way to the form above the tasks [S.web.guests]', async () => {
    const { page, rest, project } = await app({ path: '/icon.svg', viewport: { width: 390, height: 844 } });
    for (let at = 0; at < 30; at++) await rest.post(`/projects/${project}/tasks`, { label: `Bed ${at}` });
    const { body: link } = await rest.post(`/projects/${project}/participant-links`, {});
    await page.goto(link.url);
    await page.getByText('To do').first().waitFor();
    const top = async (at: Locator): Promise<number> => (await at.boundingBox())!.y;
    const way = page.getByRole('link', { name: 'Submit a request' });
    expect(await top(way)).to.be.below(844);
    await way.click();
    await until(async () => (await top(page.getByLabel('Title'))) < 844);
  });
});

browserTestsInOneTab('Text', ({ app }) => {
  rarely('has the direction of its letters, in documents and comments [S.web.documents, S.web.comments]', async () => {
    const { page, rest, project, address } = await app({ path: '/' });
    const { body: document } = await rest.post(`/projects/${project}/documents`, {
      title: arabic,
      body: `${arabic} واحد\n\nLeft to right.\n\n- ${arabic} اثنان\n`,
    });
    await rest.post(`/documents/${document.id}/comments`, { body: `<p>${arabic} ثلاثة</p>` });
    await visit(page, address(`/projects/:project/documents/${document.id}`));
    await page.getByText('ثلاثة').waitFor();
    // The text and its comments come by requests of their own.
    await page.locator('main li', { hasText: 'اثنان' }).waitFor();
    for (const text of ['واحد', 'اثنان', 'ثلاثة']) expect(await directionOf(page, text), text).to.equal('rtl');
    expect(await directionOf(page, 'Left to right.')).to.equal('ltr');
    expect(await directionOf(page, arabic)).to.equal('rtl');
  });
});
