import { createRequire } from 'node:module';
import type Axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { keepLooks, knowLooks } from './known-looks.ts';

/** The short form: the browser parses it once for each document. */
const axe = createRequire(import.meta.url)('axe-core/axe.min.js') as typeof Axe;

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
  .map(({ id }) => id)
  // The size of targets is a criterion of WCAG 2.2, and off by default; landmarks and headings are ways through the page.
  .concat('target-size', 'landmark-no-duplicate-banner', 'landmark-unique');

/**
 * Colours in a transition are neither. The end of one may begin the transition of an element which inherits the colour.
 */
const atRest = `(async () => {
  const running = () => document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getTiming().iterations !== Infinity);
  for (let now = running(); now.length > 0; now = running()) {
    await Promise.allSettled(now.map((each) => each.finished));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return typeof window.axe === 'object';
})()`;

/** The parts that are not checked: the documents in frames, and further elements by their selectors. */
type Excluded = readonly string[];
/** The selectors of the checked parts, at least one of which exists; without them all is checked. */
type Included = readonly string[];

/** The serious and critical findings of axe, one per line. */
async function seriousViolations(
  page: Page,
  rules: readonly string[],
  without: Excluded,
  within?: Included,
): Promise<string[]> {
  // Half a megabyte of script is parsed once for each document.
  if (!(await page.evaluate<boolean>(atRest))) {
    await page.evaluate(`${axe.source};undefined`);
    await knowLooks(page);
  }
  const [context, options] = [
    { ...(within && { include: within }), exclude: ['iframe', ...without] },
    // Passed rules are not described.
    { resultTypes: ['violations'], runOnly: { type: 'rule', values: rules } },
  ];
  const found = await page.evaluate<string[]>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ': ' + help + ': ' + target.join(' ') + ': ' + failureSummary)))`,
  );
  await keepLooks(page);
  return found;
}

/** The bar and the sidebar, which are the same around every view. */
export const frame = ['#root > div > header', 'nav[aria-label="Project"]'];

/** A theme, and the rules checked in it: both have the same elements. */
type Theme = readonly ['dark' | 'light', readonly string[]];
const dark: Theme = ['dark', colourRules];
const light: Theme = ['light', seriousRules];
/** The rules for a view that is loaded; a loading one has no heading yet. */
const lightView: Theme = ['light', [...seriousRules, 'page-has-heading-one']];
/** Colours do not depend on the size (`sizedColours`), and their rules take six sevenths of the time of all. */
const shape: Theme = ['light', lightView[1].filter((id) => !colourRules.includes(id))];

async function violationsIn(
  page: Page,
  [colorScheme, rules]: Theme,
  without: Excluded,
  within?: Included,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme });
  return (await seriousViolations(page, rules, without, within)).map((each) => `${colorScheme}: ${each}`);
}

/**
 * Checks a state of a view, without the frame around it, or a dialog, without the view under it: the light theme, and
 * the colours of the dark one; afterwards the page is light. `within`: the parts that differ from a state that is
 * checked elsewhere.
 */
export async function expectAccessible(page: Page, within?: Included): Promise<void> {
  const isBehind = (await page.locator('#root[aria-hidden="true"]').count()) > 0;
  const found: string[] = [];
  for (const theme of [dark, light])
    found.push(...(await violationsIn(page, theme, isBehind ? ['#root'] : frame, within)));
  expect(found).to.deep.equal([]);
}

interface Look {
  readonly size: { readonly width: number; readonly height: number };
  readonly theme: Theme;
}

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

export const wideLook: readonly Look[] = [{ size: desktop, theme: lightView }];
export const allLooks: readonly Look[] = [{ size: phone, theme: shape }, ...wideLook, { size: desktop, theme: dark }];
export const phoneLooks: readonly Look[] = [
  { size: phone, theme: lightView },
  { size: phone, theme: dark },
];

/** Checks views in each look. A view begins in the look of the one before it: for another, the browser draws everything again. */
export class Looks {
  readonly #page: Page;
  #looks: readonly Look[];

  constructor(page: Page, looks = allLooks) {
    this.#page = page;
    this.#looks = looks.toReversed();
  }

  /** The findings of the shown page. */
  async violations(without: Excluded = []): Promise<string[]> {
    this.#looks = this.#looks.toReversed();
    const found: string[] = [];
    for (const { size, theme } of this.#looks) {
      await this.#page.setViewportSize(size);
      found.push(...(await violationsIn(this.#page, theme, without)).map((each) => `${size.width} ${each}`));
    }
    return found;
  }
}

/** The rules of a style sheet that give a text or what is behind it another colour in another size of the screen: those below `@media (…width…)`. */
export function sizedColours(css: string): string[] {
  const blocks = css.matchAll(/@(?:media|container)[^{]*(?:width|height)[^{]*\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/g);
  const declarations = [...blocks].flatMap(
    ([, block = '']) => block.match(/(?<![\w-])(?:color|background(?:-color)?|opacity)\s*:[^;}]*/g) ?? [],
  );
  return declarations.filter((each) => !/:\s*(?:transparent|none|inherit)\s*$/.test(each));
}
