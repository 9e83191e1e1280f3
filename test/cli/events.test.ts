import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

interface Shown {
  readonly type: string;
  readonly cursor: string;
  readonly resource: { readonly label: string };
}

describe('planner events [A.feed.command]', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  beforeEach(() => (shell = new Shell(scratch.path)));

  it('lists changes without a service, from any cursor', async () => {
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name":"Shop"}']);
    const { task } = await shell.json(['task', 'add', 'Take payments']);
    await shell.ok(['done', task.id]);
    const { events, more } = (await shell.json(['events', '--types', 'task'])) as { events: Shown[]; more: boolean };
    expect([events.map(({ type }) => type), more]).to.deep.equal([
      ['task.created', 'task.updated', 'task.done'],
      false,
    ]);
    expect(await shell.ok(['events', '--types', 'task.done'])).to.match(
      /^2\d{3}-\d\d-\d\d \d\d:\d\d {2}\S.* finished "Take payments"\n$/,
    );
    const later = await shell.json(['events', '--since', events[0]!.cursor, '--count', '1']);
    expect([later.events[0].type, later.more]).to.deep.equal(['task.updated', true]);
    expect((await shell.json(['events', '--all', '--types', 'project'])).events).to.have.length(1);
    expect(await shell.refused(1, ['events', '--follow'])).to.include('planner serve');
    expect(await shell.refused(2, ['events', '--since', 'zz-1'])).to.include('cursor');
  });

  it('lists the newest events, oldest first, without a cursor', async () => {
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name":"Shop"}']);
    for (const label of ['One', 'Two', 'Three']) await shell.ok(['task', 'add', label]);
    const { events } = (await shell.json(['events', '--types', 'task'])) as { events: Shown[] };
    const newest = (await shell.json(['events', '--types', 'task', '--count', '2'])) as {
      events: Shown[];
      more: boolean;
    };
    expect(newest.events).to.deep.equal(events.slice(1));
    expect(newest.more).to.equal(false);
    const failing = ['events', '--types', 'task', '--exec', 'if grep -q Three; then exit 3; fi'];
    expect(await shell.refused(1, failing)).to.include(`again with --since ${events[1]!.cursor};`);
  });

  it('refuses types that do not exist, as webhooks do, and proposes existing ones', async () => {
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name":"Shop"}']);
    expect(await shell.refused(2, ['events', '--types', 'task,tasks']))
      .to.include('There are no events of the type "tasks". Did you mean "task"')
      .and.include('task (claimed, released, unblocked, done, stale, created');
    const hook = ['webhooks', 'create', 'https://example.com/', '--types', 'task.finished'];
    expect(await shell.refused(2, hook)).to.include('no events of the type "task.finished"');
    for (const types of ['task.done', 'problem', 'problem.found,project']) await shell.ok(['events', '--types', types]);
  });

  it('lists the deletion of a project, and passes it to a command [A.feed.deleted]', async () => {
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name":"Kept"}']);
    const { project } = await shell.json(['call', 'create_project', '{"name":"Shop"}']);
    const { cursor } = await shell.json(['events', '--all', '--since', 'now']);
    const service = await TestService.start({ directory: shell.directory });
    await service.rest.delete(`/projects/${project.id}`);
    await service.stop();
    const since = ['events', '--all', '--since', cursor as string];
    const { events, cursor: next } = (await shell.json(since)) as { events: Shown[]; cursor: string };
    expect(events.map(({ type, resource }) => [type, resource.label])).to.deep.equal([['project.deleted', 'Shop']]);
    expect(await shell.ok(since)).to.match(/ deleted the project "Shop"\n$/);
    await shell.ok([...since, '--exec', 'cat > gone']);
    expect(JSON.parse(readFileSync(join(shell.directory, 'gone'), 'utf8'))).to.deep.equal(events[0]);
    expect((await shell.json(['events', '--all', '--since', next])).events).to.deep.equal([]);
  });

  it('follows a service across its restart, and runs a command for each event', async () => {
    const service = await TestService.start({ directory: shell.directory });
    try {
      const project = await service.project('Shop');
      const { headers } = await service.rest.get(`/projects/${project}/tasks`);
      const since = headers.get('x-planner-cursor')!;
      const { port } = new URL(service.url);
      const following = shell.run([
        'events',
        '--follow',
        '--json',
        '--since',
        since,
        '--types',
        'task',
        '--count',
        '3',
      ]);
      const add = (label: string): Promise<unknown> => service.rest.post(`/projects/${project}/tasks`, { label });
      await add('one');
      // The command has begun: a command that begins while no service runs opens the files itself, and cannot follow.
      while (!JSON.stringify(service.log).includes('/call/:operation'))
        await new Promise((next) => setTimeout(next, 10));
      await service.restart({ port: Number(port) });
      await add('two $(touch here)');
      await add('three');
      const { code, output } = await following;
      expect(code).to.equal(0);
      const events = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Shown);
      expect(events.map(({ resource }) => resource.label)).to.deep.equal(['one', 'two $(touch here)', 'three']);
      await shell.ok([
        'events',
        '--follow',
        '--since',
        since,
        '--types',
        'task',
        '--count',
        '3',
        '--exec',
        'cat >> seen',
      ]);
      const seen = readFileSync(join(shell.directory, 'seen'), 'utf8').trimEnd().split('\n');
      expect(seen.map((line) => JSON.parse(line) as Shown)).to.deep.equal(events);
      expect(await shell.refused(1, ['events', '--since', since, '--exec', 'exit 3'])).to.include('ended with 3');
    } finally {
      await service.stop();
    }
  });
});
