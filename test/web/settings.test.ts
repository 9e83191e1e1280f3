import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { clients } from '../../src/cli/connect/clients.ts';
import { mcpClients } from '../../src/web/views/settings/mcp-clients.ts';
import { expectAccessible } from './support/accessible.ts';
import type { RestClient } from '../support/rest-client.ts';
import { isSigned, WebhookReceiver } from '../support/webhook-receiver.ts';
import { browserTests, browserTestsInOneTab } from './support/browser.ts';
import { until, untilEqual, untilKeysWork } from './support/until.ts';
import { visit } from './support/visit.ts';

browserTestsInOneTab('Settings', ({ app }) => {
  it('change the project, create a key that is shown once and revoke it [S.web.settings]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/settings' });
    await page.getByLabel('Repository').fill('https://user:secret@example.org/x');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'credentials' }).waitFor();
    await page.getByLabel('Repository').fill('https://example.org/x');
    await page.getByLabel('Name').fill('Orchard');
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await rest.get(`/projects/${project}`)).body.name === 'Orchard');
    expect((await rest.get(`/projects/${project}`)).body.repo_url).to.equal('https://example.org/x');
    await visit(page, address('/projects/:project/settings/keys'));
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('builder');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByLabel('Key', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(secret);
    const asAgent = { Authorization: `Bearer ${secret}` };
    expect((await rest.get(`/projects/${project}`, asAgent)).status).to.equal(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke builder' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await until(async () => (await rest.get(`/projects/${project}`, asAgent)).status === 401);
    expect(await page.content()).not.to.include(secret);
  });

  it('invite participants, manage tags, and delete the project after its name was typed [S.web.settings]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/settings/sharing' });
    await page.getByRole('button', { name: 'New link' }).click();
    await page.getByLabel(/Audience/).fill('The client');
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Address').inputValue();
    expect((await fetch(link)).status).to.equal(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke the link of The client' }).click();
    await page.getByRole('button', { name: 'Revoke link', exact: true }).click();
    await until(async () => (await fetch(link)).status === 410);
    await visit(page, address('/projects/:project/settings/tags'));
    await page.getByLabel('New tag').fill('soil');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of soil').fill('earth');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of earth').waitFor();
    await page.getByLabel('Colour of earth').fill('#118833');
    await page.getByLabel('Colour of earth').blur();
    await until(async () => (await rest.get(`/projects/${project}/tags`)).body.tags[0].color === '#118833');
    await visit(page, address('/projects/:project/settings'));
    await page.getByRole('button', { name: 'Delete project…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete project' });
    expect(await confirm.isDisabled()).to.equal(true);
    await page.getByLabel(/to confirm/).fill('Garden');
    await confirm.click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await until(async () => (await rest.get(`/projects/${project}`)).status === 404);
  });
});

browserTests('The webhooks of a project', ({ app }) => {
  it('are created with a secret that is shown once, delivered, repeated, paused and deleted [S.web.webhooks, S.web.accessible]', async () => {
    const receiver = await WebhookReceiver.open();
    try {
      const { page, rest, project } = await app({
        path: '/projects/:project/settings/webhooks',
        service: { writer: 'inline', watch: false, webhookHosts: { allowed: new Set([receiver.host]) } },
      });
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByLabel('Address').fill('http://127.0.0.1/');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('alert').filter({ hasText: 'https' }).waitFor();
      expect(await page.getByLabel('Address').getAttribute('aria-invalid')).to.equal('true');
      await page.getByLabel('Address').fill(receiver.url);
      await page.getByLabel('Events').fill('Task!');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('alert').filter({ hasText: /types/i }).waitFor();
      await page.getByLabel('Events').fill('task.created, comment');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Create webhook' }).click();
      const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'Done' }).click();
      // However many attempts there are until the page shows one.
      receiver.answers.push(...Array.from({ length: 9 }, () => ({ status: 500, body: 'Out of order' })));
      await rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
      await page.getByText('Retrying').waitFor();
      await page.getByRole('button', { name: `Deliveries to ${receiver.url}` }).click();
      const list = page.getByRole('list', { name: `Deliveries to ${receiver.url}` });
      await list.getByText('Out of order').first().waitFor();
      receiver.answers.length = 0;
      await list.getByRole('button', { name: 'Send task.created again' }).last().click();
      await list.getByText('204').first().waitFor();
      expect(isSigned(receiver.received[0]!, secret)).to.equal(true);
      await expectAccessible(page);
      await page.getByRole('button', { name: `Pause ${receiver.url}` }).click();
      await page.getByText('Paused by a person').waitFor();
      await page.getByRole('button', { name: `Resume ${receiver.url}` }).click();
      await page.getByRole('button', { name: `Pause ${receiver.url}` }).waitFor();
      await until(async () => (await rest.get(`/projects/${project}/webhooks`)).body.webhooks[0].paused === null);
      await page.getByRole('button', { name: `Delete ${receiver.url}` }).click();
      await page.getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByText('No webhook yet.').waitFor();
      await until(async () => (await rest.get(`/projects/${project}/webhooks`)).body.webhooks.length === 0);
      expect(await page.content()).not.to.include(secret);
    } finally {
      await receiver.close();
    }
  });
});

