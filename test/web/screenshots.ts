/**
 * `npm run screenshots`: images of the main views of this repository's own plan, in examples/screenshots/. The plan is copied first, so
 * that the page does not change the repository's files.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../support/user-settings.ts';
import { launchBrowser } from '../support/chromium.ts';
import { RestClient } from '../support/rest-client.ts';
import { repository, startService } from '../support/server-process.ts';

const target = join(repository, 'examples', 'screenshots');
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

const directory = mkdtempSync(join(tmpdir(), 'planner-screenshots-'));
cpSync(join(repository, '.planner', 'projects'), join(directory, '.planner', 'projects'), { recursive: true });
const service = await startService(directory);
const browser = await launchBrowser();
try {
  mkdirSync(target, { recursive: true });
  const rest = new RestClient(service.url);
  const project = (await rest.get('/projects')).body.projects[0].id as string;
  const { documents } = (await rest.get(`/projects/${project}/documents`)).body;
  const { goals } = (await rest.get(`/projects/${project}/goals`)).body;
  const at = `/projects/${project}`;
  const pictures = [
    { name: 'overview', path: at },
    { name: 'board', path: `${at}/board` },
    { name: 'board-dark', path: `${at}/board`, dark: true },
    { name: 'list', path: `${at}/list` },
    { name: 'canvas', path: `${at}/canvas` },
    { name: 'document', path: `${at}/documents/${documents[0].id}` },
    { name: 'goal', path: `${at}/goals/${goals.at(-1).id}` },
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
