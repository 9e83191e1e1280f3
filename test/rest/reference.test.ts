import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { createContext, runInContext } from 'node:vm';
import { errorCodes, errorMeanings } from '../../src/base/errors.ts';
import { statusOf } from '../../src/http/status.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';

describe('the reference page', () => {
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  /** The files that a browser fetches for a page: itself, then everything that it names. */
  async function load(path: string): Promise<Map<string, { text: string; headers: Headers }>> {
    const loaded = new Map<string, { text: string; headers: Headers }>();
    const queue = [path];
    for (const next of queue) {
      if (loaded.has(next)) continue;
      const response = await fetch(service.url + next, { headers: { Accept: '*/*' } });
      expect(response.status, next).to.equal(200);
      const text = await response.text();
      loaded.set(next, { text, headers: response.headers });
      if (!(response.headers.get('content-type') ?? '').startsWith('text/html')) continue;
      for (const [, url = ''] of text.matchAll(/(?:src|href)="([^"]*)"/g)) queue.push(url);
    }
    return loaded;
  }

  it('is served with everything that it needs, and names no other address [A.reference]', async () => {
    const loaded = await load('/api/v1/docs');
    expect([...loaded.keys()]).to.have.members([
      '/api/v1/docs',
      '/api/v1/docs/errors',
      '/api/v1/docs/page.css',
      '/api/v1/docs/page.js',
      '/api/v1/docs/swagger-ui.css',
      '/api/v1/docs/swagger-ui.js',
      '/api/v1/openapi.json',
    ]);
    for (const [path, { text, headers }] of loaded) {
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff');
      const type = headers.get('content-type')!;
      if (type.startsWith('text/html')) {
        expect(text, path).not.to.match(/<script(?! src=)|<style|\son\w+=|style=|\/\/\w/);
        expect(text).to.match(/^<!doctype html>/);
      }
      if (type.startsWith('text/css')) {
        expect(text, path).not.to.match(/@import/);
        for (const [, url = ''] of text.matchAll(/url\(["']?([^)"']{0,20})/g)) expect(url, path).to.match(/^data:/);
      }
    }
  });

  it('lets a browser load only from the service, and run no inline script [A.reference]', async () => {
    for (const path of ['/docs', '/docs/errors']) {
      const policy = (await service.rest.get(path)).headers.get('content-security-policy')!;
      const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]));
      expect(directives.get('default-src')).to.deep.equal(["'none'"]);
      expect(directives.get('script-src')).to.deep.equal(["'self'"]);
      expect(directives.get('connect-src')).to.deep.equal(["'self'"]);
      expect(directives.get('frame-ancestors')).to.deep.equal(["'none'"]);
      expect(policy).not.to.match(/unsafe|https?:|\*/);
    }
  });

  it('starts Swagger UI on the description, without an external validator, and evaluates no text as code', async () => {
    const loaded = await load('/api/v1/docs');
    const calls: { url?: string; validatorUrl?: unknown }[] = [];
    const page = createContext(
      { SwaggerUIBundle: (options: object) => calls.push(options) },
      { codeGeneration: { strings: false, wasm: false } },
    );
    runInContext(loaded.get('/api/v1/docs/page.js')!.text, page);
    expect(calls).to.have.length(1);
    expect(calls[0]).to.include({ url: '/api/v1/openapi.json', validatorUrl: null });
    const bundle = loaded.get('/api/v1/docs/swagger-ui.js')!.text;
    const browser = createContext(browserShim(), { codeGeneration: { strings: false, wasm: false } });
    try {
      runInContext(bundle, browser);
    } catch (thrown) {
      // Its stack begins with the bundle itself, which is one line of a megabyte.
      throw new Error((thrown as Error).message, { cause: undefined });
    }
    expect(runInContext('typeof SwaggerUIBundle', browser)).to.equal('function');
  });

  it('is built with the files that it serves, licences included [A.reference]', () => {
    const licences = ['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];
    for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', ...licences]) {
      const path = join(repository, 'dist/swagger-ui', name);
      const built = licences.includes(name) ? readFileSync(path) : brotliDecompressSync(readFileSync(`${path}.br`));
      expect(built.equals(readFileSync(join(repository, 'node_modules/swagger-ui-dist', name))), name).to.equal(true);
    }
  });

  it('shows every error code with its status and when it is returned [A.errors]', async () => {
    const { body } = await service.rest.get('/docs/errors');
    const rows = [
      ...(body as string).matchAll(/<tr id="(\w+)"><td><code>(\w+)<\/code><\/td><td>(\d+)<\/td><td>(.*?)<\/td>/g),
    ];
    expect(rows.map(([, id, code, status]) => [id, code, Number(status)])).to.deep.equal(
      errorCodes.map((code) => [code, code, statusOf[code]]),
    );
    for (const [, , code, , text = ''] of rows)
      expect(text.replace(/<\/?code>/g, '`')).to.equal(errorMeanings[code as keyof typeof errorMeanings]);
  });
});

/** As much of a browser as Swagger UI looks at while it is loaded. */
function browserShim(): object {
  const element = { style: {}, setAttribute: () => undefined, appendChild: () => undefined };
  const document = {
    createElement: () => ({ ...element }),
    documentElement: { ...element },
    addEventListener: () => undefined,
    querySelector: () => null,
    getElementsByTagName: () => [],
    implementation: {},
  };
  const browser: Record<string, unknown> = {
    document,
    navigator: { userAgent: 'test', platform: '' },
    location: { href: 'http://127.0.0.1/', search: '', hash: '' },
    addEventListener: () => undefined,
    setTimeout,
    clearTimeout,
    console,
    URL,
    URLSearchParams,
    TextEncoder,
    TextDecoder,
    fetch,
    Headers,
    Request,
    Response,
    FormData,
    Blob,
    File,
    AbortController,
  };
  browser['window'] = browser['self'] = browser['globalThis'] = browser;
  return browser;
}
