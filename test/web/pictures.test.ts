import { expect } from 'chai';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTests } from './support/browser.ts';
import { deadButtons } from './support/dead-buttons.ts';
import { enter, leave, showOnly } from './support/visit.ts';

/** `npm run pictures` takes them again. */
const renews = process.env['PLANNER_TEST_PICTURES'] === 'renew';
const directory = join(import.meta.dirname, 'pictures');

/** The service's clock begins here, and the page's does not move: every time on the page is known. */
const begin = Date.parse('2026-03-02T09:00:00Z');
const shownAt = begin + 5 * 60_000;

function clockOfService(): Clock {
  const startedAt = systemClock.monotonic();
  return { ...systemClock, now: () => begin + Math.floor(systemClock.monotonic() - startedAt) };
}

/** Two versions of a browser draw the edges of letters differently. An arrow of the canvas has ten times as many pixels. */
const differingMax = 40;
/** How far two colours may be from each other, of 1. */
const threshold = 0.15;

const looks = [
  { name: 'light', viewport: { width: 1440, height: 900 }, colorScheme: 'light', touch: false },
  { name: 'phone-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark', touch: true },
] as const;

/** The views of the sample plan, by the names of their pictures. */
async function viewsOf(rest: RestClient, project: string): Promise<Readonly<Record<string, string>>> {
  const at = `/projects/${project}`;
  const { goals } = (await rest.get(`${at}/goals`)).body as { goals: { id: string; name: string }[] };
  const { documents } = (await rest.get(`${at}/documents`)).body as { documents: { id: string; title: string }[] };
  const goal = goals.find(({ name }) => name === 'Catalogue')!.id;
  const document = documents.toSorted((a, b) => (a.title < b.title ? -1 : 1))[0]!.id;
  const views = ['board', 'list', 'canvas', 'review', 'inbox', 'agents', 'history', 'settings'];
  return {
    home: '/',
    overview: at,
    goal: `${at}/goals/${goal}`,
    document: `${at}/documents/${document}`,
    ...Object.fromEntries(views.map((view) => [view, `${at}/${view}`])),
  };
}

/** A picture of the page once it no longer changes. */
async function pictureOf(page: Page): Promise<PNG> {
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready');
  // Ids are new in each run.
  const mask = [page.locator('code', { hasText: /\b[a-z]{3}_/ })];
  for (let last: Buffer | undefined; ;) {
    const now = await page.screenshot({ animations: 'disabled', caret: 'hide', mask, maskColor: '#888888' });
    if (last?.equals(now) === true) return PNG.sync.read(now);
    last = now;
  }
}

/** The number of pixels that differ from the picture that is kept; `to` is where both are put if there are too many. */
function difference(taken: PNG, kept: PNG, to?: string): number {
  const { width, height } = kept;
  if (taken.width !== width || taken.height !== height) return taken.width * taken.height;
  const shown = new PNG({ width, height });
  const pixels = pixelmatch(kept.data, taken.data, shown.data, width, height, { threshold });
  if (to !== undefined && pixels > differingMax) {
    writeFileSync(`${to}.png`, PNG.sync.write(taken));
    writeFileSync(`${to}.difference.png`, PNG.sync.write(shown));
  }
  return pixels;
}

/** The most by which what is on the screen may move while a view loads: https://web.dev/articles/cls. */
const shiftMax = 0.1;
/** Adds up what moves on the page from now on. With a project the sidebar comes, and the whole view moves: that is no part of it. */
const countShifts = `{
  window.shifts = [];
  window.observer ??= new PerformanceObserver((list) => window.shifts.push(...list.getEntries()));
  window.observer.observe({ type: 'layout-shift' });
}`;
const shiftSum = `[...window.shifts, ...window.observer.takeRecords()]
  .filter(({ hadRecentInput, sources }) => !hadRecentInput && !sources.some(({ node }) => node?.id === 'view'))
  .reduce((sum, { value }) => sum + value, 0)`;

/** Letters of the system differ between machines. */
const ownFontOnly = "*, *::before, *::after { font-family: 'Inter Variable', Inter !important; }";

browserTests('The pictures of the page', ({ app }) => {
  it('show each view as the one that is kept, large in light and small in dark; nothing moves far while it loads; a missing arrow, a lost style sheet, a dead button and a late part are found [S.web.pictures, S.web.still]', async () => {
    const { page: first, rest, service } = await app({ path: '/', service: { clock: clockOfService() } });
    const project = (await rest.post('/projects/sample', {})).body.id as string;
    const views = await viewsOf(rest, project);
    const failures = mkdtempSync(join(tmpdir(), 'planner-pictures-'));
    const wrong: string[] = [];
    for (const { name: look, viewport, colorScheme, touch } of looks) {
      const context = await first
        .context()
        .browser()!
        .newContext({
          ...{ viewport, colorScheme, hasTouch: touch, isMobile: touch, reducedMotion: 'reduce' },
          ...{ baseURL: service.url, locale: 'en-US', timezoneId: 'UTC' },
        });
      const page = await context.newPage();
      await page.clock.setFixedTime(shownAt);
      await page.goto('/nothing');
      await page.addStyleTag({ content: ownFontOnly }).catch(() => undefined);
      for (const [name, path] of Object.entries(views)) {
        await leave(page);
        await page.evaluate(countShifts);
        await enter(page, path);
        const taken = await pictureOf(page);
        const shift = await page.evaluate<number>(shiftSum);
        if (shift > shiftMax) wrong.push(`${name}-${look} moves by ${shift} while it loads`);
        const file = join(directory, `${name}-${look}.png`);
        const kept = existsSync(file) ? PNG.sync.read(readFileSync(file)) : new PNG({ width: 0, height: 0 });
        const pixels = difference(taken, kept, renews ? undefined : join(failures, `${name}-${look}`));
        if (pixels > differingMax && renews) writeFileSync(file, PNG.sync.write(taken));
        if (pixels > differingMax && !renews) wrong.push(`${name}-${look}: ${pixels} pixels`);
        if (!touch) wrong.push(...(await deadButtons(page)).map((button) => `${name}: ${button} is dead`));
      }
      if (!touch) await plant(page, views['canvas']!);
      await context.close();
    }
    expect(wrong, `see ${failures}`).to.deep.equal([]);
  });

  /** Breaks the canvas in four ways, each of which must be found. */
  async function plant(page: Page, canvas: string): Promise<void> {
    await showOnly(page, canvas);
    const whole = await pictureOf(page);
    const arrow = await page.addStyleTag({ content: '.react-flow__edge:nth-child(1) { visibility: hidden; }' });
    expect(difference(await pictureOf(page), whole), 'without an arrow').to.be.above(differingMax);
    await arrow.evaluate((style) => (style as unknown as { remove(): void }).remove());
    expect(difference(await pictureOf(page), whole), 'with the arrow again').to.be.at.most(differingMax);
    await page.evaluate(countShifts);
    const late = await page.addStyleTag({ content: 'main > * { margin-top: 200px; }' });
    await pictureOf(page);
    expect(await page.evaluate<number>(shiftSum), 'after a late part above').to.be.above(shiftMax);
    await late.evaluate((style) => (style as unknown as { remove(): void }).remove());
    await page.evaluate(`document.querySelector('main button').style.pointerEvents = 'none'`);
    expect(await deadButtons(page)).to.have.length(1);
    await page.evaluate(`document.querySelector('link[rel=stylesheet]').remove()`);
    expect(difference(await pictureOf(page), whole), 'without a style sheet').to.be.above(differingMax);
  }
});
