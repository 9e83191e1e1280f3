import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** The headless shell comes first: it has no window, and takes an eighth less CPU time for the tests of the page. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser that tests and benchmarks drive: PLANNER_TEST_BROWSER, else the usual paths. */
export function browserPath(): string | undefined {
  return process.env['PLANNER_TEST_BROWSER'] ?? places.find((place) => existsSync(place));
}

export const noBrowser = 'There is no browser: install chromium, or name one in PLANNER_TEST_BROWSER.';

/**
 * The address bar loads two pages of its own for every context, although no test types into it: 0.95 s of CPU time for a context's first page,
 * 0.2 s without them.
 */
const addressBarPages = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/**
 * The features that Playwright disables. Chromium obeys only the last `--disable-features`, so that this list replaces
 * Playwright's.
 */
const disabledByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/**
 * The flags for pages that are open for seconds, where compiling hot code again takes more CPU time than it saves, a
 * seventh of a test.
 */
export const withoutOptimizer = ['--js-flags=--no-maglev,--no-opt'];

/** With these the shell and the whole browser draw letters alike. */
const sameLetters = ['--font-render-hinting=slight', '--disable-lcd-text', '--enable-font-antialiasing'];

/** Starts it, without a window, with further arguments of the command line. */
export function launchBrowser(further: readonly string[] = []): Promise<Browser> {
  const executablePath = browserPath();
  if (executablePath === undefined) throw new Error(noBrowser);
  const disabled = `--disable-features=${[...disabledByPlaywright, ...addressBarPages].join(',')}`;
  return chromium.launch({
    executablePath,
    // Drawing without a graphics card happens in the browser's process: a twentieth less CPU time.
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--in-process-gpu'],
      ...sameLetters,
      ...[disabled, ...further],
    ],
  });
}
