import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { systemClock } from '../../src/base/clock.ts';
import { HostedService } from '../support/hosted-service.ts';
import { client, IdentityProvider } from '../support/identity-provider.ts';
import type { RestClient } from '../support/rest-client.ts';
import { rarely } from '../support/rarely.ts';
import { freePort, repository } from '../support/server-process.ts';
import { allLooks, frame, Looks, phoneLooks, sizedColours, wideLook } from './support/accessible.ts';
import { browserTestsInOneTab, testMsMax } from './support/browser.ts';
import { until } from './support/until.ts';
import { leave, showOnly } from './support/visit.ts';

const text = `Clay, and [the plan](https://example.org).

- [x] dug
- [ ] sown

| bed | soil |
| --- | ---- |
| 1 | clay |

\`\`\`
${'x'.repeat(120)}
\`\`\`
`;

type Ids = Readonly<Record<'task' | 'goal' | 'document' | 'note' | 'artifact' | 'prototype', string>>;

/** Adds to a project records that are in no view of the sample, or are looked at by their ids. */
async function fill(rest: RestClient, project: string): Promise<Ids> {
  const make = async (what: string, fields: object): Promise<string> => {
    const { status, body } = await rest.post(`/projects/${project}/${what}`, fields);
    expect(status, `${what}: ${JSON.stringify(body)}`).to.equal(201);
    return body.id as string;
  };
  const goal = await make('goals', {
    name: 'A gate',
    objective: text,
    verification_surface: { kind: 'acceptance_checklist', items: [{ criterion: 'It opens' }] },
  });
  const fields = { description: text, due_date: '2020-01-02', assignee: 'Ada', tags: ['soil'], priority: 'high' };
  const task = await make('tasks', { label: 'Dig', status: 'in_progress', goal_id: goal, ...fields });
  for (const status of ['backlog', 'scope', 'todo', 'done']) {
    const from_id = await make('tasks', { label: `Bed ${status}`, status, lane: 'approve' });
    await make('edges', { from_type: 'task', from_id, to_type: 'task', to_id: task, label: 'depends_on' });
  }
  await rest.post(`/tasks/${task}/claim`, { agent_ref: 'builder', lease_seconds: 3600 });
  await rest.post(`/tasks/${task}/comments`, { body: 'Deep **enough**?' });
  const run = await make('agent-runs', {
    ...{ label: 'The pond', agent_ref: 'builder', task_id: task, branch: 'planner/pond', commits: ['4f2c9d1ab3'] },
    ...{ tokens: 12_000, cost_usd: 0.5, diff_stat: { files: 2, insertions: 30, deletions: 4 } },
    awaiting: { question: 'How **deep**?', choices: ['One metre', 'Two metres'] },
  });
  await rest.post(`/agent-runs/${run}/progress`, { message: 'Marked the **edge**' });
  await make('folders', { name: 'Beds' });
  const document = await make('documents', { title: 'Soil', body: text, link_to: task });
  await rest.post(`/documents/${document}/comments`, { body: 'Sure?', passage: 'Clay' });
  const note = await make('notes', { title: 'Seeds', body: text });
  await rest.patch(`/notes/${note}`, { body: `${text}\nPeas.` });
  const prototype = await make('prototypes', { name: 'Shop', viewport: { width: 390, height: 844 } });
  const html = { kind: 'html', content: '<h1>Cart</h1>' };
  await make('artifacts', { title: 'Cart', prototype_id: prototype, ...html });
  await make('artifacts', { title: 'Report', kind: 'markdown', content: text });
  const artifact = await make('artifacts', { title: 'Picture', ...html });
  await make('submissions', { participant_name: 'Grace', title: 'A leak', body: 'It drips.' });
  await make('participant-links', { audience_name: 'Neighbours' });
  await rest.delete(`/tasks/${await make('tasks', { label: 'Weed' })}`);
  return { task, goal, document, note, artifact, prototype };
}

/** The views of a project and further addresses of each: of the plan, and of the others. */
const plan = (ids: Ids): readonly string[] => [
  '',
  'board',
  `board?task=${ids.task}`,
  'list',
  'canvas',
  'goals',
  `goals/${ids.goal}`,
  'review',
  'inbox',
  'agents',
  'history',
  'trash',
  'problems',
];
const knowledge = (ids: Ids): readonly string[] => [
  'documents',
  `documents/${ids.document}?mode=preview`,
  `documents/${ids.document}?mode=beside&beside=links`,
  'notes',
  `notes/${ids.note}`,
  'artifacts',
  `artifacts/${ids.artifact}`,
  'prototypes',
  `prototypes/${ids.prototype}`,
  ...['', '/agents', '/keys', '/sharing', '/tags'].map((tab) => `settings${tab}`),
];

