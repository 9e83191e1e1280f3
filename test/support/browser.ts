/** A page as tests read it. */
export interface Page {
  /** The address that the browser ended at. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** As much of a browser as sign-in needs: it keeps cookies by host, follows redirects, and says which page a form was on. */
export class Browser {
  /** The cookies by host, whatever the port. */
  readonly #jars = new Map<string, Map<string, string>>();
  /** Every Set-Cookie header received, newest last. */
  readonly setCookies: string[] = [];

  get(url: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#follow(url, { method: 'GET', headers });
  }

  /** Sends a form from a page of the given origin; default: the same as the target's. */
  submit(url: string, fields: Record<string, string>, origin = new URL(url).origin): Promise<Page> {
    return this.#follow(url, { method: 'POST', headers: { Origin: origin }, body: new URLSearchParams(fields) });
  }

  /** One request without following anything. */
  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const host = new URL(url).hostname;
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    if (cookie !== '') headers.set('Cookie', cookie);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(jar, line);
    return response;
  }

  cookie(host: string, name: string): string | undefined {
    return this.#jars.get(host)?.get(name);
  }

  /** As a person does who has another's cookie. */
  setCookie(host: string, name: string, value: string): void {
    this.#jars.set(host, (this.#jars.get(host) ?? new Map<string, string>()).set(name, value));
  }

  #keep(jar: Map<string, string>, line: string): void {
    this.setCookies.push(line);
    const [pair = '', ...attributes] = line.split(/; */);
    const at = pair.indexOf('=');
    const gone = attributes.some((one) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(one));
    if (gone) jar.delete(pair.slice(0, at));
    else jar.set(pair.slice(0, at), pair.slice(at + 1));
  }

  async #follow(url: string, init: RequestInit): Promise<Page> {
    const accept = { Accept: 'text/html' };
    let [at, next] = [url, { ...init, headers: { ...accept, ...(init.headers as Record<string, string>) } }];
    for (let hops = 0; hops < 20; hops++) {
      const response = await this.send(at, next);
      const location = response.headers.get('location');
      const text = await response.text();
      if (response.status < 300 || response.status >= 400 || location === null)
        return { url: at, status: response.status, headers: response.headers, text };
      at = new URL(location, at).href;
      next = { method: 'GET', headers: accept };
    }
    throw new Error(`${url} leads round and round.`);
  }
}
