/**
 * `npm run screenshots`: images of the main views of the sample plan, while an agent works in it, in examples/screenshots/.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../support/user-settings.ts';
import { workInSample } from '../../src/cli/records/sample-agent.ts';
import { launchBrowser } from '../support/chromium.ts';
import { RestClient } from '../support/rest-client.ts';
import { repository, startService } from '../support/server-process.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The agent of the sample is in the middle of its third task. */
async function workSomeSteps(rest: RestClient, project: string): Promise<void> {
  const { body: key } = await rest.post('/keys', { kind: 'agent', name: 'demo', project_id: project });
  const agent = new RestClient(rest.url, { Authorization: `Bearer ${key.secret as string}` });
  const call = async (operation: string, input: object): Promise<Record<string, unknown>> =>
    (await agent.post(`/call/${operation}`, input)).body as Record<string, unknown>;
  let steps = 10;
  const pause = (): Promise<void> => (steps-- > 0 ? Promise.resolve() : Promise.reject(new Error('It is time.')));
  await workInSample({ call }, project, pause).catch(() => undefined);
}

const target = join(repository, 'examples', 'screenshots');
const desktop = { width: 1280, height: 800 };
const small = { width: 900, height: 480 };
const phone = { width: 390, height: 844 };

const directory = mkdtempSync(join(tmpdir(), 'planner-screenshots-'));
const service = await startService(directory);
const browser = await launchBrowser();
try {
  mkdirSync(target, { recursive: true });
  const rest = new RestClient(service.url);
  const project = (await rest.post('/projects/sample', {})).body.id as string;
  await workSomeSteps(rest, project);
  const { documents } = (await rest.get(`/projects/${project}/documents`)).body;
  const { goals } = (await rest.get(`/projects/${project}/goals`)).body;
  const named = (name: string): string => (goals as Named[]).find((goal) => goal.name === name)!.id;
  const at = `/projects/${project}`;
  const pictures = [
    { name: 'overview', path: at },
    { name: 'board', path: `${at}/board` },
    { name: 'board-dark', path: `${at}/board`, dark: true },
    { name: 'list', path: `${at}/list` },
    { name: 'canvas', path: `${at}/canvas` },
    { name: 'document', path: `${at}/documents/${documents[0].id}` },
    { name: 'goal', path: `${at}/goals/${named('Catalogue')}` },
    { name: 'agents', path: `${at}/agents` },
    { name: 'review', path: `${at}/review`, viewport: small },
    { name: 'board-phone', path: `${at}/board`, viewport: phone },
  ];
  for (const { name, path, dark = false, viewport = desktop } of pictures) {
    const context = await browser.newContext({
      viewport,
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await page.goto(service.url + path, { waitUntil: 'load' });
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    // Editors and the canvas measure themselves again after they were rendered.
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(target, `${name}.png`) });
    await context.close();
    console.log(`examples/screenshots/${name}.png`);
  }
} finally {
  await browser.close();
  await service.stop();
  rmSync(directory, { recursive: true, force: true });
}
