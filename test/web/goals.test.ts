import { expect } from 'chai';
import type { RestClient } from '../support/rest-client.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { hold } from './support/hold.ts';
import { until, untilEqual } from './support/until.ts';
import { visit } from './support/visit.ts';

const criteria = ['The lock holds', 'The hinges are quiet'];

async function gate(rest: RestClient, project: string): Promise<void> {
  const items = criteria.map((criterion) => ({ criterion }));
  const surface = { kind: 'acceptance_checklist', items };
  const { body: goal } = await rest.post(`/projects/${project}/goals`, {
    name: 'A gate',
    objective: 'It **opens**.',
    verification_surface: surface,
    constraints: 'No nails.',
  });
  await rest.post(`/projects/${project}/tasks`, { label: 'Hang it', goal_id: goal.id });
}

const path = '/projects/:project/goals';

browserTestsInOneTab('Goals', ({ app }) => {
  it('are ticked, rejected while a task is open, blocked with a remediation task, and completed [S.web.goals]', async () => {
    const { page, rest, project } = await app({ path, prepare: gate });
    const goalNow = async (): Promise<{ id: string; status: string }> =>
      (await rest.get(`/projects/${project}/goals`)).body.goals.find(({ name }: { name: string }) => name === 'A gate');
    await page.getByText('0 of 1 task done').waitFor();
    await page.getByRole('link', { name: 'A gate' }).click();
    await page.getByText('No nails.').waitFor();
    await page.getByText('0 of 1 done').waitFor();
    await page.getByLabel(criteria[0]!).check();
    // Nothing is counted before it is known.
    const counted = await hold(page, /\/tasks(\?|$)/);
    await page.reload();
    await counted.sent;
    await page.getByText('No nails.').waitFor();
    expect(await page.getByText(/\d+ of \d+ done/).count()).to.equal(0);
    counted.release();
    await page.getByText('0 of 1 done').waitFor();
    // A tick outlives the reload.
    await page.getByRole('checkbox', { name: criteria[0]!, checked: true }).waitFor();
    await page.getByRole('button', { name: 'Report as not met…' }).click();
    await page.getByRole('button', { name: 'Block the goal' }).click();
    await page.getByText('Verified as not reached').waitFor();
    await page.getByRole('button', { name: /Make the verification green/ }).waitFor();
    expect((await goalNow()).status).to.equal('blocked');
    await page.getByLabel(criteria[1]!).check();
    await page.getByRole('button', { name: 'Complete goal' }).click();
    await page.getByText('These tasks are not done yet').waitFor();
    const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body;
    const open = tasks.find(({ label }: { label: string }) => label === 'Hang it');
    await rest.patch(`/tasks/${open.id}`, { status: 'done' });
    await page.getByRole('button', { name: 'Complete goal' }).click();
    await page.getByText('Verified as reached').waitFor();
    expect((await goalNow()).status).to.equal('complete');
    await page.getByRole('button', { name: 'Reopen' }).click();
    // The goal is shown as active before the service has changed it.
    await until(async () => (await goalNow()).status === 'active');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await until(async () => (await goalNow()).status === 'paused');
  });

  it('are created with their verification, changed, invoked, and worked by a copied command [S.web.goals, S.web.programs]', async () => {
    const { page, rest, project } = await app({ path });
    await page.getByRole('button', { name: 'New goal' }).click();
    await page.getByLabel('Name').fill('A pond');
    await page.getByLabel('Objective').fill('Frogs come.');
    await page.getByLabel('A command that exits with 0').check();
    await page.getByRole('textbox', { name: 'Command' }).fill('npm run frogs');
    await page.getByText('Contract (optional)').click();
    await page.getByLabel('Budget').fill('Two days');
    await page.getByRole('button', { name: 'Create goal' }).click();
    await page.getByRole('heading', { name: 'A pond', level: 1 }).waitFor();
    await page.getByText('npm run frogs').waitFor();
    await page.getByLabel('New task').fill('Dig');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Dig/ }).waitFor();
    await page.getByRole('button', { name: 'Copy planner run' }).click();
    const copied = (): Promise<unknown> => page.evaluate('navigator.clipboard.readText()');
    await untilEqual(copied, 'planner run "A pond"');
    const [{ id }] = (await rest.get(`/projects/${project}/goals`)).body.goals.slice(-1);
    // A shell would run a part of this name.
    await rest.patch(`/goals/${id}`, { name: 'A $(pond)' });
    await page.getByText(`planner run ${id}`).waitFor();
    await rest.patch(`/goals/${id}`, { name: 'A pond' });
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByText('First: Dig').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('A person’s sign-off').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Approved by').waitFor();
    await untilEqual(
      async () => {
        const { goals } = (await rest.get(`/projects/${project}/goals`)).body;
        const { budget, verification_surface } = goals.find(({ name }: { name: string }) => name === 'A pond');
        return { budget, verification_surface };
      },
      { budget: 'Two days', verification_surface: '{"kind":"human_sign_off"}' },
    );
  });

  it('say on every view that an agent reported their evidence, and that it is stale [A.verify.stale, D4.evidence-reported]', async () => {
    const { page, rest, project } = await app({
      path,
      prepare: async (rest, project) => {
        const surface = { verification_surface: { kind: 'gate_command', command: 'npm test' } };
        const { body: goal } = await rest.post(`/projects/${project}/goals`, {
          name: 'Green',
          objective: 'x',
          ...surface,
        });
        const { body: key } = await rest.post('/keys', { kind: 'agent', name: 'Worker', project_id: project });
        const proof = { commit: 'ab12'.repeat(10), tree: 'cd34'.repeat(10), dirty: false, started_at: goal.created_at };
        const whole = { ...proof, seconds: 4, ran_by: 'Worker' };
        const evidence = { kind: 'gate_command', exit_code: 0, proof: whole };
        const headers = { Authorization: `Bearer ${key.secret as string}` };
        expect((await rest.send('POST', `/goals/${goal.id}/complete`, { evidence }, headers)).status).to.equal(200);
      },
    });
    const said = page.getByText(/reported by Worker/);
    await said.waitFor();
    await page.getByRole('link', { name: 'Green' }).click();
    await page.getByText('Verified as reached').waitFor();
    await said.waitFor();
    await page.getByText(/^Green at ab12ab12ab/).waitFor();
    expect(await page.getByText('Stale').count()).to.equal(0);
    const { goals } = (await rest.get(`/projects/${project}/goals`)).body;
    const green = goals.find(({ name }: { name: string }) => name === 'Green');
    const stale = { verification_state: 'stale', verification_behind: { commits: 3, touching: 2 } };
    await rest.patch(`/goals/${green.id}`, stale);
    await page.getByText('Stale').first().waitFor();
    await page.getByText('3 commits ago, 2 touch it').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await said.waitFor();
    await page.getByText('Stale', { exact: true }).waitFor();
  });

  it('warn before red evidence is submitted, and have a way back from it [S.web.goals-red, D4.resume]', async () => {
    const { page, rest, project } = await app({ path });
    const surface = { kind: 'gate_command', command: 'npm test' };
    const { body: goal } = await rest.post(`/projects/${project}/goals`, {
      ...{ name: 'A fence', objective: 'It stands.', verification_surface: surface },
    });
    await rest.post(`/projects/${project}/tasks`, { label: 'Dig holes', goal_id: goal.id });
    const statusNow = async (): Promise<string> => (await rest.get(`/goals/${goal.id}`)).body.status as string;
    await visit(page, page.url().replace(/goals.*/, `goals/${goal.id}`));
    await page.getByLabel('Exit code').fill('1');
    await page.getByText('Exit code 1 is red.').waitFor();
    await page.getByRole('button', { name: 'Submit and block the goal…' }).click();
    const question = page.getByRole('dialog', { name: 'Submit red evidence?' });
    await question.getByText(/becomes Blocked.*remediation task is created in Scope/).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await statusNow(), 'after cancelling').to.equal('active');
    await page.getByRole('button', { name: 'Submit and block the goal…' }).click();
    await question.getByRole('button', { name: 'Block the goal' }).click();
    await page.getByText('Verified as not reached').waitFor();
    await page.getByRole('button', { name: /Make the verification green/ }).waitFor();
    expect(await statusNow()).to.equal('blocked');
    await page.getByRole('button', { name: 'Resume work' }).click();
    await until(async () => (await statusNow()) === 'active');
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByText('First: Dig holes').waitFor();
    expect(await statusNow()).to.equal('active');
    await page.getByRole('button', { name: /Make the verification green/ }).waitFor();
  });

  it('are archived and brought back; the list and pickers leave archived ones out [S.web.goals-archive]', async () => {
    const { page, rest, project } = await app({ path });
    const make = async (name: string, status: string): Promise<string> =>
      (await rest.post(`/projects/${project}/goals`, { name, status, objective: 'It **stands** in `wood`.' })).body
        .id as string;
    const old = await make('An old fence', 'complete');
    await make('A new fence', 'active');
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Paint' });
    await page.getByText('It stands in wood.').first().waitFor();
    await page.getByRole('link', { name: 'An old fence' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Unarchive' }).waitFor();
    await until(async () => (await rest.get(`/goals/${old}`)).body.archived_at !== null);
    await page.getByRole('link', { name: 'Goals', exact: true }).first().click();
    await page.getByRole('link', { name: 'A new fence' }).waitFor();
    await page.getByRole('link', { name: 'An old fence' }).waitFor({ state: 'detached' });
    await visit(page, page.url().replace(/\/goals.*/, `/goals?task=${task.id}`));
    await page.getByRole('dialog').getByRole('button', { name: /^Goal/ }).click();
    await untilEqual(() => page.getByRole('option').allTextContents(), ['General', 'A new fence']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByLabel('Show archived (1)').check();
    await page.getByRole('link', { name: 'An old fence' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Unarchive' }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    await until(async () => (await rest.get(`/goals/${old}`)).body.archived_at === null);
  });

  it('are ready to verify when the tasks of an active one are done [S.web.goals]', async () => {
    const { page, rest, project } = await app({ path });
    const verification_surface = { kind: 'gate_command', command: 'true' };
    const fields = { name: 'A hedge', objective: 'Green.', verification_surface };
    const { body: goal } = await rest.post(`/projects/${project}/goals`, fields);
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Plant', goal_id: goal.id });
    const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'A hedge' }) });
    await card.getByText('0 of 1 task done').waitFor();
    await card.getByText('Active').waitFor();
    await rest.patch(`/tasks/${task.id}`, { status: 'done' });
    await card.getByText('Ready to verify').waitFor();
  });

  it('show changes of others in an open form, and warn of what saving would overwrite [S.web.goals, S.web.live]', async () => {
    const { page, rest, project } = await app({ path });
    const goal = (await rest.post(`/projects/${project}/goals`, { objective: 'Frogs come.', budget: 'Two days' })).body;
    await visit(page, page.url().replace(/goals.*/, `goals/${goal.id}`));
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Objective').fill('Frogs and newts come.');
    await rest.patch(`/goals/${goal.id}`, { objective: 'Toads come.', budget: 'A week' });
    // Without typing the field follows; while typing both versions are shown.
    await page.getByText('Another user has changed this to “Toads come.”').waitFor();
    await untilEqual(() => form.getByLabel('Budget').inputValue(), 'A week');
    expect(await form.getByLabel('Objective').inputValue()).to.equal('Frogs and newts come.');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await rest.get(`/goals/${goal.id}`)).body).to.include({
      objective: 'Frogs and newts come.',
      budget: 'A week',
    });
  });
});
