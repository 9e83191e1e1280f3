import { expect } from 'chai';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until, untilEqual } from './support/until.ts';

const titles = ['A leak', 'A smell', 'A noise', 'A wish'];

async function submissions(rest: RestClient, project: string): Promise<void> {
  for (const title of titles)
    await rest.post(`/projects/${project}/submissions`, { participant_name: 'Grace', title, body: `About ${title}` });
  await rest.post(`/projects/${project}/tasks`, { label: 'The roof' });
  await rest.post(`/projects/${project}/tasks`, { label: 'An old idea', status: 'backlog' });
}

browserTestsInOneTab('The inbox', ({ app }) => {
  it('can be used by keys only: accept, edit, link, reject, release [S.web.inbox, S.web.shortcuts]', async () => {
    const { page, rest, project } = await app({ path: '/projects/:project/inbox', prepare: submissions });
    const chosen = (title: string): Promise<void> => page.getByRole('article', { name: title }).waitFor();
    const taskNamed = async (label: string): Promise<{ id: string; status: string } | undefined> =>
      (await rest.get(`/projects/${project}/tasks`)).body.tasks.find((task: { label: string }) => task.label === label);
    await chosen('A leak');
    await page.keyboard.press('j');
    await chosen('A smell');
    await page.keyboard.press('k');
    await chosen('A leak');
    await page.keyboard.press('a');
    await chosen('A smell');
    await until(async () => (await taskNamed('A leak'))?.status === 'scope');
    await page.keyboard.press('e');
    await page.getByLabel('Task', { exact: true }).fill('Air the cellar');
    await page.keyboard.press('Enter');
    await chosen('A noise');
    await until(async () => (await taskNamed('Air the cellar'))?.status === 'scope');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('l');
    await page.getByPlaceholder('Words of its name').fill('roof');
    await page.keyboard.press('Enter');
    await chosen('A wish');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('x');
    await page.getByText('Nothing to triage').waitFor();
    // A decided submission leaves the inbox before the service has the decision.
    const all = async (): Promise<{ title: string; status: string; linked_task_id: string | null }[]> =>
      (await rest.get(`/projects/${project}/submissions`)).body.submissions;
    await untilEqual(
      async () => (await all()).map(({ title, status }) => [title, status]),
      [
        ['A leak', 'accepted'],
        ['A smell', 'accepted'],
        ['A noise', 'accepted'],
        ['A wish', 'rejected'],
      ],
    );
    expect((await all())[2]!.linked_task_id).to.equal((await taskNamed('The roof'))!.id);
    await page.getByRole('button', { name: 'Backlog' }).click();
    await chosen('An old idea');
    await page.keyboard.press('a');
    await page.getByText('The backlog is empty').waitFor();
    await until(async () => (await taskNamed('An old idea'))?.status === 'todo');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await chosen('An old idea');
  });
});
