import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { TestService } from '../../support/service.ts';
import { Traffic } from './traffic.ts';
import { enter, inPage, leave } from './visit.ts';

/** The events of a page that tests listen to. */
const observedEvents = [
  ...['console', 'pageerror', 'dialog', 'download'],
  ...['request', 'response', 'requestfinished', 'requestfailed'],
];

/** A request that a test holds back does not end. */
const settledMsMax = 5000;

/** Cleans up after a test: closes notifications, and says whether nothing else is open, and nothing large is kept. */
const closeOpened = `(async () => { ${inPage}
  const toasts = () => [...document.querySelectorAll('[data-sonner-toast]')];
  for (const toast of toasts()) toast.querySelector('[data-close-button]')?.click();
  await until(() => toasts().length === 0);
  document.activeElement?.blur();
  const isOpen = document.querySelector('[role=dialog], [role=menu], [role=tooltip], #root[aria-hidden=true]') !== null;
  if (performance.memory.usedJSHeapSize > 150e6) return false;
  return !isOpen && !Object.keys(localStorage).some((key) => key.includes('draft'));
})()`;

/** A service that tests use one after another. It watches no files: it may outlive its tests for a few seconds. */
export class SharedService {
  #service: TestService | undefined;

  async get(): Promise<TestService> {
    return (this.#service ??= await TestService.start());
  }

  /** Removes the projects of a test. */
  async clear(): Promise<void> {
    if (this.#service === undefined) return;
    const { rest } = this.#service;
    const { projects } = (await rest.get('/projects')).body as {
      readonly projects: readonly { readonly id: string }[];
    };
    for (const { id } of projects) await rest.delete(`/projects/${id}`);
  }

  removeFiles(): void {
    if (this.#service !== undefined) rmSync(this.#service.directory, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    await service?.stop();
  }
}

/** A page that tests use one after another. It is loaded once: a test goes to its address as a link does. */
export class SharedTab {
  #page: Page | undefined;
  #traffic: Traffic | undefined;
  /** True if the page is blank, without remains of a test. */
  #isClear = false;

  /** The page, and its requests from now on. */
  async page(make: () => Promise<Page>): Promise<{ readonly page: Page; readonly traffic: Traffic }> {
    const page = (this.#page ??= await make());
    this.#traffic = new Traffic(page);
    return { page, traffic: this.#traffic };
  }

  /** Shows an address. `isOwn`: in a document of its own. */
  async show(address: string, isOwn: boolean): Promise<void> {
    const isView = /^\/($|projects\/)/.test(address);
    if (this.#isClear && isView && !isOwn) await enter(this.#page!, address);
    else await this.#page!.goto(address);
    this.#isClear = false;
  }

  /** Removes the remains of a test. `whole`: the document, too, which the test has changed. */
  async clear(whole: boolean): Promise<void> {
    const page = this.#page;
    if (page === undefined) return;
    const context = page.context();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    for (const each of context.pages()) if (each !== page) await each.close();
    this.#isClear = !whole && (await this.#leave(page));
    for (const event of observedEvents) page.removeAllListeners(event);
    // A document of the same origin without a script: the page of the test has ended, and its storage is within reach.
    if (!this.#isClear) await page.goto('/icon.svg');
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await context.clearCookies();
    await page.emulateMedia({ media: null });
  }

  /** Leaves the view of a test when the page has every response. Returns whether nothing of the test is left then. */
  async #leave(page: Page): Promise<boolean> {
    if (!(await page.evaluate(`document.querySelector('#root main') !== null`))) return false;
    if (!(await this.#settled())) return false;
    await leave(page);
    // An editor sends its text when it is closed.
    return (await this.#settled()) && (await page.evaluate<boolean>(closeOpened));
  }

  async #settled(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), settledMsMax)));
    const isSettled = await Promise.race([this.#traffic!.settled().then(() => true), late]);
    clearTimeout(timer);
    return isSettled;
  }

  async close(): Promise<void> {
    const page = this.#page;
    this.#page = undefined;
    this.#isClear = false;
    await page?.context().close();
  }
}
