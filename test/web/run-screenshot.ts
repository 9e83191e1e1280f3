/** `npm run screenshots`: the agents of examples/run at work, one with a question, one after a red gate, in examples/screenshots/run.png. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { childEnvironment } from '../support/child-environment.ts';
import { launchBrowser } from '../support/chromium.ts';
import { repository } from '../support/server-process.ts';

// The question waits until the picture is taken.
const argv = [join(repository, 'examples/run/main.ts'), '--once', '--wait', '600', '--pace', '2000'];
const example = spawn(process.execPath, argv, { env: childEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
let printed = '';
example.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
const ended = once(example, 'close');

/** Resolves when the example has printed something. */
async function shown(pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(printed);
    if (found !== null) return found;
    await Promise.race([once(example.stdout, 'data'), ended.then(() => Promise.reject(new Error(printed)))]);
  }
}

const browser = await launchBrowser();
try {
  const [url] = await shown(/http:\S+\/agents/);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  await page.goto(url, { waitUntil: 'load' });
  await shown(/asks: How is a price written/);
  await shown(/The gate is red/);
  await page.getByText('The gate is red').first().waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(repository, 'examples/screenshots/run.png') });
  console.log('examples/screenshots/run.png');
} finally {
  await browser.close();
  example.kill('SIGINT');
  await ended;
}
