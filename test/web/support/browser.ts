import { rmSync } from 'node:fs';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildPage } from '../../support/build.ts';
import { browserPath, launchBrowser, noBrowser } from '../../support/chromium.ts';
import type { RestClient } from '../../support/rest-client.ts';
import { asServed, TestService } from '../../support/service.ts';
import type { TestServiceOptions } from '../../support/service.ts';
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
  /** Whether the page loads the code of its other views while it is idle. Not by default: it takes a tenth of the time of a test. */
  readonly preloads?: boolean;
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
  /** Another person's browser, at the same service. */
  readonly other: (path?: string) => Promise<Page>;
  /** An address of the page: `:project` is replaced by the project's id. */
  readonly address: (path: string) => string;
}

export interface BrowserTests {
  /** Starts a service and opens the page. Both end with the test. */
  readonly app: (options?: AppOptions) => Promise<App>;
}

/** For a machine on which a page gets a tenth of a core. */
export const testMsMax = 360_000;

/**
 * One for all files of a worker, which mocha runs one after another: a start takes 0.6 s of CPU time. Every test has a context of its own.
 * Without workers the process could not end.
 */
const keptMs = process.env['MOCHA_WORKER_ID'] === undefined ? 0 : 5000;

let shared: Promise<Browser> | undefined;
let users = 0;
let closing: NodeJS.Timeout | undefined;

/** Closes it, and the shared tab, unless another file needs them soon. */
function closeIfUnused(): void {
  closing = setTimeout(() => {
    const browser = shared;
    shared = undefined;
    void sharedTab.close().then(async () => (await browser)?.close());
  }, keptMs);
}

/**
 * Tests of the page. An error on the page's console, such as a violation of its security policy, fails the test. Without a browser the
 * tests are skipped, which is reported.
 */
export function browserTests(title: string, define: (tests: BrowserTests) => void): void {
  tests(title, define, undefined);
}

/**
 * Likewise, but the tests of all files of a worker share a service and a tab, each with a project of its own: half the CPU time of a test is
 * the start of these. Not for tests that stop the service, look at its files or at all of its projects, address tasks by ids that they chose, or
 * add scripts to the page.
 */
export function browserTestsInOneTab(title: string, define: (tests: BrowserTests) => void): void {
  tests(title, define, sharedTab);
}

function tests(title: string, define: (tests: BrowserTests) => void, tab: SharedTab | undefined): void {
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
      if (shared === undefined) buildPage();
      await (shared ??= launchBrowser());
    });
    afterEach(async function () {
      // What a failed test has left is unknown.
      if (this.currentTest?.state === 'failed') await tab?.close();
      for (const end of ends.splice(0).reverse()) await end();
      expect(wrong.splice(0), 'errors in the console').to.deep.equal([]);
    });
    after(() => {
      if (path !== undefined && --users === 0) closeIfUnused();
    });
    const app = async (options: AppOptions = {}): Promise<App> => {
      const service = (await tab?.service()) ?? (await TestService.start({ ...asServed, ...options.service }));
      if (tab === undefined) ends.push(() => service.stop());
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
      const open = async (at: string, isShared = false): Promise<{ page: Page; context: BrowserContext }> => {
        const page = isShared ? await tab!.page(newPage) : await newPage();
        const context = page.context();
        if (isShared) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          ends.push(() => tab!.clear());
        } else ends.push(() => context.close());
        page.on('console', (message) => {
          if (message.type() === 'error' && !expected(message.text()) && options.causes?.test(message.text()) !== true)
            wrong.push(message.text());
        });
        page.on('pageerror', (error) => wrong.push(error.stack ?? error.message));
        await page.goto(at);
        return { page, context };
      };
      const address = (at: string): string => at.replace(':project', project);
      const isPlain = options.touch !== true && options.preloads !== true;
      const { page, context } = await open(address(options.path ?? '/projects/:project'), tab !== undefined && isPlain);
      return {
        ...{ page, context, service, project, address },
        rest: service.rest,
        root: service.directory,
        other: async (at = '/projects/:project') => (await open(address(at))).page,
      };
    };
    define({ app });
  });
}

/** The events of a page that tests listen to. */
const observedEvents = ['console', 'pageerror', 'request', 'response', 'dialog', 'download'];

/** A service and a tab that tests use one after another. The service watches no files: it may outlive its tests for a few seconds. */
class SharedTab {
  #service: TestService | undefined;
  #page: Page | undefined;

  async service(): Promise<TestService> {
    return (this.#service ??= await TestService.start());
  }

  async page(make: () => Promise<Page>): Promise<Page> {
    return (this.#page ??= await make());
  }

  /** Removes what a test has left in the tab; what the page itself wrote in the browser goes with its last document. */
  async clear(): Promise<void> {
    const [page, service] = [this.#page, this.#service];
    if (page === undefined || service === undefined) return;
    const context = page.context();
    for (const event of observedEvents) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    for (const each of context.pages()) if (each !== page) await each.close();
    // A document of the same origin without a script: the page of the test has ended, and its storage is within reach.
    await page.goto('/icon.svg');
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await context.clearCookies();
    await page.emulateMedia({ media: null });
  }

  removeFiles(): void {
    if (this.#service !== undefined) rmSync(this.#service.directory, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    const [page, service] = [this.#page, this.#service];
    this.#page = undefined;
    this.#service = undefined;
    await page?.context().close();
    await service?.stop();
  }
}

const sharedTab = new SharedTab();
// A worker that ends with the last file does not wait for its timers.
process.once('exit', () => sharedTab.removeFiles());

/** Turns the data saver on, with which a page loads nothing before it is needed. */
async function saveData(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
}

/** The browser itself logs every unsuccessful response: the test checks how the page handles it. */
function expected(text: string): boolean {
  return /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_)/.test(text);
}
