import { readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../support/chromium.ts';
import { startService } from '../service.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { attain, measured, percentile } from '../measure.ts';
import { seed } from '../plans.ts';
import { mainThreadMs } from '../process-usage.ts';

const built = fileURLToPath(new URL('../../../dist/web/', import.meta.url));
const viewport = { width: 1440, height: 900 };

/** The page in a browser on this machine: its size, time to interactive, the latency of a full board, the cost of its polls. */
export const page: Figure = {
  name: 'page',
  title: 'The page, in a browser',
  measure: async (bench) => {
    const browser = await launchBrowser();
    const service = await startService(bench.scratch('page'));
    try {
      const small = await seed(service, 'Garden', { tasks: 40, descriptionBytes: 200 });
      const large = await seed(service, 'Park', { tasks: bench.quick ? 500 : 5000, descriptionBytes: 200 });
      return [
        firstLoad(),
        await usable(bench, browser, `${service.url}/projects/${small.projectId}/board`),
        await interactions(bench, browser, `${service.url}/projects/${large.projectId}/board`),
        await polls(bench, browser, service, `${service.url}/projects/${small.projectId}/board`),
      ];
    } finally {
      await browser.close();
      await service.stop();
    }
  },
};

/** The document's scripts, as they are sent. */
function firstLoad(): Row {
  const scripts = [
    ...brotliDecompressSync(readFileSync(`${built}index.html.br`))
      .toString()
      .matchAll(/"\/(assets\/[^"]+\.js)"/g),
  ].map(([, path]) => path!);
  const bytes = scripts.reduce((sum, path) => sum + statSync(`${built}${path}.br`).size, 0);
  return attain(measured('scripts of the first load, compressed', 'kB', [Math.round(bytes / 1000)]), { atMost: 200 });
}

/** From navigation until cards are visible, each time with an empty cache. */
async function usable(bench: Bench, browser: Browser, url: string): Promise<Row> {
  const rounds: number[] = [];
  for (let round = 0; round < (bench.quick ? 1 : 7); round++) {
    const context = await browser.newContext({ viewport });
    const view = await context.newPage();
    const began = performance.now();
    await view.goto(url, { waitUntil: 'commit' });
    await view.locator('[data-task]').first().waitFor();
    rounds.push(performance.now() - began);
    await context.close();
  }
  return attain(measured('from the address to a board that can be used', 'ms', rounds), { atMost: 1000 });
}

/** The event timing that browsers report for each press and click: until the next frame is painted. */
const observe = `
  window.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) window.interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
`;

async function interactions(bench: Bench, browser: Browser, url: string): Promise<Row> {
  const context = await browser.newContext({ viewport });
  const view = await context.newPage();
  await view.addInitScript(observe);
  await view.goto(url);
  await view.locator('[data-task]').first().waitFor();
  const rounds: number[] = [];
  for (let round = 0; round < (bench.quick ? 1 : 5); round++) {
    await view.evaluate('window.interactions.length = 0');
    await useBoard(view);
    const durations = await view.evaluate<number[]>('window.interactions');
    // Durations below 16 ms are not reported: no entry is the best result.
    rounds.push(durations.length === 0 ? 16 : percentile(durations, 0.95));
  }
  await context.close();
  return attain(measured(`board of ${bench.quick ? 500 : 5000} tasks: interaction to next paint, p95`, 'ms', rounds), {
    atMost: 50,
  });
}

async function useBoard(view: Page): Promise<void> {
  const search = view.getByRole('searchbox');
  await search.click();
  await view.keyboard.type('bed 1', { delay: 30 });
  await view.keyboard.press('Control+A');
  await view.keyboard.press('Delete');
  // The filter is debounced; cards that return would take the focus from the one chosen next.
  await view.waitForTimeout(600);
  await view.locator('[data-status="todo"] [data-task]').first().focus();
  for (let at = 0; at < 12; at++) await view.keyboard.press('ArrowDown');
  for (const [keys, to] of [
    ['Control+ArrowRight', 'in_progress'],
    ['Control+ArrowLeft', 'todo'],
  ] as const) {
    await view.keyboard.press(keys);
    // The card is drawn at its new position, perhaps out of view, before the next key.
    await view.locator(`[data-status="${to}"] [data-task]:focus`).waitFor();
  }
  await view.keyboard.press('Enter');
  await view.getByRole('dialog').waitFor();
  await view.keyboard.press('Escape');
  await view.getByRole('dialog').waitFor({ state: 'detached' });
}

/**
 * Idle boards over an unchanged project, which poll: several, each with its own interval, since the cost of one board's polls is lost in the service's
 * background work.
 */
async function polls(bench: Bench, browser: Browser, service: ServerProcess, url: string): Promise<Row> {
  const context = await browser.newContext({ viewport });
  const views = await Promise.all(Array.from({ length: bench.quick ? 1 : 8 }, () => context.newPage()));
  // As where a proxy refuses streams: the pages poll.
  await context.route(/\/(?:events|feed)\?/, (route) => route.fulfill({ status: 502 }));
  let answered = 0;
  let unchanged = 0;
  const requested = new Map<string, Record<string, string>>();
  for (const view of views)
    view.on('response', (response) => {
      if (!response.url().includes('/api/v1/')) return;
      answered++;
      if (response.status() !== 304) return;
      unchanged++;
      requested.set(response.url(), response.request().headers());
    });
  const open = async (): Promise<void> => {
    for (const view of views) {
      await view.goto(url);
      await view.locator('[data-task]').first().waitFor();
    }
  };
  const spanMs = bench.quick ? 4000 : 20_000;
  const spent = async (): Promise<number> => {
    await pause(2000);
    [answered, unchanged] = [0, 0];
    const before = mainThreadMs(service.pid);
    await pause(spanMs);
    return mainThreadMs(service.pid) - before;
  };
  await open();
  await pause(spanMs / 2);
  const inARow = await repeated(service, requested, bench.quick ? 50 : 1000);
  const rounds: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round < (bench.quick ? 1 : 4); round++) {
    // Background work of the service (rescans, heartbeat) is not part of a poll.
    for (const view of views) await view.goto('about:blank');
    alone.push(await spent());
    await open();
    rounds.push(((await spent()) - alone.at(-1)!) / Math.max(answered, 1));
  }
  await context.close();
  const share = answered === 0 ? 'none' : `${Math.round((unchanged / answered) * 100)} %`;
  return attain(
    measured('one poll of an idle project, on the processor of the service', 'ms', rounds),
    { atMost: 1 },
    undefined,
    {
      unchanged: share,
      in_a_row_ms: Math.round(inARow * 1000) / 1000,
      alone_ms_a_second: Math.round((alone[0]! / spanMs) * 10_000) / 10,
    },
  );
}

/**
 * Sends the page's polls one after the other, so that the service is warm as after an hour of polling. Returns milliseconds of its main thread
 * for each.
 */
async function repeated(
  service: ServerProcess,
  requested: ReadonlyMap<string, Record<string, string>>,
  times: number,
): Promise<number> {
  const client = new HttpClient(service.url);
  const before = mainThreadMs(service.pid);
  for (let i = 0; i < times; i++)
    for (const [url, headers] of requested) {
      const { status } = await client.get(url.slice(url.indexOf('/api/v1') + '/api/v1'.length), headers);
      if (status !== 304) throw new Error(`${url} answered ${status}.`);
    }
  client.close();
  return (mainThreadMs(service.pid) - before) / (times * requested.size);
}
