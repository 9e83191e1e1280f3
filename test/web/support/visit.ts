import type { Page } from 'playwright-core';

/** The script that runs in the page: a separate entry of the history, so that a view begins as it does after a link. */
export const inPage = `
  const go = (address) => {
    history.pushState({ usr: null, key: crypto.randomUUID(), idx: (history.state?.idx ?? 0) + 1 }, '', address);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  };
  const until = (isSo) => new Promise((resolve) => {
    const observer = new MutationObserver(() => look());
    const look = () => isSo() && (observer.disconnect(), resolve());
    observer.observe(document, { childList: true, subtree: true, characterData: true });
    look();
  });
  const isNowhere = () => document.querySelector('main h1')?.textContent === 'There is nothing at this address';
`;

/** Goes to another address of the page without loading it again, as a link does. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`{ ${inPage} go(${JSON.stringify(address)}); }`);
}

/** Goes where nothing is: the former view has ended. */
export async function leave(page: Page): Promise<void> {
  await page.evaluate(`(async () => { ${inPage}
    go('/nothing');
    await until(isNowhere);
  })()`);
}

/** Goes to another address from where nothing is. Resolves when the view is there: what `untilUpdates` finds is said of the new address. */
export async function enter(page: Page, address: string): Promise<void> {
  await page.evaluate(`(async () => { ${inPage}
    // The changes of all projects are followed there, too.
    if (${JSON.stringify(address)} !== '/') delete document.documentElement.dataset.updates;
    go(${JSON.stringify(address)});
    await until(() => !isNowhere());
  })()`);
}

/** Goes to another address of the page with nothing of the former view left: only the new view is shown afterwards. */
export async function showOnly(page: Page, address: string): Promise<void> {
  await leave(page);
  await enter(page, address);
}

/** Waits until the page follows the changes by a stream, or has begun to poll them. */
export async function untilUpdates(page: Page, how: 'streamed' | 'polled'): Promise<void> {
  await page.locator(`html[data-updates="${how}"]`).waitFor({ state: 'attached' });
}
