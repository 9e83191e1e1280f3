import type { Page } from 'playwright-core';

/**
 * Counts the elements of a selector that are drawn again from now on: React gives an element that it draws again a new object of properties,
 * even if they are equal.
 */
export async function drawnSince(page: Page, selector: string): Promise<() => Promise<number>> {
  const properties = `[...document.querySelectorAll(${JSON.stringify(selector)})]
    .map((each) => [each, each[Object.keys(each).find((name) => name.startsWith('__reactProps$'))]])`;
  await page.evaluate(`window.drawnBefore = new Map(${properties})`);
  return () =>
    page.evaluate<number>(
      `${properties}.filter(([each, now]) => window.drawnBefore.has(each) && window.drawnBefore.get(each) !== now).length`,
    );
}