/** The findings of views, each shown without loading the page again. The frame is checked with the first of them. */
async function findings(page: Page, paths: readonly string[], looks: Looks): Promise<string[]> {
  const found: string[] = [];
  for (const [at, path] of paths.entries()) {
    await show(page, path);
    found.push(...(await looks.violations(at === 0 ? [] : frame)).map((each) => `${path}: ${each}`));
  }
  return found;
}

async function show(page: Page, path: string): Promise<void> {
  await showOnly(page, path);
  await settled(page);
  if (path.includes('task='))
    await page
      .getByRole('dialog')
      .getByText(/^Created /)
      .waitFor();
}

async function settled(page: Page): Promise<void> {
  await page.locator('main :is(h1, h2, h3, [role=grid], .react-flow)').first().waitFor({ state: 'attached' });
  await until(async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0);
}

const programRequest = {
  code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
  code_challenge_method: 'S256',
  state: 's'.repeat(24),
  device: 'bench',
};

/** The views that the sidebar leads to. */
async function linksOf(page: Page, path: string): Promise<string[]> {
  await showOnly(page, path);
  const links = page.getByRole('navigation', { name: 'Project' }).getByRole('link');
  await links.first().waitFor();
  return links.evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
}

/** The addresses of the listed views; the overview has a slash at its end. */
function listed(ids: Ids, project: string): ReadonlySet<string> {
  const views = [...plan(ids), ...knowledge(ids)].map((view) => `/projects/${project}/${view}`);
  return new Set([...views, `/projects/${project}`]);
}

