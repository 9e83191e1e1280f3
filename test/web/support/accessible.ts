import { AxeBuilder } from '@axe-core/playwright';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** What axe finds that is serious or critical, as lines to read. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // Colours that are on their way to others are neither.
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

/** Looks in light and in dark; afterwards the page is in the light. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await seriousViolations(page), colorScheme).to.deep.equal([]);
  }
}
