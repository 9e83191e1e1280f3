import type { Page } from 'playwright-core';

/** Goes to another address of the page without loading it again, as a link does. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate', { state: null }));`,
  );
}

/** Waits until the page follows the changes by a stream, or has begun to poll them. */
export async function untilUpdates(page: Page, how: 'streamed' | 'polled'): Promise<void> {
  await page.locator(`html[data-updates="${how}"]`).waitFor({ state: 'attached' });
}