browserTestsInOneTab('Every page is accessible', ({ app }) => {
  // Each further look takes as long as the first, and states of views are checked in the dark, too (`expectAccessible`).
  for (const [define, inLooks, extent] of [
    [it, wideLook, ''],
    [rarely, allLooks, ', light and dark, wide and on a phone'],
  ] as const) {
    for (const [name, views] of [
      ['the plan', plan],
      ['knowledge and settings', knowledge],
    ] as const)
      define(`in each view of ${name}${extent} [S.web.accessible]`, async function (this: Mocha.Context) {
        // As many views as other tests have in ten.
        this.timeout(10 * testMsMax);
        let ids: Ids | undefined;
        let project = '';
        const { page, root, rest, service } = await app({
          path: '/',
          prepare: async (api) => {
            project = (await api.post('/projects/sample', {})).body.id as string;
            ids = await fill(api, project);
          },
        });
        await rest.post('/flush', {});
        const { path } = (await rest.get(`/projects/${project}/records/${ids!.task}/file`)).body;
        writeFileSync(join(root, dirname(path as string), 'broken.md'), '---\nlabel: "broken\n---\n');
        await service.store.rescan();
        const paths = views(ids!).map((view) => `/projects/${project}/${view}`);
        // A new view is added to the lists.
        const linked = await linksOf(page, `/projects/${project}/`);
        expect(linked.filter((href) => !listed(ids!, project).has(href))).to.deep.equal([]);
        // The sidebar is around the first of them.
        expect(await findings(page, [...paths, '/'], new Looks(page, inLooks))).to.deep.equal([]);
      });

    define(`in each dialog of the frame${extent} [S.web.accessible]`, async () => {
      const { page } = await app();
      await settled(page);
      const looks = new Looks(page, inLooks);
      for (const [keys, name] of [
        ['?', 'Shortcuts'],
        ['Control+k', ''],
        ['c', ''],
      ] as const) {
        await page.keyboard.press(keys);
        await page.getByRole('dialog', name === '' ? {} : { name }).waitFor();
        // The view is under the dialog.
        expect(await looks.violations(['#root']), keys).to.deep.equal([]);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    });

    define(`for guests${extent} [S.web.accessible, S.web.guests]`, async () => {
      let ids: Ids | undefined;
      const { page, rest, project } = await app({
        path: '/icon.svg',
        prepare: async (api, id) => (ids = await fill(api, id)),
      });
      const share = async (what: string): Promise<string> => (await rest.post(`/${what}/share`, {})).body.url as string;
      const task = await share(`tasks/${ids!.task}`);
      const prototype = await share(`prototypes/${ids!.prototype}`);
      const participants = (await rest.post(`/projects/${project}/participant-links`, {})).body.url as string;
      const { screens } = (await rest.get(`/prototypes/${ids!.prototype}`)).body;
      const [found, looks] = [[] as string[], new Looks(page, inLooks)];
      const screen = `${prototype}/screens/${screens[0].id}`;
      for (const path of [
        task,
        `${task}?document=${ids!.document}`,
        await share(`documents/${ids!.document}`),
        prototype,
        screen,
        participants,
        `${participants}?sent=1`,
        '/s/no-such-link',
        '/p/no-such-link',
      ]) {
        await page.goto(path);
        // The heading of a screen is in its frame.
        const own = (await looks.violations()).filter(
          (each) => path !== screen || !each.includes('page-has-heading-one'),
        );
        found.push(...own.map((each) => `${path}: ${each}`));
      }
      await page.goto(participants);
      await page.getByLabel('Your name').fill('Grace');
      // A browser accepts a blank title, which the service rejects.
      await page.getByLabel('Title').fill(' ');
      await page.getByRole('button', { name: 'Submit' }).click();
      await page.getByRole('alert').waitFor();
      found.push(...(await looks.violations()).map((each) => `rejected: ${each}`));
      expect(found).to.deep.equal([]);
    });
  }

  rarely('for signing in and out, light and dark, wide and on a phone [S.web.accessible, S.web.hosted]', async () => {
    const { context } = await app({ path: '/icon.svg' });
    const page = await context.newPage();
    const [found, looks] = [[] as string[], new Looks(page)];
    const check = async (name: string): Promise<void> => {
      found.push(...(await looks.violations()).map((each) => `${name}: ${each}`));
    };
    const hosted = await HostedService.start();
    try {
      await page.goto(`${hosted.url}/sign-in`);
      await check('sign-in');
      await page.getByLabel('Owner key').fill('pln_owner_wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await check('rejected');
      await page.goto(`${hosted.url}/sign-out`);
      await check('sign-out');
    } finally {
      await hosted.stop();
    }
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const provider = await IdentityProvider.start(`${baseUrl}/sign-in/callback`);
    const owners = new Set(['ada@example.org']);
    const openId = { issuer: provider.issuer, clientId: client.id, clientSecret: client.secret, owners };
    const identified = await HostedService.start({ port, baseUrl, openId, clock: systemClock });
    try {
      await page.goto(`${baseUrl}/sign-in/program?${new URLSearchParams(programRequest).toString()}`);
      await check('provider');
      await page.getByRole('link', { name: /^Sign in at/ }).click();
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      await check('program');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Paste this code').waitFor();
      await check('code');
    } finally {
      await identified.stop();
      await provider.stop();
    }
    expect(found).to.deep.equal([]);
    await page.close();
  });

  rarely('in each view of an empty project, on a phone, and where nothing is [S.web.accessible]', async () => {
    const { page, address } = await app();
    const linked = await linksOf(page, address('/projects/:project/'));
    // The view without records looks the same everywhere: the colours of the dark theme are checked in two of them.
    const found = await findings(page, linked, new Looks(page, phoneLooks.slice(0, 1)));
    const looks = new Looks(page, phoneLooks);
    found.push(...(await findings(page, [linked.at(-1)!, '/projects/prj_none'], looks)));
    await leave(page);
    found.push(...(await looks.violations()));
    expect(found).to.deep.equal([]);
  });

  it('also where a text of a known look gets another colour or background [S.web.accessible]', async () => {
    const { context } = await app({ path: '/icon.svg' });
    const page = await context.newPage();
    const looks = new Looks(page, phoneLooks.slice(0, 1));
    for (const style of ['', 'p { color: #ccc }', 'main { background: #222 }', 'main { opacity: 0.3 }', '']) {
      await page.setContent(`<html lang="en"><title>Beds</title><style>body { background: #fff; color: #333 } ${style}</style>
        <main><h1>Beds</h1><div><p>Clay</p></div></main></html>`);
      // The same document, so that axe and its known looks are there.
      const found = (await looks.violations()).filter((each) => / p: /.test(each));
      expect(found, style).to.have.length(style === '' ? 0 : 1);
    }
    await page.close();
  });
});

/** The sidebar covers the view on a phone, and the view is behind a shadow. */
const covering = ['background: var(--surface)', 'background: var(--overlay)'];

describe('The colours of the page', () => {
  it('do not depend on the size of the screen, so that they are checked in one [S.web.accessible]', () => {
    const sheets = globSync('src/{web/**/*.css,pages/*.ts}', { cwd: repository });
    const found = sheets.flatMap((path) => sizedColours(readFileSync(`${repository}/${path}`, 'utf8')));
    expect(found).to.deep.equal(covering);
    expect(
      sizedColours('a { color: red } @media (max-width: 9px) { a { top: 0 } b { color: red } } b { color: red }'),
    ).to.have.length(1);
  });
});
