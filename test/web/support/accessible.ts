import { AxeBuilder } from '@axe-core/playwright';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** The rules of axe that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** The serious and critical findings of axe, one per line. */
export async function seriousViolations(page: Page, rules?: string[]): Promise<string[]> {
  // Colours in a transition are neither. One that ends may begin that of an element which inherits the colour.
  await page.evaluate(`(async () => {
    const running = () => document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getTiming().iterations !== Infinity);
    for (let now = running(); now.length > 0; now = running()) {
      await Promise.allSettled(now.map((each) => each.finished));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);
  // What passes is not described. The results are completed in the page itself instead of a new one: frames are excluded.
  // Half a megabyte of script is parsed once for each document.
  const isLoaded = await page.evaluate(`typeof window.axe === 'object'`);
  const axe = new AxeBuilder(isLoaded ? { page, axeSource: ';' } : { page })
    .exclude('iframe')
    .options({ resultTypes: ['violations'] })
    .setLegacyMode();
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
}

/** Checks the light theme, and the colours of the dark one, which has the same elements; afterwards the page is light. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await seriousViolations(page, colourRules), 'dark').to.deep.equal([]);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await seriousViolations(page), 'light').to.deep.equal([]);
}

const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

/** The findings in both sizes: all of the light theme, and those of the colours of the dark one. The page is loaded once. */
export async function violationsInAllLooks(page: Page, sizes = [desktop, phone]): Promise<string[]> {
  const found: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const violations = await seriousViolations(page, colorScheme === 'dark' ? colourRules : undefined);
      found.push(...violations.map((each) => `${size.width} ${colorScheme}: ${each}`));
    }
  }
  return found;
}
