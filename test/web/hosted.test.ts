import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { HostedService } from '../support/hosted-service.ts';
import { rarely } from '../support/rarely.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until } from './support/until.ts';

browserTestsInOneTab('A hosted service', ({ app }) => {
  it('requires a sign-in by key, returns to the address, and requires it again once it has ended [S.web.hosted]', async () => {
    const { context } = await app({ path: '/icon.svg' });
    const hosted = await HostedService.start();
    try {
      const project = await hosted.project('Orchard');
      const key = await hosted.key('owner', { name: 'Ada' });
      const page = await context.newPage();
      await page.goto(`${hosted.url}/projects/${project}/settings/sign-ins`);
      await page.getByRole('heading', { name: 'Sign in to Planner' }).waitFor();
      await page.getByLabel('Owner key').fill('pln_owner_wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Owner key').fill(key.secret);
      await page.keyboard.press('Enter');
      await page.getByText('This browser').waitFor();
      expect(new URL(page.url()).pathname).to.equal(`/projects/${project}/settings/sign-ins`);
      await page.getByRole('link', { name: 'Tags' }).click();
      await page.getByLabel('New tag').fill('fruit');
      await page.keyboard.press('Enter');
      await page.getByLabel('Name of fruit').waitFor();
      await until(async () => (await hosted.owner.get(`/projects/${project}/tags`)).body.tags.length === 1);
      await hosted.owner.delete(`/keys/${key.id}`);
      await page.getByRole('heading', { name: 'Sign in to Planner' }).waitFor();
      expect(new URL(page.url()).searchParams.get('to')).to.equal(`/projects/${project}/settings/tags`);
      await page.close();
    } finally {
      await hosted.stop();
    }
  });

  rarely('ends the sign-in of another browser only after a question [S.web.undo-all, S.web.hosted]', async () => {
    const { context } = await app({ path: '/icon.svg' });
    const hosted = await HostedService.start();
    const elsewhere = await context.browser()!.newContext();
    try {
      const project = await hosted.project('Orchard');
      const key = await hosted.key('owner', { name: 'Ada' });
      const open = async (page: Page): Promise<Page> => {
        await page.goto(`${hosted.url}/projects/${project}/settings/sign-ins`);
        await page.getByLabel('Owner key').fill(key.secret);
        await page.keyboard.press('Enter');
        await page.getByText('This browser').waitFor();
        return page;
      };
      const other = await open(await elsewhere.newPage());
      const page = await open(await context.newPage());
      const end = page.getByRole('button', { name: /^End the sign-in of/ });
      const question = page.getByRole('dialog', { name: /^End the sign-in of/ });
      await end.click();
      await question.getByText('This cannot be undone.').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await other.reload();
      await other.getByText('This browser').waitFor();
      await end.click();
      await question.getByRole('button', { name: 'End sign-in' }).click();
      await other.getByRole('heading', { name: 'Sign in to Planner' }).waitFor();
      await page.getByText('This browser').waitFor();
      await page.close();
    } finally {
      await elsewhere.close();
      await hosted.stop();
    }
  });
});

browserTestsInOneTab('Pages for callers who follow a link', ({ app }) => {
  it('read and submit without script [S.web.guests]', async () => {
    const { page, rest, project } = await app({
      path: '/icon.svg',
      viewport: { width: 390, height: 844 },
      prepare: (client, id) =>
        client.post(`/projects/${id}/tasks`, { label: 'Dig', description: 'Two [metres](https://example.org).' }),
    });
    const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
    const { body: share } = await rest.post(`/tasks/${tasks[0].id}/share`, {});
    await page.goto(share.url);
    await page.getByRole('heading', { name: 'Dig' }).waitFor();
    const { body: invited } = await rest.post(`/projects/${project}/participant-links`, { audience_name: 'You' });
    await page.goto(invited.url);
    await page.getByLabel('Your name').fill('Grace');
    await page.getByLabel('Title').fill('Deeper');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('status').waitFor();
    const { submissions } = (await rest.get(`/projects/${project}/submissions`)).body;
    expect(submissions.map(({ title }: { title: string }) => title)).to.deep.equal(['Deeper']);
  });
});
