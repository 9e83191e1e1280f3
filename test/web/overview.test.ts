import { expect } from 'chai';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { setField } from './support/pick.ts';
import { until, untilEqual } from './support/until.ts';
import { visit, showOnly } from './support/visit.ts';

function day(offset: number): string {
  const date = new Date();
  date.setDate(date.getDate() + offset);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;
}

/** The id of a new task. */
async function add(rest: RestClient, project: string, label: string, fields: object = {}): Promise<string> {
  return (await rest.post(`/projects/${project}/tasks`, { label, ...fields })).body.id as string;
}

const proof = {
  ...{ commit: 'ab12'.repeat(10), tree: 'cd34'.repeat(10), dirty: false },
  ...{ started_at: '2026-11-01T10:00:00.000Z', seconds: 4, ran_by: 'Ada' },
};

const longWord = 'Straßen'.repeat(60);

browserTestsInOneTab('The overview', ({ app }) => {
  it('of an empty project names the first steps [S.web.start-here]', async () => {
    const { page, rest, project } = await app();
    const steps = page.getByRole('region', { name: 'Start here' });
    await steps.getByRole('link', { name: /^Connect an agent/ }).click();
    await page.waitForURL(/settings\/agents$/);
    await page.goBack();
    await steps.getByRole('link', { name: /^Import a plan/ }).click();
    await page.getByRole('dialog').getByLabel('File to import').waitFor({ state: 'attached' });
    await page.goBack();
    await steps.getByRole('link', { name: /^Write the first goal/ }).click();
    await page.getByRole('textbox', { name: 'Objective' }).waitFor();
    await page.goBack();
    await steps.waitFor();
    await rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    await steps.waitFor({ state: 'detached' });
  });

  it('names the deleted record, and groups the changes since the last visit [S.web.overview, S.web.since]', async () => {
    const { page, rest, project, address } = await app({
      prepare: async (rest, project) => {
        const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Weed the path' });
        await rest.delete(`/tasks/${task.id}`);
      },
    });
    const recent = page.getByRole('region', { name: 'Recent changes' });
    await recent.getByText('deleted the task “Weed the path”').waitFor();
    const hourAgo = `localStorage.setItem('planner.visit.${project}', JSON.stringify({ left: Date.now() - 3_600_000 }))`;
    await page.evaluate(hourAgo);
    for (const label of ['Dig', 'Sow']) await add(rest, project, label, { status: 'done' });
    const { body: document } = await rest.post(`/projects/${project}/documents`, { title: 'Beds', body: '' });
    for (const body of ['Too narrow.', 'And too long.'])
      await rest.post(`/documents/${document.id}/comments`, { body });
    await visit(page, address('/projects/:project'));
    const since = page.getByRole('region', { name: 'Since your last visit' });
    for (const text of [/ finished Sow, Dig/, / added Beds/, / commented on Beds(?!,)/, / deleted the task/])
      await since.getByRole('listitem').filter({ hasText: text }).waitFor();
    await visit(page, address('/'));
    await since.getByText(/ commented on Beds in Garden/).waitFor();
  });

  it('names the next task of each active goal [S.web.overview-next]', async () => {
    const { page, rest, project } = await app();
    const { body: pond } = await rest.post(`/projects/${project}/goals`, { name: 'The pond', objective: 'Wet.' });
    await rest.post(`/projects/${project}/goals`, { name: 'The wall', objective: 'Dry.' });
    await add(rest, project, 'Sweep');
    await add(rest, project, 'Dig', { goal_id: pond.id, priority: 'high' });
    const card = page.getByRole('region', { name: 'Next tasks' });
    const line = (goal: string): ReturnType<typeof card.getByRole> =>
      card.getByRole('listitem').filter({ has: page.getByRole('link', { name: goal, exact: true }) });
    await line('General').getByRole('button', { name: /Sweep/ }).waitFor();
    await line('The wall').getByText('no task yet').waitFor();
    await rest.post(`/goals/${pond.id}/invoke`);
    await line('The pond').getByText('Current').waitFor();
    await line('General').getByRole('button', { name: /Sweep/ }).waitFor();
    await line('The pond').getByRole('button', { name: /Dig/ }).click();
    await page.waitForURL(/task=/);
  });

  it('shows goals to verify, work that came back, is overdue, due this week, blocked and by what, waits for review, and whose claims ran out [S.web.overview-attention]', async () => {
    const { page, rest, project } = await app({
      prepare: async (client, id) => {
        await add(client, id, 'Prune', { due_date: day(-1) });
        await add(client, id, 'Sow', { due_date: day(6) });
        await add(client, id, 'Harvest', { due_date: day(7) });
        const first = await add(client, id, 'Buy pipes');
        const then = await add(client, id, 'Lay pipes');
        const edge = { from_type: 'task', from_id: first, to_type: 'task', to_id: then };
        await client.post(`/projects/${id}/edges`, edge);
        await add(client, id, 'Mow', { status: 'done' });
        const held = await add(client, id, 'Dig');
        await client.post(`/tasks/${held}/claim`, { agent_ref: 'builder', lease_seconds: 1 });
        const task_id = await add(client, id, 'Drain');
        const { body: run } = await client.post(`/projects/${id}/agent-runs`, { task_id });
        await client.post(`/agent-runs/${run.id}/progress`, { message: 'The gate stayed *red*.' });
        await client.post(`/agent-runs/${run.id}/complete`, { status: 'failed' });
        const { body: asking } = await client.post(`/projects/${id}/agent-runs`, { label: 'Fence' });
        await client.patch(`/agent-runs/${asking.id}`, { awaiting: { question: 'How *high*?' } });
        const verification_surface = { kind: 'gate_command', command: 'npm test' };
        const goal = async (name: string): Promise<string> =>
          (await client.post(`/projects/${id}/goals`, { name, objective: name, verification_surface })).body
            .id as string;
        await add(client, id, 'Nail', { goal_id: await goal('A shed'), status: 'done' });
        const evidence = (exit_code: number): object => ({ evidence: { kind: 'gate_command', exit_code, proof } });
        await client.post(`/goals/${await goal('A wall')}/complete`, evidence(1));
        const stale = await goal('A gate');
        await client.post(`/goals/${stale}/complete`, evidence(0));
        expect((await client.patch(`/goals/${stale}`, { verification_state: 'stale' })).status).to.equal(200);
      },
    });
    const card = page.getByRole('region', { name: 'Needs attention' });
    const section = (name: string): ReturnType<typeof card.getByRole> => card.getByRole('region', { name });
    await section('Overdue').getByRole('button', { name: 'Prune' }).waitFor();
    await section('Waiting for an answer').getByRole('link', { name: 'How high?' }).waitFor();
    await page.getByRole('region', { name: 'Agents at work' }).getByText('How high?').waitFor();
    await section('Due this week').getByRole('button', { name: 'Sow' }).waitFor();
    expect(await card.getByText('Harvest').count()).to.equal(0);
    await section('Blocked').getByText('waits for Buy pipes').waitFor();
    await section('Waiting for review').getByRole('button', { name: 'Mow' }).waitFor();
    await section('Claims that ran out').getByRole('button', { name: 'Dig' }).waitFor();
    await section('Came back').getByText('The gate stayed red.').waitFor();
    await section('Came back').getByRole('button', { name: 'Drain' }).waitFor();
    for (const fact of ['ready to verify', 'blocked: its verification was red', /^stale: commits/])
      await section('Goals to verify').getByText(fact).waitFor();
    await section('Goals to verify').getByRole('link', { name: 'A wall' }).waitFor();
    await section('Blocked').getByRole('link').click();
    await page.getByRole('link', { name: 'Lay pipes' }).waitFor();
    expect(await page.getByRole('link', { name: 'Buy pipes' }).count()).to.equal(0);
    await page.goBack();
    await rest.patch(`/tasks/${(await rest.get(`/projects/${project}/tasks`)).body.tasks[0].id}`, { status: 'done' });
    await section('Overdue').waitFor({ state: 'detached' });
  });

  it('renders the description, and keeps long words in their columns [S.web.overview-long]', async () => {
    const { page, address } = await app({
      path: '/',
      prepare: async (rest, project) => {
        await rest.patch(`/projects/${project}`, { description: `**Soon**: ${longWord}` });
        await rest.post(`/projects/${project}/goals`, { name: longWord, objective: longWord });
        await add(rest, project, longWord, { due_date: day(-1), tags: [longWord], assignee: longWord });
      },
    });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await showOnly(page, address('/projects/:project'));
      await page.locator('strong', { hasText: 'Soon' }).waitFor();
      await page.getByRole('region', { name: 'Overdue' }).waitFor();
      const wide = `[...document.querySelectorAll('main *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.className)`;
      await untilEqual(() => page.evaluate(wide), []);
      await showOnly(page, address('/projects/:project/board'));
      const card = page.locator('[data-task]');
      await card.waitFor();
      const box = `(() => { const at = document.querySelector('[data-task]').getBoundingClientRect(); return [...document.querySelectorAll('[data-task] *')].filter((each) => each.getBoundingClientRect().right > at.right + 1).length; })()`;
      await untilEqual(() => page.evaluate(box), 0);
      await card.click();
      await page.getByRole('dialog').getByRole('button', { name: /^Tags/ }).waitFor();
      const panel = `[...document.querySelectorAll('[role=dialog] *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.className)`;
      await untilEqual(() => page.evaluate(panel), []);
    }
  });
});

