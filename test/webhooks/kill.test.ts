import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Command } from '../support/command.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { rarely } from '../support/rarely.ts';

describe('A webhook of a service that is killed [A.feed.webhooks]', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let receiver: WebhookReceiver;
  let running: Command | undefined;
  before(async () => void (receiver = await WebhookReceiver.open()));
  afterEach(async () => {
    running?.signal('SIGKILL');
    await running?.finished;
    await receiver.close();
  });

  /** Serves the directory in a process of its own, which trusts the receiver. */
  async function serve(): Promise<RestClient> {
    const certificate = join(scratch.path, 'receiver.pem');
    writeFileSync(certificate, receiver.cert);
    const directory = join(scratch.path, 'work');
    mkdirSync(directory, { recursive: true });
    running = new Command(['serve', '--root', directory, '--port', '0'], {
      environment: {
        HOME: scratch.path,
        NODE_EXTRA_CA_CERTS: certificate,
        PLANNER_WEBHOOK_HOSTS: receiver.host,
      },
    });
    return new RestClient(/http:\/\/[^\s)]+/.exec(await running.firstLine())![0]);
  }

  rarely('misses no event and keeps their order; only an event without an answer comes twice', async () => {
    let rest = await serve();
    const { id: project } = (await rest.post('/projects', { name: 'Plan' })).body as { readonly id: string };
    await rest.post(`/projects/${project}/webhooks`, { url: receiver.url, types: ['task.created'] });
    const labels: string[] = [];
    const rounds = 2;
    for (let round = 0; round < rounds; round++) {
      const answered = 1 + round;
      receiver.answers.push(...Array.from({ length: answered }, () => ({ status: 200 })), { silent: true });
      const began = receiver.received.length;
      for (let index = 0; index <= answered + 2; index++) {
        labels.push(`task ${labels.length}`);
        await rest.post(`/projects/${project}/tasks`, { label: labels.at(-1) });
      }
      await receiver.count(began + answered + 1);
      running!.signal('SIGKILL');
      await running!.finished;
      rest = await serve();
    }
    const distinct = (): (string | null)[] => receiver.labels.filter((label, index, all) => label !== all[index - 1]);
    while (distinct().length < labels.length) await receiver.count(receiver.received.length + 1);
    expect(distinct()).to.deep.equal(labels);
    expect(receiver.received.length).to.be.at.least(labels.length + rounds);
    const repeated = receiver.received.filter(({ message }, index, all) => {
      const next = all[index + 1];
      return next !== undefined && next.message.data.cursor === message.data.cursor;
    });
    for (const one of repeated) {
      const ids = receiver.received
        .filter(({ message }) => message.data.cursor === one.message.data.cursor)
        .map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).to.equal(1);
    }
  });
});
