import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until, untilEqual } from './support/until.ts';

async function work(rest: RestClient, project: string): Promise<void> {
  const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
  await rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'builder', lease_seconds: 3600 });
  const run = { label: 'The pond', agent_ref: 'builder' };
  const { body: made } = await rest.post(`/projects/${project}/agent-runs`, run);
  await rest.post(`/agent-runs/${made.id}/progress`, { message: 'Marked the **edge**' });
}

browserTestsInOneTab('Agents', ({ app }) => {
  it('show their progress while they work, their claims and expiry, and are closed and opened again [S.web.agents, S.web.programs, S.web.runs, S.web.live, S.web.undo-all]', async () => {
    const { page, rest, project } = await app({ path: '/projects/:project/agents', prepare: work });
    const steps = page.getByRole('list', { name: 'Progress, newest first' }).getByRole('listitem');
    await steps.first().getByText('Marked the edge').waitFor();
    await page.getByText(/holds for (59|60) min|holds for 1 hr/).waitFor();
    const { runs } = (await rest.get(`/projects/${project}/agent-runs`)).body;
    await rest.post(`/agent-runs/${runs[0].id}/progress`, { message: 'Dug it' });
    await steps.first().getByText('Dug it').waitFor();
    for (const message of ['Wet it', 'Lined it', 'Filled it', 'Looked at it'])
      await rest.post(`/agent-runs/${runs[0].id}/progress`, { message });
    await page.getByRole('button', { name: 'Show all 6 steps' }).click();
    await untilEqual(() => steps.count(), 6);
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByText('No task is claimed.').waitFor();
    await until(async () => (await rest.get(`/projects/${project}/tasks`)).body.tasks[0].status === 'todo');
    await page.getByRole('button', { name: 'Close…' }).click();
    await page.getByRole('button', { name: 'Close run' }).click();
    const closed = page.locator('[data-sonner-toast]').filter({ hasText: '“The pond” is closed as failed.' });
    await closed.getByRole('button', { name: 'Undo' }).click();
    await page.locator('[data-sonner-toast]').filter({ hasText: 'Undone: closing of “The pond”' }).waitFor();
    await page.getByRole('button', { name: 'Close…' }).waitFor();
    await rest.post(`/agent-runs/${runs[0].id}/complete`, { status: 'completed' });
    await page.getByRole('article').getByText('Completed').waitFor();
    await page.getByRole('button', { name: /^Running/ }).click();
    await page.waitForURL(/status=running/);
    await page.getByRole('article').waitFor({ state: 'detached' });
    await page.getByText('planner run', { exact: true }).waitFor();

    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Plant the reeds' });
    const { body: run } = await rest.post(`/projects/${project}/agent-runs`, {
      ...{ label: 'Plant the reeds', agent_ref: 'gardener', task_id: task.id, branch: 'planner/reeds' },
      ...{ tokens: 1_250_000, cost_usd: 0.5, diff_stat: { files: 2, insertions: 1200, deletions: 3 } },
      awaiting: { question: 'How **many**', choices: ['Ten', 'Twenty'] },
    });
    const card = page.getByRole('article', { name: 'Plant the reeds' });
    for (const fact of ['planner/reeds', '2 files +1,200 −3', '1.3M tokens', '$0.50', 'Asks', 'How many'])
      await card.getByText(fact).waitFor();
    const answers = async (): Promise<string[]> =>
      (await rest.get(`/agent-runs/${run.id}`)).body.events.map(({ message }: { message: string }) => message);
    await card.getByRole('button', { name: 'Twenty' }).click();
    await card.getByRole('form').waitFor({ state: 'detached' });
    await card.getByText('answered just now').waitFor();
    await untilEqual(answers, ['Twenty']);
    await rest.patch(`/agent-runs/${run.id}`, { awaiting: { question: 'Which kind' } });
    await card.getByRole('button', { name: 'Plant the reeds' }).click();
    const section = page.getByRole('dialog').getByRole('region', { name: 'Agents' });
    await section.getByLabel('Answer').fill('Common ones');
    await section.getByRole('button', { name: 'Answer' }).click();
    await untilEqual(answers, ['Twenty', 'Common ones']);
    await section.getByText('Common ones').waitFor();
    await rest.patch(`/agent-runs/${run.id}`, { commits: ['4f2c9d1ab3'], status: 'completed' });
    await section.getByRole('list', { name: 'Commits' }).getByText('4f2c9d1ab3').waitFor();
    await section.getByText('Completed').waitFor();
  });
});