browserTestsInOneTab('A task and a run', ({ app }) => {
  it('name the prerequisites of a task, and take a due date in words [S.web.task-facts]', async () => {
    const { page, rest, project, address } = await app({ path: '/projects/:project/board' });
    const first = await add(rest, project, 'Buy pipes');
    const then = await add(rest, project, 'Lay pipes', { due_date: '2031-05-06' });
    const ends = { from_type: 'task', from_id: first, to_type: 'task', to_id: then };
    await rest.post(`/projects/${project}/edges`, { ...ends, label: 'feeds the_well' });
    await visit(page, address(`/projects/:project/board?task=${then}`));
    const panel = page.getByRole('dialog');
    await panel.getByText('Blocked by').getByRole('button', { name: 'Buy pipes' }).waitFor();
    await panel.getByText('feeds the well').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.postData() ?? '');
    });
    await setField(panel, 'Due date', /Jul 8, 2032/, '2032-07-08');
    // The event of a request may come after its effect on the service.
    await until(async () => (await rest.get(`/tasks/${then}`)).body.due_date === '2032-07-08' && sent.length > 0);
    expect(sent).to.deep.equal(['{"due_date":"2032-07-08"}']);
    await panel.getByText('Blocked by').getByRole('button', { name: 'Buy pipes' }).click();
    await page.waitForURL(new RegExp(`task=${first}`));
  });

  it('show the task of an agent only while its run is running [S.web.agents-now]', async () => {
    const { page, rest, project } = await app({
      path: '/projects/:project/agents',
      prepare: async (client, id) => {
        const task = await add(client, id, 'Dig');
        await client.post(`/tasks/${task}/claim`, { agent_ref: 'builder' });
        for (const label of ['Yesterday', 'Today'])
          await client.post(`/projects/${id}/agent-runs`, { label, agent_ref: 'builder' });
        const [old] = (await client.get(`/projects/${id}/agent-runs`)).body.runs;
        await client.post(`/agent-runs/${old.id}/complete`, { status: 'completed' });
      },
    });
    const run = (name: string): ReturnType<typeof page.getByRole> =>
      page.getByRole('article').filter({ has: page.getByRole('heading', { name }) });
    await run('Today').getByText('Works on').waitFor();
    await run('Yesterday').waitFor();
    expect(await run('Yesterday').getByText('Works on').count()).to.equal(0);
    const [, today] = (await rest.get(`/projects/${project}/agent-runs`)).body.runs;
    await rest.post(`/agent-runs/${today.id}/progress`, { message: 'Where to?' });
    // The question is answered in its view, and the overview leads to it.
    await run('Today').getByRole('form', { name: 'Question of Today' }).getByText('Where to?').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('region', { name: 'Waiting for an answer' }).getByRole('link', { name: 'Where to?' }).click();
    await page.getByRole('heading', { name: 'Review', level: 1 }).waitFor();
  });
});
