import type { Page } from 'playwright-core';

/** Requests of a page that wait. */
export interface Held {
  /** The first of them waits. */
  readonly sent: Promise<void>;
  /** Releases the held requests; later ones do not wait. */
  readonly release: () => void;
}

/** Holds back the requests of a page by a method from now on, so that the service gets something else first. */
export async function hold(page: Page, address: RegExp, method = 'GET'): Promise<Held> {
  const [sent, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    sent.resolve();
    await released.promise;
    await route.continue();
  });
  return { sent: sent.promise, release: released.resolve };
}
