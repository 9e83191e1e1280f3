import { expect } from 'chai';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { chooseInPicker } from './support/pick.ts';
import { until, untilEqual } from './support/until.ts';
import { showOnly, untilUpdates, visit } from './support/visit.ts';

const path = '/projects/:project/review';
const commit = '4f2c9d1aa0b3';

async function finish(rest: RestClient, project: string): Promise<void> {
  await rest.patch(`/projects/${project}`, { repo_url: 'git@github.com:garden/pond.git' });
  const done = async (label: string, fields: object = {}): Promise<string> =>
    (await rest.post(`/projects/${project}/tasks`, { label, status: 'done', ...fields })).body.id as string;
  await done('Rake leaves', { lane: 'auto' });
  await done('Cut the hedge');
  await done('Pour the concrete', { lane: 'approve', assignee: 'builder', commit_refs: [commit] });
}

/** What a runner leaves: a proof with the output of the gate, and a run with its branch. */
async function prove(rest: RestClient, project: string, label: string): Promise<void> {
  const { id } = await taskNamed(rest, project, label);
  const lines = Array.from({ length: 60 }, (_, at) => `test ${at} passed`).join('\n');
  const content = `Exit code 0.\n\n\`\`\`text\nnpm test\n\`\`\`\n\n\`\`\`text\n${lines}\n\`\`\``;
  const { body: log } = await rest.post(`/projects/${project}/artifacts`, { title: 'Gate', content });
  const at = { commit: commit.padEnd(40, '0'), tree: 'cd34'.repeat(10), started_at: new Date().toISOString() };
  const proof = { ...at, dirty: false, seconds: 4, ran_by: 'Worker', log_artifact_id: log.id };
  expect((await rest.patch(`/tasks/${id}`, { proof, commit_refs: [commit], branch: 'planner/work' })).status).to.equal(
    200,
  );
  const run = { label, task_id: id, branch: 'planner/work', commits: [commit] };
  const { body: made } = await rest.post(`/projects/${project}/agent-runs`, run);
  await rest.post(`/agent-runs/${made.id}/complete`, {});
}

interface Verified {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly verified_at: string | null;
  readonly verified_ref: string | null;
}

async function taskNamed(rest: RestClient, project: string, label: string): Promise<Verified> {
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { readonly tasks: readonly Verified[] };
  return tasks.find((task) => task.label === label)!;
}

