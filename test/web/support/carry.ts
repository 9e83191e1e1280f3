import type { Locator, Page } from 'playwright-core';

/**
 * Drags an element onto another, and drops it once that is marked as the target: on a busy machine the page measures it
 * after the last move.
 */
export async function carry(page: Page, what: Locator, onto: Locator, target: Locator): Promise<void> {
  await what.hover();
  await page.mouse.down();
  await onto.hover();
  const { x, y, width } = (await onto.boundingBox())!;
  for (let move = 0; (await target.count()) === 0; move++) await page.mouse.move(x + width / 4 + (move % 8), y + 8);
  await page.mouse.up();
}
