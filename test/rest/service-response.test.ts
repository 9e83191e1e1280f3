import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import type { Caller, RawResponse } from '../../src/operations/declaration/operation.ts';
import { sendServiceResponse } from '../../src/rest/service-response.ts';
import type { ServiceRequest, ServiceRoute } from '../../src/rest/service-route.ts';

describe("A response of the service's own routes", () => {
  let server: Server;
  let route: ServiceRoute;
  let kind: Caller['kind'];
  before(async () => {
    server = createServer((request, response) => {
      const serviceRequest = { caller: { kind, id: 'c', author: 'a' } } as unknown as ServiceRequest;
      sendServiceResponse(response, route, serviceRequest, request.headers['if-none-match']).catch(
        (thrown: unknown) => {
          response.writeHead(thrown instanceof PlannerError && thrown.code === 'forbidden' ? 403 : 500).end();
        },
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  beforeEach(() => (kind = 'owner'));

  const ask = async (
    tag?: string,
  ): Promise<{ status: number; tag: string | null; type: string | null; body: string }> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const headers = { ...(tag !== undefined && { 'If-None-Match': tag }), Connection: 'close' };
    const answer = await fetch(url, { headers });
    const { status } = answer;
    return {
      status,
      tag: answer.headers.get('etag'),
      type: answer.headers.get('content-type'),
      body: await answer.text(),
    };
  };
  const routeOf = (members: object): ServiceRoute =>
    ({ method: 'GET', path: '/state', answer: () => ({ ok: true }), ...members }) as unknown as ServiceRoute;

  it('is only for the owner if the route declares it', async () => {
    for (const [ownerOnly, caller, status] of [
      [true, 'owner', 200],
      [true, 'agent', 403],
      [false, 'agent', 200],
      [undefined, 'guest', 200],
    ] as const) {
      route = routeOf({ ownerOnly });
      kind = caller;
      expect([ownerOnly, caller, (await ask()).status]).to.deep.equal([ownerOnly, caller, status]);
    }
  });

  it('has an ETag of its content for a read, and is 304 for a caller that has it [D1.304]', async () => {
    const raw: RawResponse = { type: 'text/css', content: 'p { color: red }' };
    for (const [members, type, body] of [
      [{}, 'application/json; charset=utf-8', '{"ok":true}'],
      [{ raw: true, answer: () => raw }, 'text/css', raw.content],
    ] as const) {
      route = routeOf(members);
      const first = await ask();
      expect(first).to.include({ status: 200, type, body });
      expect(first.tag).to.match(/^"[\w-]+\.0"$/);
      expect(await ask('"another.0"')).to.deep.equal(first);
      expect(await ask(first.tag!)).to.deep.equal({ status: 304, tag: first.tag, type: null, body: '' });
    }
    const { tag } = await ask();
    route = routeOf({ raw: true, answer: () => ({ ...raw, content: Buffer.from('p {}') }) });
    expect((await ask()).tag).to.not.equal(tag);
  });

  it('has no tag for an action', async () => {
    route = routeOf({ method: 'POST' });
    expect(await ask('*')).to.include({ status: 200, tag: null, body: '{"ok":true}' });
  });
});
