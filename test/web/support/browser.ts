import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildPage } from '../../support/build.ts';
import { browserPath, launchBrowser, noBrowser } from '../../support/chromium.ts';
import type { RestClient } from '../../support/rest-client.ts';
import { asServed, TestService } from '../../support/service.ts';
import type { TestServiceOptions } from '../../support/service.ts';

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

/** Limits for a machine on which a page gets a tenth of a core. A wait ends before its test, so that it is named. */
export const waitMsMax = 90_000;
export const testMsMax = 240_000;

/**
 * One for all files of a worker, which mocha runs one after another: a start takes 0.6 s of CPU time. Every test has a context of its own.
 * Without workers the process could not end.
 */
const keptMs = process.env['MOCHA_WORKER_ID'] === undefined ? 0 : 5000;

let shared: Promise<Browser> | undefined;
let users = 0;
let closing: NodeJS.Timeout | undefined;

/** Closes it unless another file needs it soon. */
function closeIfUnused(): void {
  closing = setTimeout(() => {
    const browser = shared;
    shared = undefined;
    void browser?.then((each) => each.close());
  }, keptMs);
}

/**
 * Tests of the page. An error on the page's console, such as a violation of its security policy, fails the test. Without a browser the
 * tests are skipped, which is reported.
 */
export function browserTests(title: string, define: (tests: BrowserTests) => void): void {
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
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
      expect(wrong.splice(0), 'errors in the console').to.deep.equal([]);
    });
    after(() => {
      if (path !== undefined && --users === 0) closeIfUnused();
    });
    const app = async (options: AppOptions = {}): Promise<App> => {
      const service = await TestService.start({ ...asServed, ...options.service });
      ends.push(() => service.stop());
      const project = await service.project('Garden');
      await options.prepare?.(service.rest, project);
      const browser = await shared!;
      const open = async (at: string): Promise<{ page: Page; context: BrowserContext }> => {
        const { viewport = { width: 1280, height: 800 }, colorScheme = 'light' } = options;
        const context = await browser.newContext({
          viewport,
          colorScheme,
          // A tenth of the time of a test, too: Playwright waits until an element no longer moves.
          reducedMotion: 'reduce',
          ...(options.touch === true ? { hasTouch: true, isMobile: true } : {}),
          baseURL: service.url,
          permissions: ['clipboard-read', 'clipboard-write'],
        });
        ends.push(() => context.close());
        const page = await context.newPage();
        page.setDefaultTimeout(waitMsMax);
        if (options.preloads !== true) await saveData(page);
        page.on('console', (message) => {
          if (message.type() === 'error' && !expected(message.text()) && options.causes?.test(message.text()) !== true)
            wrong.push(message.text());
        });
        page.on('pageerror', (error) => wrong.push(error.stack ?? error.message));
        await page.goto(at);
        return { page, context };
      };
      const address = (at: string): string => at.replace(':project', project);
      const { page, context } = await open(address(options.path ?? '/projects/:project'));
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

/** Turns the data saver on, with which a page loads nothing before it is needed. */
async function saveData(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setDataSaverOverride', { dataSaverEnabled: true });
}

/** The browser itself logs every unsuccessful response: the test checks how the page handles it. */
function expected(text: string): boolean {
  return /^Failed to load resource: (?:the server responded with a status of [45]\d\d|net::ERR_)/.test(text);
}
