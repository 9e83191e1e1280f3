import { expect } from 'chai';
import { headersOfRequest, metaNames, modernVersion } from '../../src/mcp/envelope.ts';
import type { Message } from '../../src/mcp/json-rpc.ts';
import { Line } from '../support/bridge-line.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { envelope } from '../support/modern-client.ts';
import { nastyJson, nastyText } from '../support/nasty-texts.ts';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { TestService } from '../support/service.ts';

type Json = Record<string, unknown>;

const methods = [
  ...['server/discover', 'tools/list', 'tools/call', 'ping', 'initialize', 'resources/read', 'prompts/get'],
  ...['completion/complete', 'subscriptions/listen', 'resources/subscribe', 'resources/unsubscribe', 'constructor', ''],
  ...['events/list', 'events/poll', 'events/stream', 'events/subscribe', 'skills/list', 'skills/get'],
];
const versions = [modernVersion, '2025-11-25', '2099-01-01', '', 'x'];
const headerNames = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'];

/** Messages of MCP, of both eras, most of them with something wrong. */
class Messages {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A request with this id. */
  request(id: number): Message {
    const random = this.#random;
    const method = random.pick(methods);
    const params: Json = random.chance(0.6) ? { _meta: envelope('fuzz', this.#version()) } : {};
    if (method === 'tools/call') Object.assign(params, { name: this.#tool(), arguments: { project_id: 'prj_none' } });
    if (method === 'initialize')
      Object.assign(params, {
        protocolVersion: this.#version(),
        capabilities: {},
        clientInfo: { name: 'f', version: '1' },
      });
    if (method.startsWith('resources/') || method === 'skills/get') params['uri'] = nastyText(random);
    if (method.startsWith('events/'))
      Object.assign(params, { name: 'task.done', arguments: { project_id: 'prj_none' }, cursor: nastyText(random) });
    if (random.chance(0.6)) this.#spoil(params);
    return { jsonrpc: '2.0', id, method, params };
  }

  /** The headers that it needs, or others. Only headers that an HTTP client can send. */
  headers(message: Message): Record<string, string> {
    const random = this.#random;
    const headers: Record<string, string> = random.chance(0.8) ? { ...headersOfRequest(message) } : {};
    if (random.chance(0.4)) {
      const name = random.pick(headerNames);
      if (random.chance(0.4)) delete headers[name];
      else headers[name] = random.pick([...versions, '=?base64?!?=', '=?base64?/w==?=', 'tools/list', 'a b']) || 'none';
    }
    return headers;
  }

  #version(): string {
    return this.#random.chance(0.7) ? modernVersion : this.#random.pick(versions);
  }

  #tool(): string {
    return this.#random.pick(['list_projects', 'get_project', 'create_task', 'no_tool', '__proto__', 'créer']);
  }

  /** Replaces or removes a member at a random depth. */
  #spoil(params: Json): void {
    const random = this.#random;
    const inMeta = params['_meta'] !== undefined && random.chance(0.7);
    const at = (inMeta ? params['_meta'] : params) as Json;
    const name = random.pick([...Object.keys(at), ...Object.values(metaNames), 'cursor', 'task', 'progressToken']);
    if (random.chance(0.3)) delete at[name];
    else at[name] = nastyJson(random, 2);
  }
}

/** So many random messages over HTTP, and a third of it over stdio. */
export function describeMessages(rounds: number): void {
  describe('random messages of MCP', () => {
    it('of both eras, valid and invalid, each get a response with their id if it can be read, and cause no internal error [A.random-requests]', async function () {
      this.timeout(rounds * 40 + 60_000);
      const random = Random.announced('messages');
      const messages = new Messages(random);
      const service = await TestService.start();
      const line = new Line(service.url);
      const served = { results: 0, errors: 0 };
      const check = (message: Message, response: Json): void => {
        const what = `${JSON.stringify(message).slice(0, 2000)}: ${JSON.stringify(response).slice(0, 500)}`;
        expect(response, what).to.have.property('jsonrpc', '2.0');
        const error = response['error'] as { code: number; data?: Json } | undefined;
        expect(error?.code, what).not.to.equal(-32603);
        expect(error?.data?.['error'], what).not.to.be.oneOf(['internal', 'unavailable']);
        served[error === undefined ? 'results' : 'errors']++;
      };
      try {
        for (let id = 1; id <= rounds; id++) {
          const message = messages.request(id);
          const headers = messages.headers(message);
          const response = await rawMcp(service.url, message, headers);
          const body = (await response.json()) as Json;
          expect(response.status, JSON.stringify({ message, headers, body })).to.be.below(500);
          // A body with a member whose name is too long is not parsed, so that its id is unknown.
          const { data } = (body['error'] ?? {}) as { readonly data?: Json };
          const expected = data?.['name_bytes_max'] === undefined ? id : null;
          expect(body['id'], JSON.stringify({ message, headers, body })).to.equal(expected);
          check(message, body);
        }
        for (let id = 1; id <= rounds / 3; id++) {
          const message = messages.request(id);
          line.send(message);
          check(message, (await line.next((received) => received.id === id)) as Json);
        }
        reached(
          'random messages of MCP, of which were rejected',
          `${(served.results + served.errors).toLocaleString('en-US')}, ${served.errors.toLocaleString('en-US')} (seed ${random.seed})`,
        );
        expect(Math.min(served.results, served.errors), JSON.stringify(served)).to.be.above(rounds / 20);
        expect((service.log as { level?: string }[]).filter(({ level }) => level === 'error')).to.deep.equal([]);
      } finally {
        await line.end();
        await service.stop();
      }
    });
  });
}