async function toFind(rest: RestClient, project: string): Promise<void> {
  const at = `/projects/${project}`;
  await rest.post(`${at}/tasks`, { label: 'Water the roses', assignee: 'Grace', tags: ['soil'] });
  const { body: run } = await rest.post(`${at}/agent-runs`, { label: 'Deploy', agent_ref: 'builder' });
  await rest.post(`/agent-runs/${run.id}/progress`, { message: 'It failed with ECONNREFUSED.' });
  const body = `${'A line of the guide.\n\n'.repeat(80)}The ladybirds sleep here.`;
  await rest.post(`${at}/documents`, { title: 'Guide', body });
}

/** The texts of the marked words. */
const markedWords = (page: Page): Promise<string[]> =>
  page.evaluate(`[...(CSS.highlights.get('planner-found') ?? [])].map(String)`);

browserTestsInOneTab('The command menu', ({ app }) => {
  it('searches, navigates, creates and changes the status of the open task by keys only [S.web.commands, S.web.launcher, S.web.shortcuts, S.web.accessible]', async () => {
    const { page, rest, project } = await app({ prepare: toFind });
    await page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('roses');
    await page.getByRole('option', { name: 'Water the roses', selected: true }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Water the roses' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('set done');
    await page.getByRole('option', { name: /Set to Done/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await rest.get(`/projects/${project}/tasks`)).body.tasks[0].status === 'done');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await page.getByRole('heading', { name: 'Goals', level: 1 }).waitFor();
    await page.keyboard.press('c');
    await page.getByLabel('New task').fill('Prune');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Prune' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    // The name of a view or a command comes before records of that name.
    for (const name of ['Inbox', 'New goal']) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(name.toLowerCase());
      await page.getByRole('option', { name: new RegExp(`^${name}`), selected: true }).waitFor();
      await page.getByRole('option', { name: 'Prune' }).waitFor({ state: 'detached' });
      await page.keyboard.press('Enter');
      await page.getByRole('combobox').waitFor({ state: 'detached' });
    }
    await untilEqual(() => page.getByLabel('New goal').inputValue(), '');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    // The typed text becomes a record only after its line was chosen; the first Enter shows the line.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('mulch');
    const line = page.getByRole('option', { name: 'New task “mulch”', selected: true });
    await line.waitFor();
    await page.keyboard.press('Enter');
    await line.getByText('↵', { exact: true }).waitFor();
    expect((await rest.get(`/projects/${project}/tasks`)).body.tasks).to.have.length(2);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'mulch' }).waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    for (const [typed, kind, query] of [
      ['grac', 'Grace Assignee', 'assignee=Grace'],
      ['soil', 'soil Tag', 'tag=soil'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(typed);
      await page.getByRole('option', { name: kind, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname.endsWith('/list') && url.search.includes(query));
      await untilKeysWork(page);
    }
    await page.keyboard.press('Control+k');
    const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
    await untilEqual(() => recent.allTextContents(), ['mulch', 'Prune', 'Water the roses']);
    const { id } = (await rest.get(`/projects/${project}/tasks`)).body.tasks[0] as { id: string };
    const input = page.getByRole('combobox');
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', '${id.slice(-6)}');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }`);
    await input.fill(id.slice(-6));
    await page.getByRole('dialog', { name: 'Water the roses' }).waitFor();
    await input.waitFor({ state: 'detached' });
    for (const [typed, name, shown] of [
      ['econnref', /Deploy.*ECONNREFUSED/, 'It failed with ECONNREFUSED.'],
      ['ladybird sleep', /Guide.*ladybirds/, 'The ladybirds sleep here.'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await input.fill(typed);
      await page.getByRole('option', { name, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      const { height } = page.viewportSize()!;
      await until(async () => ((await page.getByText(shown, { exact: true }).boundingBox())?.y ?? height) < height);
      await untilEqual(() => markedWords(page), typed.startsWith('e') ? ['ECONNREFUSED'] : ['ladybirds', 'sleep']);
    }
    await page.keyboard.press('Escape');
    await untilEqual(() => markedWords(page), []);
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const [group, action] of [
      ['Views', 'Go to Goals'],
      ['Everywhere', 'Undo the last change'],
      ['Tasks, focused or selected', 'Prerequisites'],
      // The keys of each view, in every view.
      ['Board', 'Move the card to the column after'],
      ['List', 'Delete what is selected'],
      ['Canvas', 'Go to the node that is next in a direction'],
      ['Inbox and review', 'Send back with a reason'],
      ['Texts', 'Bold'],
    ] as const) {
      const heading = page.getByRole('heading', { name: group, exact: true });
      await shortcuts.locator('section').filter({ has: heading }).getByText(action, { exact: true }).waitFor();
    }
  });
});

describe('Snippets for clients', () => {
  it('are what connect writes for each client [S.web.connect]', () => {
    expect(mcpClients.map(({ id }) => id)).to.deep.equal(clients.map(({ name }) => name));
    for (const client of clients) {
      const { entry, file } = mcpClients.find(({ id }) => id === client.name)!;
      const atHome = client.scope === 'home';
      const args = ['mcp', ...(atHome ? ['--root', '/path/to/the/repository'] : [])];
      const written = client.edit('', { command: 'planner', args }, file)!;
      expect(file).to.equal((atHome ? '~/' : '') + client.path.join('/'));
      if (file.endsWith('.toml')) expect(written.replaceAll(/\s/g, '')).to.include(entry.replaceAll(/\s/g, ''));
      else expect(JSON.parse(entry)).to.deep.equal(JSON.parse(written));
    }
  });
});
