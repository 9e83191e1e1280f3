import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildPage } from '../../support/build.ts';
import { browserPath, launchBrowser, noBrowser, withoutOptimizer } from '../../support/chromium.ts';
import type { RestClient } from '../../support/rest-client.ts';
import { asServed, TestService } from '../../support/service.ts';
import type { TestServiceOptions } from '../../support/service.ts';
import { SharedService, SharedTab } from './shared-tab.ts';
import { Traffic } from './traffic.ts';
import { waitMsMax } from './until.ts';

export interface AppOptions {
  /** The initial address; `:project` is replaced by the project's id. Default: the project's overview. */
  readonly path?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Fills the project before the page is opened. */
  readonly prepare?: (rest: RestClient, project: string) => Promise<unknown>;
  readonly service?: TestServiceOptions;
  /** A phone: touches, and no hovering. */
  readonly touch?: boolean;
  /**
   * True if the page loads the code of its other views while it is idle. Not by default: it takes a tenth of the time
   * of a test.
   */
  readonly preloads?: boolean;
  /**
   * The part that the test changes so that no other test can reuse it: the code of the document, or the clock and
   * scripts of the tab.
   */
  readonly own?: 'document' | 'tab';
  /** Errors of the console that the test itself causes. */
  readonly causes?: RegExp;
}

/** The page in a real browser, at a real service over a directory of its own. */
export interface App {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly rest: RestClient;
  /** The id of a fresh project. */
  readonly project: string;
  /** The directory that contains `.planner`. */
  readonly root: string;
  readonly service: TestService;
  /** The requests of the page. */
  readonly traffic: Traffic;
  /** Another person's browser, at the same service. */
  readonly other: (path?: string) => Promise<Page>;
  /** An address of the page: `:project` is replaced by the project's id. */
  readonly address: (path: string) => string;
}

export interface BrowserTests {
  /** Starts a service and opens the page. Both end with the test. */
  readonly app: (options?: AppOptions) => Promise<App>;
}

/** The limit for a machine on which a page gets a tenth of a core. */
export const testMsMax = 360_000;

/**
 * One for all files of a worker, which mocha runs one after another: a start takes 0.6 s of CPU time. Without workers the process could not
 * end.
 */
const keptMs = process.env['MOCHA_WORKER_ID'] === undefined ? 200 : 5000;

let shared: Promise<Browser> | undefined;
let users = 0;
let closing: NodeJS.Timeout | undefined;

/** The objects that the tests of all files of a worker share: a service, and a tab of a desk and one of a phone. */
const sharedService = new SharedService();
const sharedTabs = { desk: new SharedTab(), phone: new SharedTab() };

async function closeShared(): Promise<void> {
  for (const tab of Object.values(sharedTabs)) await tab.close();
  await sharedService.close();
}

async function closeBrowser(): Promise<void> {
  const browser = shared;
  shared = undefined;
  await closeShared();
  await (await browser)?.close();
}

/** Closes the browser, and the shared objects, unless another file needs them soon. */
function closeIfUnused(): void {
  closing = setTimeout(() => void closeBrowser(), keptMs);
}

async function openBrowser(): Promise<void> {
  if (shared === undefined) buildPage();
  await (shared ??= launchBrowser(withoutOptimizer));
}

// A worker that ends with the last file does not wait for its timers.
process.once('exit', () => sharedService.removeFiles());

/**
 * Tests of the page, each with a service and a tab of its own. An error on the page's console, such as a violation of its security policy,
 * fails the test. Without a browser the tests are skipped, which is reported.
 */
export function browserTests(title: string, define: (tests: BrowserTests) => void): void {
  tests(title, define, { inOneTab: false });
}

/**
 * Likewise, but the tests of all files of a worker share a service and a page, which is loaded once, each with a project of its own: two thirds
 * of the CPU time of a test are the start of these. Not for tests that stop the service, or need it to watch files: it finds edits of others with
 * `service.store.rescan()`.
 */
export function browserTestsInOneTab(title: string, define: (tests: BrowserTests) => void): void {
  tests(title, define, { inOneTab: true });
}

function tests(title: string, define: (tests: BrowserTests) => void, { inOneTab }: { inOneTab: boolean }): void {
  describe(title, function () {
    this.timeout(testMsMax);
    const path = browserPath();
    const ends: (() => Promise<unknown>)[] = [];
    const wrong: string[] = [];
    before(async function () {
      if (path === undefined) {
        console.log(`      SKIPPED: ${title}. ${noBrowser}`);
        return this.skip();
      }
      users++;
      clearTimeout(closing);
      await openBrowser();
    });
    afterEach(async function () {
      // The state after a failed test is unknown.
      if (this.currentTest?.state === 'failed' && inOneTab) await closeShared();
      for (const end of ends.splice(0).reverse()) await end();
      expect(wrong.splice(0), 'errors in the console').to.deep.equal([]);
    });
    after(() => {
      if (path !== undefined && --users === 0) closeIfUnused();
    });
    const app = async (options: AppOptions = {}): Promise<App> => {
      const service = inOneTab
        ? await sharedService.get()
        : await TestService.start({ ...asServed, ...options.service });
      ends.push(() => (inOneTab ? sharedService.clear() : service.stop()));
      const project = await service.project('Garden');
      await options.prepare?.(service.rest, project);
      const browser = await shared!;
      const { viewport = { width: 1280, height: 800 }, colorScheme = 'light' } = options;
      const newPage = async (): Promise<Page> => {
        const context = await browser.newContext({
          viewport,
          colorScheme,
          // A tenth of the time of a test, too: Playwright waits until an element no longer moves.
          reducedMotion: 'reduce',
          ...(options.touch === true ? { hasTouch: true, isMobile: true } : {}),
          baseURL: service.url,
          permissions: ['clipboard-read', 'clipboard-write'],
        });
        const page = await context.newPage();
        page.setDefaultTimeout(waitMsMax);
        if (options.preloads !== true) await saveData(page);
        return page;
      };
      const newTab = async (): Promise<Pick<App, 'page' | 'traffic'>> => {
        const page = await newPage();
        return { page, traffic: new Traffic(page) };
      };
      const open = async (at: string, tab?: SharedTab): Promise<Pick<App, 'page' | 'traffic'>> => {
        const { page, traffic } = await (tab?.page(newPage) ?? newTab());
        if (tab === undefined) ends.push(() => page.context().close());
        else ends.push(() => tab.clear(options.own === 'document'));
        page.on('console', (message) => {
          if (message.type() === 'error' && !expected(message.text()) && options.causes?.test(message.text()) !== true)
            wrong.push(message.text());
        });
        page.on('pageerror', (error) => wrong.push(error.stack ?? error.message));
        if (tab === undefined) await page.goto(at);
        else {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await tab.show(at, options.own === 'document');
        }
        return { page, traffic };
      };
      const address = (at: string): string => at.replace(':project', project);
      const isOwn = !inOneTab || options.own === 'tab' || options.preloads === true;
      const tab = isOwn ? undefined : sharedTabs[options.touch === true ? 'phone' : 'desk'];
      const opened = await open(address(options.path ?? '/projects/:project'), tab);
      return {
        ...{ ...opened, context: opened.page.context(), service, project, address },
        rest: service.rest,
        root: service.directory,
        other: async (at = '/projects/:project') => (await open(address(at))).page,
      };
    };
    define({ app });
  });
}

/** Turns the data saver on, with which a page loads nothing before it is needed. */
async function saveData(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
}

/** The browser itself logs every unsuccessful response: the test checks how the page handles it. */
function expected(text: string): boolean {
  return /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_)/.test(text);
}
