import { expect } from 'chai';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner webhooks', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let receiver: WebhookReceiver;
  let service: TestService | undefined;
  before(async () => void (receiver = await WebhookReceiver.open()));
  after(async () => {
    await service?.stop();
    await receiver.close();
  });

  it('creates, lists, pauses, resumes and deletes webhooks, and delivers again [A.feed.webhooks, A.feed.webhooks.deliveries]', async () => {
    const shell = new Shell(scratch.path, { PLANNER_WEBHOOK_HOSTS: `example.org, ${receiver.host}` });
    const made = await TestService.start({ directory: shell.directory });
    const project = await made.project();
    await made.stop();
    expect(await shell.ok(['webhooks'])).to.equal('No webhooks.\n');
    expect(await shell.refused(1, ['webhooks', 'create', 'https://127.0.0.1:1/'])).to.include('PLANNER_WEBHOOK_HOSTS');
    // No service runs: events until one starts are delivered then.
    const secret = await shell.ok(['webhooks', 'create', receiver.url, '--types', 'task.created, task.done']);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
    await shell.ok(['call', 'create_task', JSON.stringify({ project_id: project, label: 'One' })]);
    const listed = await shell.ok(['webhooks', 'list']);
    expect(listed)
      .to.match(/^whk_\w+ {2}active {4}https:\S+ {2}task.created,task.done\n$/)
      .and.not.to.include(secret.trim());
    const id = listed.split(' ')[0]!;
    service = await TestService.start({
      directory: shell.directory,
      webhookHosts: { allowed: new Set([receiver.host]) },
    });
    await receiver.count(1);
    expect(receiver.labels).to.deep.equal(['One']);
    while ((await shell.ok(['webhooks', 'deliveries', id])) === 'No deliveries.\n');
    const { deliveries } = (await shell.json(['webhooks', 'deliveries', id])) as { deliveries: { id: string }[] };
    expect(await shell.ok(['webhooks', 'pause', id])).to.equal(`${id} is paused.\n`);
    expect(await shell.ok(['webhooks']))
      .to.include('paused')
      .and.to.include('requested');
    await shell.ok(['webhooks', 'redeliver', id, deliveries[0]!.id]);
    await receiver.count(2);
    expect(receiver.labels).to.deep.equal(['One', 'One']);
    await shell.ok(['webhooks', 'resume', id]);
    expect(await shell.ok(['webhooks', 'delete', id])).to.equal(`${id} is deleted.\n`);
    expect(await shell.ok(['webhooks'])).to.equal('No webhooks.\n');
  });
});
