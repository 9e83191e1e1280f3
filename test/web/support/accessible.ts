import { AxeBuilder } from '@axe-core/playwright';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** The serious and critical findings of axe, one per line. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // Colours in a transition are neither.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getTiming().iterations !== Infinity).map((each) => each.finished))`,
  );
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
}

/** Checks the light and the dark theme; afterwards the page is light. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousViolations(page), colorScheme).to.deep.equal([]);
  }
}
