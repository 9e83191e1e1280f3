import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { changesByView, plant } from '../../support/changes-by-view.ts';
import type { Planted } from '../../support/changes-by-view.ts';
import { launchBrowser } from '../../support/chromium.ts';
import { RestClient } from '../../support/rest-client.ts';
import { startService } from '../service.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { attain, measured, percentile, round } from '../measure.ts';
import { mainThreadMs } from '../process-usage.ts';

/** How soon the open page shows the changes of another client, on every view, and its cost while nothing changes. */
export const live: Figure = {
  name: 'live',
  title: 'The page beside other clients',
  measure: async (bench) => {
    const browser = await launchBrowser();
    const service = await startService(bench.scratch('live'));
    try {
      const rest = new RestClient(service.url);
      const project = String((await rest.post('/projects', { name: 'Garden' })).body.id);
      const planted = await plant(rest, project);
      // Webhooks of the latter retry what cannot be delivered.
      const cost = await idle(bench, browser, service, planted);
      return [await latency(bench, browser, service, planted), cost];
    } finally {
      await browser.close();
      await service.stop();
    }
  },
};

/** Resolves to the time, in milliseconds since 1970, at which a text was in the document. */
const observe = `window.shownAt = (text) => new Promise((resolve) => {
  const now = () => performance.timeOrigin + performance.now();
  const isShown = () => document.body.textContent.includes(text);
  const observer = new MutationObserver(() => isShown() && (observer.disconnect(), resolve(now())));
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  if (isShown()) resolve(now());
})`;

async function openPage(browser: Browser, service: ServerProcess, path: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(`${service.url}${path}`);
  await page.locator('html[data-updates="streamed"]').waitFor({ state: 'attached' });
  return page;
}

/** Between two changes. Results of a project in which many write at the same time are requested less often. */
const restMs = 150;
/** The code of other views is loaded while the browser is idle. */
const preloadMs = 8000;

/** From the acknowledgement of a change until the page has it in its document. */
async function latency(bench: Bench, browser: Browser, service: ServerProcess, planted: Planted): Promise<Row> {
  const times: number[] = [];
  const slowest = { view: '', ms: 0 };
  for (const { view, path, change } of changesByView) {
    const page = await openPage(browser, service, `/projects/${planted.project}${path(planted)}`);
    await page.evaluate(observe);
    const ofView: number[] = [];
    for (let at = 0; at < (bench.quick ? 2 : 12); at++) {
      const text = `by-others-${view}-${at}`;
      const shown = page.evaluate<number>(`window.shownAt(${JSON.stringify(text)})`);
      await change(planted, text);
      const acknowledged = performance.timeOrigin + performance.now();
      const ms = Math.max(0, (await shown) - acknowledged);
      // The first change may come while the view is still loading.
      if (at > 0) ofView.push(ms);
      await pause(restMs);
    }
    times.push(...ofView);
    const p95 = percentile(ofView, 0.95);
    if (p95 > slowest.ms) Object.assign(slowest, { view, ms: p95 });
    await page.context().close();
  }
  return attain(
    measured(`a change of another client on ${changesByView.length} views, p95`, 'ms', [percentile(times, 0.95)]),
    { atMost: 100 },
    undefined,
    {
      p50_ms: round(percentile(times, 0.5)),
      changes: times.length,
      slowest: `${slowest.view} ${round(slowest.ms)} ms`,
    },
  );
}

const minuteMs = 60_000;

/** The cost of an open page for the service while nothing changes; its background work alone is measured in turns. */
async function idle(bench: Bench, browser: Browser, service: ServerProcess, planted: Planted): Promise<Row> {
  const spanMs = bench.quick ? 3000 : minuteMs;
  const spent = async (): Promise<number> => {
    await pause(2000);
    const before = mainThreadMs(service.pid);
    await pause(spanMs);
    return ((mainThreadMs(service.pid) - before) * minuteMs) / spanMs;
  };
  let requests = 0;
  const rounds: number[] = [];
  for (let at = 0; at < (bench.quick ? 1 : 2); at++) {
    const alone = await spent();
    const page = await openPage(browser, service, `/projects/${planted.project}/board`);
    await pause(preloadMs);
    page.on('request', () => requests++);
    rounds.push(Math.max(0, (await spent()) - alone));
    await page.context().close();
  }
  const keepAlives = minuteMs / 15_000;
  return attain(
    measured('an idle page, on the processor of the service, with its keep-alives', 'ms/min', rounds),
    { atMost: 0.1 + keepAlives * 0.5 },
    undefined,
    { requests, keep_alives_a_minute: keepAlives },
  );
}