browserTestsInOneTab('The review', ({ app }) => {
  it('lists finished tasks, those to approve first; their proof with the output of the gate; a approves and says how to merge, r sends back with a reason, the sidebar counts [S.web.review, S.web.proof, S.web.programs]', async () => {
    const { page, rest, project } = await app({ path, prepare: finish });
    await prove(rest, project, 'Cut the hedge');
    const queue = page.getByRole('list', { name: 'To review' });
    await queue.getByText('Cut the hedge').waitFor();
    // The queue omits the task of lane auto.
    await untilEqual(() => queue.getByRole('listitem').count(), 2);
    const detail = page.getByRole('article', { name: 'Pour the concrete' });
    await detail.getByText('Needs approval').waitFor();
    const link = detail.getByRole('link', { name: commit.slice(0, 10) });
    expect(await link.getAttribute('href')).to.equal(`https://github.com/garden/pond/commit/${commit}`);
    const entry = page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: /Review/ });
    await entry.getByText('2', { exact: true }).waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: /Send back/ });
    await dialog.getByLabel('Reason').fill('The corner is **loose**.');
    await dialog.getByRole('button', { name: 'Send back' }).click();
    await dialog.waitFor({ state: 'detached' });
    const back = await taskNamed(rest, project, 'Pour the concrete');
    expect(back).to.include({ status: 'todo', assignee: 'builder' });
    const { comments } = (await rest.get(`/tasks/${back.id}/comments`)).body;
    expect(comments[0].body).to.include('Sent back:').and.include('<strong>loose</strong>');
    const hedge = page.getByRole('article', { name: 'Cut the hedge' });
    await hedge.getByText(/^Green at 4f2c9d1aa0 .*in 4 s, by Worker$/).waitFor();
    await untilEqual(() => hedge.getByRole('list', { name: 'Commits' }).count(), 1);
    await hedge.getByText('Output of the gate').click();
    expect(await hedge.locator('pre', { hasText: 'test 59 passed' }).innerText()).to.match(/^test 20 passed\n/);
    const { id } = await taskNamed(rest, project, 'Cut the hedge');
    await rest.patch(`/tasks/${id}`, { verification_state: 'stale' });
    await hedge.getByText(/^Commits since touch what was verified/).waitFor();
    await page.keyboard.press('a');
    await page.getByText('Nothing to review').waitFor();
    await page.getByText('“Cut the hedge” is approved. In the repository, this merges planner/work:').waitFor();
    await page.getByRole('button', { name: 'Copy planner merge' }).click();
    await untilEqual(() => page.evaluate('navigator.clipboard.readText()'), `planner merge ${id}`);
    await until(async () => (await taskNamed(rest, project, 'Cut the hedge')).verified_at !== null);
    await entry.getByText('2', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await queue.getByText('Cut the hedge').waitFor();
    await page.getByText(`planner merge ${id}`).waitFor({ state: 'detached' });
    await until(async () => (await taskNamed(rest, project, 'Cut the hedge')).verified_at === null);
  });

  it('keeps the reason if only the comment fails, and then adds it alone [S.web.review-half]', async () => {
    const { page, rest, project } = await app({ path, prepare: finish });
    await page.getByRole('button', { name: /Cut the hedge/ }).click();
    await page.getByRole('article', { name: 'Cut the hedge' }).waitFor();
    await page.getByRole('button', { name: /Send back…/ }).click();
    const dialog = page.getByRole('dialog', { name: /Send back/ });
    await dialog.getByLabel('Reason').fill('Too short.');
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') changes.push(request.url());
    });
    await page.route('**/comments*', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await dialog.getByRole('button', { name: 'Send back' }).click();
    await dialog.getByText('the reason could not be added yet').waitFor();
    const { id, status } = await taskNamed(rest, project, 'Cut the hedge');
    expect(status).to.equal('todo');
    expect((await rest.get(`/tasks/${id}/comments`)).body.comments).to.deep.equal([]);
    await page.unroute('**/comments*');
    await dialog.getByRole('button', { name: 'Add the reason' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await rest.get(`/tasks/${id}/comments`)).body.comments).to.have.length(1);
    // The event of a request may come after its effect on the service.
    await until(() => Promise.resolve(changes.length > 0));
    expect(changes).to.have.length(1);
  });

  rarely('approves all finished tasks together, which can be undone [S.web.review]', async () => {
    const { page, rest, project } = await app({ path, prepare: finish });
    await page.getByRole('button', { name: 'Approve all 2…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve all' }).click();
    await page.getByText('Nothing to review').waitFor();
    const waiting = async (): Promise<number> =>
      (await rest.get(`/projects/${project}`)).body.summary.awaiting_review as number;
    await until(async () => (await waiting()) === 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await waiting()) === 2);
  });

  it('lists runs that ask; the answer is a comment on the held task and a line of the run; also on a card and a row [S.web.review-questions]', async () => {
    const { page, rest, project, address } = await app({
      path: `${path}?tab=questions`,
      prepare: async (client, id) => {
        const { body: task } = await client.post(`/projects/${id}/tasks`, { label: 'Dig' });
        await client.post(`/tasks/${task.id}/claim`, { agent_ref: 'builder' });
        const { body: run } = await client.post(`/projects/${id}/agent-runs`, { label: 'Pond', agent_ref: 'builder' });
        await client.post(`/agent-runs/${run.id}/progress`, { message: 'How *deep*?' });
      },
    });
    await page.getByRole('article', { name: 'Pond' }).getByText('How deep?').waitFor();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Answer Pond' });
    await dialog.getByText('a comment on “Dig”').waitFor();
    await dialog.getByLabel('Answer').fill('Two metres, is that fine?');
    // Escape closes the window, and discards nothing.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await untilEqual(() => dialog.getByLabel('Answer').inputValue(), 'Two metres, is that fine?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('No questions').waitFor();
    const { id } = await taskNamed(rest, project, 'Dig');
    expect((await rest.get(`/tasks/${id}/comments`)).body.comments[0].body).to.include('Two metres');
    const [run] = (await rest.get(`/projects/${project}/agent-runs`)).body.runs;
    expect(run.asks).to.equal(false);
    expect(run.events.at(-1).message).to.include('Two metres');

    const task = page.locator(`[data-task="${id}"]`);
    for (const [view, open, choice] of [
      ['board', () => task.focus().then(() => page.keyboard.press('q')), 'Two'],
      ['board', () => task.click({ button: 'right' }).then(() => chooseInPicker(page, /^Answer to/, 'answer')), 'One'],
      ['list', () => task.getByText('asks', { exact: true }).click(), 'Three'],
    ] as const) {
      await rest.patch(`/agent-runs/${run.id}`, { awaiting: { question: 'How *wide*?', choices: ['One', 'Two'] } });
      await visit(page, address(`/projects/:project/${view}`));
      await task.getByText('asks', { exact: true }).waitFor();
      await open();
      await page.getByRole('dialog', { name: 'Answer to the agent: “Dig”' }).getByText('How wide?').waitFor();
      await chooseInPicker(page, choice === 'Three' ? 'Answer “Three”' : choice, choice);
      const answer = async (): Promise<string> => (await rest.get(`/agent-runs/${run.id}`)).body.events.at(-1).message;
      await untilEqual(answer, choice);
    }
  });

  it('is seen on the task panel, cards and rows: when, by what, the commits; approved, withdrawn and sent back there [S.web.verified, S.web.proof, S.web.accessible]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/board', prepare: finish });
    await prove(rest, project, 'Pour the concrete');
    const { id } = await taskNamed(rest, project, 'Pour the concrete');
    const card = page.locator(`[data-task="${id}"]`);
    await card.waitFor();
    expect(await card.getByRole('img', { name: /^Verified/ }).count()).to.equal(0);
    await card.click();
    const panel = page.getByRole('dialog');
    await panel.getByText('Done, and not verified yet.').waitFor();
    await panel
      .getByRole('region', { name: 'Verification' })
      .getByText(/^Green at/)
      .waitFor();
    await panel
      .getByRole('list', { name: 'Commits' })
      .getByRole('link', { name: commit.slice(0, 10) })
      .first()
      .waitFor();
    await panel.getByRole('button', { name: 'Approve', exact: true }).click();
    await panel.getByText(`planner merge ${id}`).waitFor();
    await panel.getByText(/Verified just now/).waitFor();
    await panel.getByLabel('Verified by').fill('https://ci.example/runs/4711');
    await page.keyboard.press('Enter');
    await panel.getByRole('link', { name: 'https://ci.example/runs/4711' }).waitFor();
    await until(async () => (await taskNamed(rest, project, 'Pour the concrete')).verified_ref !== null);
    await card.getByRole('img', { name: /^Verified .*4711/ }).waitFor();
    await expectAccessible(page, ['[role=dialog]', `[data-task="${id}"]`]);
    await showOnly(page, address('/projects/:project/list'));
    await card.getByRole('img', { name: /^Verified .*4711/ }).waitFor();
    await visit(page, address(`/projects/:project/list?task=${id}`));
    await panel.getByRole('button', { name: 'Withdraw' }).click();
    await panel.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await until(async () => (await taskNamed(rest, project, 'Pour the concrete')).verified_at === null);
    await panel.getByRole('button', { name: 'Send back…' }).click();
    const dialog = page.getByRole('dialog', { name: /Send back/ });
    await dialog.getByLabel('Reason').fill('Cracked.');
    await dialog.getByRole('button', { name: 'Send back' }).click();
    await panel.getByText('Cracked.').waitFor();
    await until(async () => (await taskNamed(rest, project, 'Pour the concrete')).status === 'todo');
  });

  it('shows on cards and rows who works, and that the work asks, is silent, failed, or its claim ran out [S.web.holder]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/board' });
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Dig', assignee: 'Ann' });
    const card = page.locator(`[data-task="${task.id}"]`);
    await card.getByRole('img', { name: 'Assigned to' }).waitFor();
    await rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'builder', lease_seconds: 3600 });
    await card.getByRole('img', { name: 'Held by' }).waitFor();
    await showOnly(page, address('/projects/:project/list'));
    await card.getByRole('img', { name: 'Held by' }).waitFor();
    await rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'builder', lease_seconds: 1 });
    await card.getByRole('img', { name: 'Its claim ran out, held by' }).waitFor();
    await rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'builder' });
    const started = { label: 'Dig', agent_ref: 'builder' };
    const { body: run } = await rest.post(`/projects/${project}/agent-runs`, started);
    await card.getByRole('img', { name: 'Worked on by' }).waitFor();
    await card.getByText('builder').waitFor();
    await card
      .locator('time', { hasText: /just now|min/ })
      .first()
      .waitFor();
    await rest.patch(`/agent-runs/${run.id}`, { task_id: task.id, awaiting: { question: 'How deep' } });
    await card.getByText('asks', { exact: true }).waitFor();
    await rest.patch(`/agent-runs/${run.id}`, { awaiting: null });
    // Another project has the same run of an hour ago.
    const plan = (await rest.get(`/projects/${project}/export`)).body as { readonly runs: readonly object[] };
    const started_at = new Date(Date.now() - 3_600_000).toISOString();
    const copy = { ...plan, runs: plan.runs.map((each) => ({ ...each, started_at, events: [] })) };
    const { body: old } = await rest.post('/projects/import', copy);
    await visit(page, `/projects/${old.id}/agents`);
    await page.getByText('Silent, last line 1 hr. ago').waitFor();
    await visit(page, `/projects/${old.id}/board`);
    await page.getByRole('img', { name: 'Silent' }).waitFor();
    await visit(page, `/projects/${old.id}`);
    const silent = page.getByRole('region', { name: 'Silent agents' });
    await silent.getByText('last line 1 hr. ago').waitFor();
    await silent.getByRole('link', { name: 'Dig' }).click();
    await page.waitForURL(/agents\?run=/);
    await showOnly(page, address('/projects/:project/board'));
    await untilUpdates(page, 'streamed');
    // The card moves to another column while the runs are on their way: nothing shows them for that moment.
    let move = (): void => undefined;
    const moved = new Promise<void>((resolve) => (move = resolve));
    await page.route('**/agent-runs?*', async (route) => {
      await moved;
      await route.continue().catch(() => undefined);
    });
    const asked = page.waitForRequest('**/agent-runs?*');
    await rest.post(`/agent-runs/${run.id}/complete`, { status: 'failed' });
    await asked;
    await rest.patch(`/tasks/${task.id}`, { status: 'todo', assignee: null });
    await page.getByRole('region', { name: 'To do' }).locator(card).waitFor();
    move();
    await card.getByText('failed just now').waitFor();
  });
});
