import { connect } from 'node:net';
import { expect } from 'chai';
import { isPublicAddress } from '../../src/domain/feed/webhook-addresses.ts';
import type { Webhook, WebhookDelivery } from '../../src/schema/types.ts';
import type { Address } from '../../src/webhooks/post.ts';
import { TestService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { rarely } from '../support/rarely.ts';

describe('The addresses that webhooks call [A.feed.webhooks.addresses]', () => {
  it('are public ones', () => {
    const open = ['1.1.1.1', '8.8.8.8', '172.32.0.1', '192.169.0.1', '223.255.255.255', '2606:4700::1', '2a00:1450::1'];
    expect(open.filter((address) => !isPublicAddress(address))).to.deep.equal([]);
    const closed = [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1'],
      ...['172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1', '203.0.113.1', '224.0.0.1', '255.255.255.255'],
      // Loopback, unspecified, mapped, translated, Teredo, 6to4, unique-local, link-local, multicast, documentation.
      ...[
        '::1',
        '::',
        '::ffff:127.0.0.1',
        '::ffff:8.8.8.8',
        '64:ff9b::7f00:1',
        '64:ff9b:1::1',
        '2001::1',
        '2002:7f00:1::',
      ],
      ...['fc00::1', 'fd12::1', 'fe80::1', 'ff02::1', '2001:db8::1', '::127.0.0.1', 'localhost', ''],
    ];
    expect(closed.filter(isPublicAddress)).to.deep.equal([]);
  });

  describe('at a service', () => {
    let receiver: WebhookReceiver;
    let service: TestService;
    let project: string;
    let resolved: string[];
    /** The next answers of the resolver; the last one is repeated. */
    let answers: Address[][];
    const name = 'hooks.example.test';
    const loopback: Address = { address: '127.0.0.1', family: 4 };
    const elsewhere: Address = { address: '192.0.2.1', family: 4 };

    beforeEach(async () => {
      receiver = await WebhookReceiver.open(name);
      resolved = [];
      answers = [[loopback]];
      service = await TestService.start({ resolveHost });
      project = await service.project();
    });
    afterEach(async () => {
      await service.stop();
      await receiver.close();
    });

    function resolveHost(host: string): Promise<readonly Address[]> {
      resolved.push(host);
      return Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0]!);
    }

    const create = (url: string): ReturnType<TestService['rest']['post']> =>
      service.rest.post(`/projects/${project}/webhooks`, { url });

    async function delivered(url: string): Promise<WebhookDelivery> {
      const { status, body } = await create(url);
      expect(status, JSON.stringify(body)).to.equal(201);
      await service.rest.post(`/projects/${project}/tasks`, { label: 'one' });
      for (;;) {
        const path = `/webhooks/${(body as Webhook).id}/deliveries`;
        const [first] = ((await service.rest.get(path)).body as { deliveries: WebhookDelivery[] }).deliveries;
        if (first !== undefined) return first;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }

    it('are refused when the webhook is created, if the URL has one', async () => {
      const urls = [
        ...['http://example.org/', 'ftp://example.org/', 'https://', 'nothing', 'https://user:pass@example.org/'],
        ...[
          'https://user@example.org/',
          'https://127.0.0.1/',
          'https://10.0.0.1/',
          'https://2130706433/',
          'https://0x7f.1/',
        ],
        ...[
          'https://[::1]/',
          'https://[::ffff:127.0.0.1]/',
          'https://[fd00::1]/',
          'https://localhost/',
          'https://a.localhost./',
        ],
        'https://169.254.169.254/latest/meta-data',
      ];
      for (const url of urls) {
        const { status, body } = await create(url);
        expect([status, (body as { field?: string }).field], url).to.deep.equal([400, 'url']);
      }
      expect(resolved).to.deep.equal([]);
    });

    it('are refused at each delivery if the name has one that is not public', async () => {
      const byName = `https://${name}:${receiver.port}/hook`;
      for (const all of [[loopback], [{ address: '8.8.8.8', family: 4 }, loopback], [{ address: '::1', family: 6 }]]) {
        answers = [all];
        const { status, error } = await delivered(byName);
        expect(status).to.equal(null);
        expect(error).to.include('which is not public');
      }
      expect(receiver.received).to.deep.equal([]);
    });

    it('are the checked ones, whatever the name means a moment later', async () => {
      // Only the first answer is right: a second look-up would lead elsewhere.
      answers = [[loopback], [elsewhere]];
      await service.restart({ webhookHosts: { allowed: new Set([name]) } });
      expect(await delivered(`https://${name}:${receiver.port}/hook`)).to.include({ status: 204 });
      expect(resolved).to.deep.equal([name]);
      expect(receiver.received[0]!.headers.host).to.equal(`${name}:${receiver.port}`);
    });

    it('are allowed for a host with its port, and for no other port', async () => {
      await service.restart({ webhookHosts: { allowed: new Set(['127.0.0.1:1', `${name}:${receiver.port}`]) } });
      expect((await create(`https://127.0.0.1:${receiver.port}/`)).status).to.equal(400);
      expect((await create('https://127.0.0.1:1/')).status).to.equal(201);
      expect(await delivered(`https://${name}:${receiver.port}/hook`)).to.include({ status: 204 });
    });

    rarely(
      'fail the delivery alone if the connection fails in the turn in which it begins [A.feed.webhooks.retry]',
      async () => {
        await service.restart({ webhookHosts: { allowed: new Set([name]) } });
        // Nothing can be connected to these: the system reports it immediately.
        for (const address of ['224.0.0.1', '255.255.255.255']) {
          const socket = connect({
            host: name,
            port: 1,
            lookup: (_, __, found) => found(null, [{ address, family: 4 }]),
          });
          socket.on('error', () => undefined);
          expect(socket.destroyed, 'it fails in the same turn').to.equal(true);
          answers = [[{ address, family: 4 }]];
          const { status, error } = await delivered(`https://${name}:${receiver.port}/hook`);
          expect([status, error]).to.satisfy(
            ([first, second]: unknown[]) => first === null && /^connect E/.test(String(second)),
          );
        }
      },
    );

    it('have to prove the name by a certificate', async () => {
      await service.restart({ webhookHosts: { allowed: new Set(['other.example.test']) } });
      const { status, error } = await delivered(`https://other.example.test:${receiver.port}/hook`);
      expect(status).to.equal(null);
      expect(error).to.include('ERR_TLS_CERT_ALTNAME_INVALID');
      expect(receiver.received).to.deep.equal([]);
    });
  });
});
