import { expect } from 'chai';
import { TestService } from '../support/service.ts';

describe("The service's address", () => {
  let service: TestService;
  before(async () => {
    service = await TestService.start();
  });
  after(() => service.stop());

  const at = async (
    path: string,
    accept: string,
    method: string,
  ): Promise<readonly [number, string | null, string]> => {
    const response = await fetch(service.url + path, { method, headers: { Accept: accept } });
    return [response.status, response.headers.get('content-type'), await response.text()];
  };

  it('is the page for whatever accepts HTML: curl, monitors, link previews [S.web.address]', async () => {
    for (const accept of ['*/*', 'text/html', 'text/*;q=0.5, image/png', '']) {
      const [status, type, body] = await at('/', accept, 'GET');
      expect([status, type], accept).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(body).to.match(/^<!doctype html>/i);
      expect(await at('/', accept, 'HEAD'), accept).to.deep.equal([200, 'text/html; charset=utf-8', '']);
    }
  });

  it('is JSON for programs, as for every other unknown address [S.web.address]', async () => {
    for (const [path, accept] of [
      ['/', 'application/json'],
      ['/', 'application/json, text/plain, */*'],
      ['/nowhere', '*/*'],
      ['/settings', 'application/json, text/html;q=0'],
    ] as const) {
      const [status, type, body] = await at(path, accept, 'GET');
      expect([status, type], `${path} ${accept}`).to.deep.equal([404, 'application/json; charset=utf-8']);
      expect(JSON.parse(body)).to.include({ error: 'not_found', resource: 'route' });
    }
    expect((await at('/', '*/*', 'POST'))[0]).to.equal(404);
  });
});
