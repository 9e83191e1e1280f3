import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

/** The limit of a wait on a machine on which a page gets a tenth of a core. A wait ends before its test, so that it is named. */
export const waitMsMax = 150_000;

const everyMs = 50;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, everyMs));

/**
 * Waits for a condition: an optimistic state may not be acknowledged yet. Throws the condition's source if it does not
 * become true.
 */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + waitMsMax; !(await isSo()); await pause())
    if (performance.now() > end) throw new Error(`Not true within ${waitMsMax} ms: ${isSo.toString()}`);
}

/**
 * Waits until a value that is read again and again equals the expected one. Throws an assertion error with the last
 * value if it does not.
 */
export async function untilEqual<T>(read: () => Promise<T>, expected: T): Promise<void> {
  for (const end = performance.now() + waitMsMax; ; await pause()) {
    const now = await read();
    if (isDeepStrictEqual(now, expected)) return;
    if (performance.now() > end) return void expect(now).to.deep.equal(expected);
  }
}

/** Waits until no dialog takes the keys: shortcuts, and undo by key, are ignored while one is open. */
export async function untilKeysWork(page: Page): Promise<void> {
  await page.locator('#root:not([aria-hidden="true"])').waitFor({ state: 'attached' });
}

/** Waits until an element, or one within it, has the focus. */
export async function untilFocusIn(at: Locator): Promise<void> {
  await until(() => at.evaluate((element) => element.matches(':focus-within')));
}

/** The place of an element once it is the same in two frames. */
export async function boxAtRest(at: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await at.waitFor();
  for (let last = ''; ;) {
    const box = await at.boundingBox();
    if (box !== null && JSON.stringify(box) === last) return box;
    last = JSON.stringify(box);
    await at.page().evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
}
