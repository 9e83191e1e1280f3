import { expect } from 'chai';
import { rarely } from '../support/rarely.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { untilEqual } from './support/until.ts';
import { untilUpdates, visit } from './support/visit.ts';

browserTestsInOneTab('An open record', ({ app }) => {
  it('says who else looks at it or edits it, while they do [S.web.presence, S.web.accessible]', async () => {
    let task = '';
    const { page, service, rest, project, address } = await app({
      prepare: async (client, id) => {
        task = (await client.post(`/projects/${id}/tasks`, { label: 'Dig' })).body.id as string;
      },
    });
    await untilUpdates(page, 'streamed');
    await visit(page, address(`/projects/:project/board?task=${task}`));
    const panel = page.getByRole('dialog', { name: 'Dig' });
    await panel.getByRole('heading', { name: 'Comments' }).waitFor();
    expect(await panel.getByRole('status').filter({ hasText: 'at this' }).count()).to.equal(0);
    const close = panel.getByRole('button', { name: 'Close' });
    const label = panel.getByRole('heading', { name: 'Description' });
    const places = async (): Promise<unknown> => [await close.boundingBox(), await label.boundingBox()];
    const before = await places();
    const { body: key } = await rest.post('/keys', { kind: 'agent', name: 'builder', project_id: project });
    const say = (body: object): Promise<{ readonly status: number }> =>
      rest.put(`/projects/${project}/presence/agents-session`, body, { Authorization: `Bearer ${String(key.secret)}` });
    expect((await say({ record_id: task })).status).to.equal(200);
    await panel.getByText('builder looks at this').waitFor();
    await say({ record_id: task, editing: true });
    await panel.getByText('builder edits this').waitFor();
    expect(await places()).to.deep.equal(before);
    await expectAccessible(page);
    await say({ record_id: null });
    await panel.getByText('builder').waitFor({ state: 'detached' });
    await visit(page, address('/projects/:project/board'));
    await untilEqual(async () => (await rest.get(`/projects/${project}/presence`)).body.present, []);
    expect(service.log.filter((entry) => 'error' in entry)).to.deep.equal([]);
  });

  rarely('says of two people in their browsers that each looks at it, and who types [S.web.presence]', async () => {
    let document = '';
    const { page, other, address } = await app({
      prepare: async (client, id) => {
        document = (await client.post(`/projects/${id}/documents`, { title: 'Soil', body: 'Clay.' })).body.id as string;
      },
    });
    await untilUpdates(page, 'streamed');
    const second = await other(`/projects/:project/documents/${document}?mode=write`);
    await second.getByRole('textbox', { name: 'Text of the document' }).click();
    await visit(page, address(`/projects/:project/documents/${document}?mode=preview`));
    await page.getByText('Ada looks at this').waitFor();
    await second.getByText('Ada looks at this').waitFor();
    await second.keyboard.type('Much ');
    await page.getByText('Ada edits this').waitFor();
    await second.close();
    await page.getByText('Ada edits this').waitFor({ state: 'detached' });
  });
});
