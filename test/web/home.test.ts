import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { rarely } from '../support/rarely.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until, untilEqual } from './support/until.ts';
import { showOnly } from './support/visit.ts';

browserTestsInOneTab('The home and the overview', ({ app }) => {
  it('creates a project, and deletes one after its name was typed [S.web.home]', async () => {
    const { page, rest } = await app({ path: '/' });
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('Pond');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('heading', { name: 'Pond', level: 1 }).waitFor();
    const { projects } = (await rest.get('/projects')).body;
    const pond = projects.find(({ name }: { name: string }) => name === 'Pond').id as string;
    expect(new URL(page.url()).pathname).to.equal(`/projects/${pond}`);
    await rest.post(`/projects/${pond}/tasks`, { label: 'Drain' });
    await page.getByRole('link', { name: 'Planner' }).first().click();
    await page.getByRole('link', { name: 'Drain' }).waitFor();
    await page.getByRole('button', { name: 'More for Pond' }).click();
    await page.getByRole('menuitem', { name: 'Delete project…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete project' });
    expect(await confirm.isDisabled()).to.equal(true);
    await page.getByRole('dialog').getByRole('textbox').fill('Pond');
    await confirm.click();
    // Recent changes name it, too.
    await untilEqual(() => page.getByRole('link', { name: /^(?:Pond|Drain)$/ }).count(), 0);
    await until(async () => (await rest.get(`/projects/${pond}`)).status === 404);
  });

  it('lists missing and unreadable files of projects, with path, reason and remedy [A.project.listed, A.project.none]', async () => {
    const { page, rest, project, root, service } = await app({ path: '/' });
    await page.getByRole('heading', { name: 'Garden' }).waitFor();
    const directory = join(root, '.planner/projects/prints-a1b2c3');
    mkdirSync(join(directory, 'tasks'), { recursive: true });
    writeFileSync(join(directory, 'tasks/a.md'), 'Text\n');
    await service.store.rescan();
    const list = page.getByRole('list', { name: 'Files of projects' });
    await list.getByText('.planner/projects/prints-a1b2c3/project.json', { exact: true }).waitFor();
    await list.getByText('The file is missing, so the record file beside it is not served.').waitFor();
    await list.getByText(/^What to do: Restore the file/).waitFor();
    await expectAccessible(page);
    await rest.delete(`/projects/${project}`);
    await page.getByRole('heading', { name: 'Garden' }).waitFor({ state: 'detached' });
    expect(await list.isVisible()).to.equal(true);
    expect(await page.getByText('No project yet').count()).to.equal(0);
    writeFileSync(join(directory, 'project.json'), '{\n  "name": "Prints",\n}\n');
    await service.store.rescan();
    await list.getByText('.planner/projects/prints-a1b2c3/project.json:3', { exact: true }).waitFor();
    rmSync(directory, { recursive: true });
    await service.store.rescan();
    await page.getByText('No project yet').waitFor();
    expect(await list.count()).to.equal(0);
  });

  rarely('imports an export and shows recent changes [S.web.home]', async () => {
    const { page, rest, project } = await app({
      path: '/',
      prepare: async (client, id) => {
        const { body: task } = await client.post(`/projects/${id}/tasks`, { label: 'Dig' });
        await client.patch(`/tasks/${task.id}`, { status: 'done' });
      },
    });
    await page.getByText(/finished Dig/).waitFor();
    await page.getByText('1 of 1 task done').waitFor();
    const { body } = await rest.get(`/projects/${project}/export`);
    const renamed = { ...body, project: { ...body.project, name: 'Copy' } };
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByLabel('File to import')
      .setInputFiles({ name: 'plan.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(renamed)) });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Copy, from Planner: ').waitFor();
    expect((await rest.get('/projects')).body.projects).to.have.length(1);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Copy', level: 1 }).waitFor();
    expect((await rest.get('/projects')).body.projects).to.have.length(2);
  });

  rarely(
    'imports the directory of another tool, after one of its plans was chosen, and merges it later [D9.moving.one-path, D9.moving.into]',
    async () => {
      const { page, rest } = await app({ path: '/' });
      const directory = mkdtempSync(join(tmpdir(), 'planner-import-'));
      const put = (path: string, text: string): void => {
        mkdirSync(dirname(join(directory, path)), { recursive: true });
        writeFileSync(join(directory, path), text);
      };
      const issue = (id: string, title: string): string => `${JSON.stringify({ id, title, status: 'open' })}\n`;
      const choose = async (into?: string): Promise<void> => {
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        if (into !== undefined) await page.getByRole('dialog').getByLabel('Into').selectOption(into);
        await page.getByLabel('Directory to import').setInputFiles(directory);
        await page.getByRole('button', { name: /^beads/ }).click();
      };
      try {
        put('issues.jsonl', issue('a-1', 'Dig'));
        put('tasks.json', '{"master":[{"id":1,"title":"Sow","status":"pending"}]}');
        await choose();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('from beads: 1 task.').waitFor();
        await expectAccessible(page);
        await dialog.getByRole('button', { name: 'Import', exact: true }).click();
        const made = basename(directory);
        await page.getByRole('heading', { name: made, level: 1 }).waitFor();
        put('issues.jsonl', issue('a-1', 'Dig') + issue('a-2', 'Reap'));
        await showOnly(page, '/');
        await choose(made);
        await dialog.getByText('1 task will be added, already there: 1 task.').waitFor();
        await dialog.getByRole('button', { name: 'Import', exact: true }).click();
        await page.getByRole('heading', { name: made, level: 1 }).waitFor();
        const { projects } = (await rest.get('/projects')).body;
        const { id } = projects.find(({ name }: { name: string }) => name === made);
        const { tasks } = (await rest.get(`/projects/${id}/tasks`)).body;
        expect(tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['Dig', 'Reap']);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );

  it('shows the state of a project, and a broken file [S.web.overview, S.web.live, S.limits.polling]', async () => {
    const { page, rest, project, root, service } = await app({
      prepare: async (client, id) => {
        const { body: goal } = await client.post(`/projects/${id}/goals`, { name: 'Spring', objective: 'Green beds.' });
        await client.post(`/projects/${id}/tasks`, { label: 'Dig', goal_id: goal.id, status: 'done' });
        await client.post(`/projects/${id}/tasks`, { label: 'Sow', goal_id: goal.id });
        await client.post(`/projects/${id}/documents`, { title: 'Soil', body: 'Clay.' });
        const { body: run } = await client.post(`/projects/${id}/agent-runs`, { label: 'Morning round' });
        await client.post(`/agent-runs/${run.id}/progress`, { message: 'Watering' });
      },
    });
    for (const text of ['Spring', '1 of 2 tasks done', 'Soil', 'Morning round', 'Watering'])
      await page.getByText(text).first().waitFor();
    await rest.post('/flush', {});
    const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: { id: string; label: string }[] };
    const { id } = tasks.find(({ label }) => label === 'Sow')!;
    const sow = join(root, (await rest.get(`/projects/${project}/records/${id}/file`)).body.path as string);
    writeFileSync(sow, readFileSync(sow, 'utf8').replace('status: todo', 'status: done'));
    await service.store.rescan();
    await page.getByText('2 of 2 tasks done').waitFor();
    writeFileSync(
      sow,
      readFileSync(sow, 'utf8').replace('status: done', '<<<<<<< a\nstatus: done\n=======\n>>>>>>> b'),
    );
    await service.store.rescan();
    await page.getByText('One file needs a person.').waitFor();
    expect((await rest.get(`/projects/${project}/problems`)).body.problems).to.have.length(1);
  });

  it('has a page for every address, and JSON for programs [S.web.address, S.web.policy]', async () => {
    const { page, service } = await app({ path: '/nowhere/at/all' });
    await page.getByText('There is nothing at this address').waitFor();
    const seen = await fetch(`${service.url}/nowhere`, { headers: { Accept: 'text/html' } });
    expect([seen.status, seen.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    const policy = seen.headers.get('content-security-policy')!;
    expect(policy).to.include("script-src 'self';").and.to.include("default-src 'none'");
    for (const path of ['/nowhere', '/assets/none.js', '/register', '/.well-known/none']) {
      const program = await fetch(`${service.url}${path}`, { headers: { Accept: 'application/json' } });
      expect([path, program.status, program.headers.get('content-type')]).to.deep.equal([
        path,
        404,
        'application/json; charset=utf-8',
      ]);
    }
    const asset = /\/assets\/[^"]+\.js/.exec(await seen.text())![0];
    const script = await fetch(service.url + asset, { headers: { 'Accept-Encoding': 'br' } });
    expect(script.headers.get('content-encoding')).to.equal('br');
    expect(script.headers.get('cache-control')).to.include('immutable');
    expect(script.headers.get('x-content-type-options')).to.equal('nosniff');
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !/^(?:data|blob):/.test(request.url()))
        elsewhere.push(request.url());
    });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(elsewhere).to.deep.equal([]);
  });
});
