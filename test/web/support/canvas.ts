import type { Locator, Page } from 'playwright-core';
import { boxAtRest } from './until.ts';

/** The address of a project's canvas. */
export const canvasPath = '/projects/:project/canvas';

/** The card with this label. */
export const node = (page: Page, label: string): Locator =>
  page.locator('.react-flow__node').filter({ hasText: label });

/**
 * Waits until the order of work is shown: its lines make the legend higher, which moves the view of a canvas without a
 * view in its address.
 */
export async function viewAtRest(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^\d+ ready/ }).waitFor();
  await boxAtRest(page.locator('.react-flow__node').first());
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Drags the object at one point of the window to another. */
export async function drag(page: Page, from: Point, to: Point): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 5 });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}
