import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { shellTestMs } from '../cli/planner.ts';
import { Command } from '../support/command.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService, watched } from '../support/service.ts';
import { until } from '../web/support/until.ts';
import { HostedCopy } from './hosted-copy.ts';
import { KillingProxy } from './killing-proxy.ts';
import { rarely } from '../support/rarely.ts';

postgresTests('planner sync in processes', () => {
  const scratch = scratchDirectory();
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());

  rarely('is killed at any of its calls, and completed by the next one [A.nodes.sync]', async () => {
    let target = '';
    const proxy = await KillingProxy.start(() => target);
    const copy = await HostedCopy.start(cluster, scratch.path, (url) => {
      target = url;
      return proxy.url;
    });
    const path = (rest: string): string => `/projects/${copy.project}/${rest}`;
    try {
      let isDone = false;
      // Random ones, of which `random-kills.long.ts` has more.
      const every = 4;
      for (let at = Random.announced('kills').integer(0, every - 1); !isDone; at += every) {
        const { id } = await copy.there('POST', path('tasks'), { label: `Dig ${at}`, description: 'One.\n\nTwo.\n' });
        await copy.sync();
        await copy.there('PATCH', `/tasks/${id}`, { description: 'One there.\n\nTwo.\n', label: `There ${at}` });
        await copy.hereOf('update_task', { task_id: id, description: 'One.\n\nTwo here.\n', label: `Here ${at}` });
        await copy.here('create_note', { title: `Note ${at}` });
        const command = new Command(['sync'], copy.shell.options());
        proxy.killAt(at, at % (2 * every) < every ? 'after' : 'before', () => command.kill());
        isDone = (await command.finished).code === 0;
        proxy.spare();
        await copy.sync();
        const { tasks, notes, revisions } = JSON.parse(await copy.requireEqual());
        const merged = tasks.find((one: { id: string }) => one.id === id);
        expect(merged).to.deep.include({ label: `Here ${at}`, description: 'One there.\n\nTwo here.\n' });
        expect(notes.filter(({ title }: { title: string }) => title === `Note ${at}`)).to.have.length(1);
        const kept = revisions.filter(
          ({ target: of, author }: Record<string, string>) => of === id && author === 'system',
        );
        expect(kept.map(({ before }: { before: object }) => before)).to.deep.equal([{ label: `There ${at}` }]);
      }
    } finally {
      await copy.stop();
      await proxy.stop();
    }
  });

  it('goes on with --watch while either side changes, and after the hosted project was away [A.nodes.sync]', async () => {
    let target = '';
    let proxy = await KillingProxy.start(() => target);
    const copy = await HostedCopy.start(cluster, scratch.path, (url) => {
      target = url;
      return proxy.url;
    });
    expect(await copy.shell.refused(1, ['sync', '--watch'])).to.include('planner serve');
    const service = await TestService.start({ directory: copy.shell.directory, ...watched });
    const command = new Command(['sync', '--watch', '--json'], copy.shell.options());
    try {
      const { id } = await copy.there('POST', `/projects/${copy.project}/tasks`, { label: 'Dig' });
      const first = JSON.parse(await command.firstLine());
      expect(first).to.deep.include({ came: 1, project_id: copy.project });
      await until(async () => (await service.rest.get(`/tasks/${id}`)).status === 200);
      await service.store.flush();
      const file = copy.fileNamed('dig.');
      writeFileSync(file, '---\nid: ' + id + '\nlabel: Dig deep\n---\n');
      await until(async () => (await copy.rest.get(`/tasks/${id}`)).body.label === 'Dig deep');
      await proxy.stop();
      await service.rest.patch(`/tasks/${id}`, { priority: 'high' });
      await copy.there('PATCH', `/tasks/${id}`, { assignee: 'Ada' });
      proxy = await KillingProxy.start(() => target, Number(new URL(proxy.url).port));
      await until(async () => (await copy.rest.get(`/tasks/${id}`)).body.priority === 'high');
      await until(async () => (await service.rest.get(`/tasks/${id}`)).body.assignee === 'Ada');
    } finally {
      await command.kill();
      await service.stop();
      await copy.stop();
      await proxy.stop();
    }
  }).timeout(shellTestMs);
});
