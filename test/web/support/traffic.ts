import type { Page, Request } from 'playwright-core';

/** The requests of a page from now on, apart from the stream of changes, which does not end. */
export class Traffic {
  readonly requests: Request[] = [];
  readonly #page: Page;
  readonly #open = new Set<Request>();
  #onEnd = (): void => undefined;

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      if (/\/api\/v1\/(?:feed|projects\/[^/]+\/events)\b/.test(request.url())) return;
      this.requests.push(request);
      this.#open.add(request);
    });
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => {
        this.#open.delete(request);
        this.#onEnd();
      });
  }

  /** The page's reads from the service. */
  get reads(): Request[] {
    return this.requests.filter((request) => request.method() === 'GET' && request.url().includes('/api/v1/'));
  }

  /** Waits until the page has drawn every response, and has requested nothing because of them. */
  async settled(): Promise<void> {
    for (let known = -1; known !== this.requests.length || this.#open.size > 0;) {
      known = this.requests.length;
      while (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEnd = resolve));
      await this.#page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    }
  }
}
