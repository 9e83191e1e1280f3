import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** The rules of axe that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** A rule as axe keeps it; its public list lacks the impact. */
interface Rule {
  readonly id: string;
  readonly impact: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
}

/** The rules with serious and critical findings: axe gives each finding the impact of its rule. */
const seriousRules = (axe as unknown as { readonly _audit: { readonly rules: readonly Rule[] } })._audit.rules
  .filter(({ enabled, tags }) => enabled && !tags.includes('experimental'))
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id }) => id);

/** Colours in a transition are neither. One that ends may begin that of an element which inherits the colour. */
const atRest = `(async () => {
  const running = () => document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getTiming().iterations !== Infinity);
  for (let now = running(); now.length > 0; now = running()) {
    await Promise.allSettled(now.map((each) => each.finished));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return typeof window.axe === 'object';
})()`;

/** What is not checked: the documents in frames, and further elements by their selectors. */
type Excluded = readonly string[];

/** The serious and critical findings of axe, one per line. */
async function seriousViolations(page: Page, rules: readonly string[], without: Excluded): Promise<string[]> {
  // Half a megabyte of script is parsed once for each document.
  if (!(await page.evaluate<boolean>(atRest))) await page.evaluate(`${axe.source};undefined`);
  const [context, options] = [
    { exclude: ['iframe', ...without] },
    // What passes is not described.
    { resultTypes: ['violations'], runOnly: { type: 'rule', values: rules } },
  ];
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + help + ': ' + target.join(' ') + ': ' + failureSummary)))`,
  );
}

/** The bar and the sidebar, which are the same around every view. */
export const frame = ['#root > div > header', 'nav[aria-label="Project"]'];

/**
 * Checks a state of a view, without the frame around it: the light theme, and the colours of the dark one, which has the same elements;
 * afterwards the page is light.
 */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsInLooks(page, frame)).to.deep.equal([]);
}

const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

/** The findings in both sizes: all of the light theme, and those of the colours of the dark one. The page is loaded once. */
export async function violationsInAllLooks(
  page: Page,
  { sizes = [desktop, phone], without = [] }: { readonly sizes?: (typeof phone)[]; readonly without?: Excluded } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    found.push(...(await violationsInLooks(page, without)).map((each) => `${size.width} ${each}`));
  }
  return found;
}

async function violationsInLooks(page: Page, without: Excluded): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ['dark', colourRules],
    ['light', seriousRules],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await seriousViolations(page, rules, without)).map((each) => `${colorScheme}: ${each}`));
  }
  return found;
}
