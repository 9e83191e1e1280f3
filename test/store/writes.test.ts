import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { derivedEdgeId } from '../../src/store/record/links.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import { git, initRepository } from '../support/git.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  change,
  fileNamed,
  makeProject,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  read,
  storeWithProject,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';

describe('a write', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  it('that the journal cannot append is rolled back, newest first, and only reads continue until a restart [A.write.failed, D2.outcome-unknown]', async () => {
    await store.close();
    const disk = faultyDisk();
    store = await openStore(scratch.path, { disk });
    const item = await newItem(store, project, { title: 'Durable' });
    await store.flush();
    disk.arm({ at: 1, kind: 'error', code: 'EIO' });
    const failed = await Promise.allSettled([
      change(store, project, 'task', item.id, { title: 'Lost' }),
      change(store, project, 'task', item.id, { title: 'Lost too', owner: 'me' }),
      newItem(store, project, { title: 'Lost as well' }),
      read(store, project, 'task', item.id),
    ]);
    for (const result of failed.slice(0, 3)) {
      expect(result.status).to.equal('rejected');
      expect((result as PromiseRejectedResult).reason).to.deep.include({ code: 'unavailable' });
      expect((result as { reason: { details: unknown } }).reason.details).to.deep.equal({ outcome: 'unknown' });
    }
    expect((failed[3] as PromiseFulfilledResult<{ title: string }>).value.title).to.equal('Durable');
    expect((await store.read(project, (view) => [...view.list('task')])).map(({ title }) => title)).to.deep.equal([
      'Durable',
    ]);
    expect(await store.read(project, (view) => view.revisions(item.id))).to.deep.equal([]);
    const refused = await newItem(store, project).catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: 'unavailable' });
    store.abandon();
    store = await openStore(scratch.path);
    await newItem(store, project, { title: 'Again' });
    expect(await store.read(project, (view) => view.count('task'))).to.equal(2);
    expect(store.check()).to.deep.equal([]);
  });

  it('is not visible to a reader before it is durable [A.write.read-waits]', async () => {
    await store.close();
    const disk = faultyDisk();
    store = await openStore(scratch.path, { disk });
    const item = await newItem(store, project, { title: 'Before' });
    await store.flush();
    const order: string[] = [];
    const changing = change(store, project, 'task', item.id, { title: 'After' }).then(() => order.push('written'));
    const reading = read(store, project, 'task', item.id).then((found) => order.push(`read ${found?.title}`));
    await Promise.all([changing, reading]);
    expect(order.sort()).to.deep.equal(['read After', 'written']);
    disk.arm({ at: 1, kind: 'error', code: 'ENOSPC' });
    const lost = change(store, project, 'task', item.id, { title: 'Never' }).catch(
      (error: unknown) => (error as Error).message,
    );
    expect((await read(store, project, 'task', item.id))?.title).to.equal('After');
    expect(await lost).to.contain('journal');
  });

  it('of a burst goes to the journal alone; files are written after the burst, or when a caller waits for them [A.write.burst]', async () => {
    await store.close();
    // The gaps of a burst are the clock's, however busy the machine is.
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { clock });
    const items = await Promise.all(Array.from({ length: 30 }, () => newItem(store, project)));
    await clock.during(store.flush());
    let rounds = 0;
    const round = async (): Promise<void> => {
      const title = `Round ${++rounds}`;
      await Promise.all(items.map(({ id }) => change(store, project, 'task', id, { title })));
      await clock.pass(10);
    };
    const { written: before } = store.status();
    // The first batches are sent before the load is known.
    for (let quiet = 0, known = before; quiet < 20; quiet++) {
      await round();
      const { written } = store.status();
      if (written !== known) [quiet, known] = [0, written];
    }
    const { written } = store.status();
    for (let more = 0; more < 100; more++) await round();
    expect(store.status().written).to.equal(written);
    const flushed = store.flush();
    while (store.status().written === written) await round();
    await clock.during(flushed);
    expect(store.status().pending).to.equal(0);
    expect(store.check()).to.deep.equal([]);
    const ended = store.status().written;
    for (let more = 0; more < 50; more++) await round();
    await clock.pass(1000);
    await clock.until(() => store.status().pending === 0);
    expect(store.status().written).to.be.greaterThan(ended);
    await clock.during(store.close());
    store = await openStore(scratch.path);
  });

  it('is journaled with its author and source, the changed fields as they were [A.write.change-set]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await change(store, project, 'task', item.id, { title: 'Two' });
    await store.update(project, { author: 'agent:x', source: 'mcp' }, (tx) => tx.remove('task', item.id));
    const journal = Object.values(tree(join(scratch.path, '.planner/local/journal'))).join('');
    const bodies = journal
      .split('\n')
      .flatMap((line) =>
        line.includes('"body"') ? [(JSON.parse(line.slice(9)) as { body: Record<string, unknown> }).body] : [],
      )
      .slice(-3);
    expect(bodies[0]).to.deep.include({ author: 'human:test', source: 'rest' });
    expect((bodies[0]!['changes'] as { to: unknown }[])[0]?.to).to.deep.include({ title: 'One' });
    const [updated] = bodies[1]!['changes'] as { to: object; was: object }[];
    expect(updated?.to).to.deep.include({ title: 'Two' });
    expect(updated?.was).to.deep.include({ title: 'One' });
    expect(bodies[2]).to.deep.include({ author: 'agent:x', source: 'mcp' });
    expect((bodies[2]!['changes'] as { gone: unknown }[])[0]?.gone).to.deep.include({ title: 'Two' });
  });

  it('whose file cannot be written is parked: served, listed, further changes rejected, nothing else blocked; and written once it can be [A.write.parked, A.write.unparked, A.write.flush]', async () => {
    await store.close();
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { clock });
    const item = await newItem(store, project, { title: 'Item' });
    await clock.during(store.flush());
    // A directory where the file is to go: no permission stops root, this does.
    const page = await newPage(store, project, { title: 'Blocked' });
    mkdirSync(join(directory, `documents/Blocked.${page.id.slice(-4)}.md/x`), { recursive: true });
    await change(store, project, 'task', item.id, { owner: 'me' });
    await clock.during(store.flush());
    expect(readFileSync(fileNamed(directory, item.id), 'utf8')).to.contain('owner: me');
    const problems = await store.read(project, (view) => view.problems);
    expect(problems.map(({ kind, id }) => [kind, id])).to.deep.equal([['parked', page.id]]);
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Blocked');
    const refused = await change(store, project, 'document', page.id, { body: 'x' }).catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: 'conflict' });
    rmSync(join(directory, `documents/Blocked.${page.id.slice(-4)}.md`), { recursive: true });
    await clock.until(() => existsSync(join(directory, `documents/Blocked.${page.id.slice(-4)}.md`)));
    expect(readFileSync(join(directory, `documents/Blocked.${page.id.slice(-4)}.md`), 'utf8')).to.contain(
      'title: Blocked',
    );
    await change(store, project, 'document', page.id, { body: 'x' });
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('that is parked survives a restart and does not keep the journal from being truncated [A.write.bounded]', async () => {
    await store.close();
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { segmentBytes: 20_000, clock });
    const page = await newPage(store, project, { title: 'Blocked' });
    mkdirSync(join(directory, `documents/Blocked.${page.id.slice(-4)}.md/x`), { recursive: true });
    for (let i = 0; i < 60; i++) await newItem(store, project, { title: `Item ${i}`, text: 'x'.repeat(2000) });
    await clock.during(store.flush());
    await clock.pass(10_000);
    expect(store.status().journalBytes).to.be.lessThan(45_000);
    store.abandon();
    store = await openStore(scratch.path);
    expect((await read(store, project, 'document', page.id))?.title).to.equal('Blocked');
    expect(await store.read(project, (view) => view.count('task'))).to.equal(60);
    rmSync(join(directory, `documents/Blocked.${page.id.slice(-4)}.md`), { recursive: true });
  });

  it('gives an edge without an id a derived one that is not written, and keeps an explicit one [A.format.link-id]', async () => {
    const target = await newItem(store, project);
    const link = { to: target.id, type: 'task', label: 'l' };
    const source = await newItem(store, project, {
      links: [
        { ...link, id: undefined as never },
        { ...link, label: 'm', id: 'mine' },
      ],
    });
    const code = await store.read(project, (view) => view.code);
    expect(source.links.map(({ id }) => id)).to.deep.equal([derivedEdgeId(code, source.id, target.id, 'l'), 'mine']);
    await store.flush();
    const text = readFileSync(fileNamed(directory, source.id), 'utf8');
    expect(text).to.contain(`- {to: ${target.id}, label: l}\n`).and.to.contain('id: mine');
  });

  it('of names that differ only in case gets a file of its own [A.format.collision]', async () => {
    await newFolder(store, project, { name: 'Notes' });
    await newPage(store, project, { id: 'a_same', title: 'Same' });
    await newPage(store, project, { id: 'b_same', title: 'SAME' });
    await store.flush();
    const names = readdirSync(join(directory, 'documents'));
    expect(new Set(names.map((name) => name.toLowerCase())).size).to.equal(names.length);
    expect(names).to.have.length(4).and.to.include('.folders.json');
  });

  it('of history goes to a segment of its own process, in the order of time [A.format.segments, A.format.revision-order]', async () => {
    const item = await newItem(store, project, { title: 'v0' });
    for (let i = 1; i <= 3; i++) await change(store, project, 'task', item.id, { title: `v${i}` });
    await store.flush();
    const segments = (): string[] => Object.keys(tree(join(directory, 'history')));
    const [first = ''] = segments();
    expect(segments()).to.have.length(1);
    // Another hand appended to it: this process goes on in another file.
    const path = join(directory, 'history', first);
    writeFileSync(path, `${readFileSync(path, 'utf8')}${readFileSync(path, 'utf8').split('\n')[0]}\n`);
    await store.rescan();
    await change(store, project, 'task', item.id, { title: 'v4' });
    await store.flush();
    expect(segments()).to.have.length(2);
    const revisions = await store.read(project, (view) => view.revisions(item.id));
    expect(revisions.map(({ before }) => before['title'])).to.deep.equal(['v3', 'v2', 'v1', 'v0']);
  });

  it('of history that arrives with its record creates no second revision [A.edit.known-after]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    const before = tree(directory);
    await change(store, project, 'task', item.id, { title: 'Two' });
    await store.flush();
    const after = tree(directory);
    await store.close();
    rmSync(directory, { recursive: true });
    for (const [path, content] of Object.entries(before)) write(join(directory, path), content);
    rmSync(join(scratch.path, '.planner/local'), { recursive: true });
    store = await openStore(scratch.path);
    for (const [path, content] of Object.entries(after))
      if (before[path] !== content) write(join(directory, path), content);
    for (const path of Object.keys(before)) if (after[path] === undefined) rmSync(join(directory, path));
    await store.rescan();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Two');
    const revisions = await store.read(project, (view) => view.revisions(item.id));
    expect(revisions).to.have.length(1);
    expect(revisions[0]?.author).to.equal('human:test');
  });

  it('with the same bytes, or only a new time, publishes nothing [A.edit.echo, A.edit.hints]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    const version = await store.read(project, (view) => view.version('task'));
    const path = fileNamed(directory, item.id);
    writeFileSync(path, readFileSync(path));
    utimesSync(path, new Date(1), new Date(1));
    await store.rescan();
    expect(await store.read(project, (view) => view.version('task'))).to.equal(version);
    expect(await store.read(project, (view) => view.revisions(item.id))).to.deep.equal([]);
  });

  it('by another program is found by the periodic rescan if there is no event for it [A.edit.sweep]', async () => {
    await store.close();
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { rescanIntervalMs: 10_000, clock });
    const item = await newItem(store, project, { title: 'One' });
    await clock.during(store.flush());
    const path = fileNamed(directory, item.id);
    writeFileSync(path, readFileSync(path, 'utf8').replace('One', 'Two'));
    const title = async (): Promise<string | undefined> => (await read(store, project, 'task', item.id))?.title;
    expect(await title()).to.equal('One');
    await clock.until(async () => (await title()) === 'Two');
  });

  it('that is newer than a reload is not overwritten by it [A.edit.overtaken]', async () => {
    const item = await newItem(store, project, { title: 'v0' });
    for (let i = 1; i <= 40; i++) {
      const changed = change(store, project, 'task', item.id, { title: `v${i}` });
      await Promise.all([store.rescan(), changed, i % 4 === 0 ? store.flush() : undefined]);
      expect((await read(store, project, 'task', item.id))?.title).to.equal(`v${i}`);
    }
    await store.flush();
    expect(readFileSync(fileNamed(directory, item.id), 'utf8')).to.contain('title: v40');
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('never overwrites an unreadable file [A.edit.never-over]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const changed = change(store, project, 'task', item.id, { title: 'Two' });
    const broken = '---\n<<<<<<< ours\ntitle: A\n=======\ntitle: B\n>>>>>>> theirs\n---\n';
    writeFileSync(path, broken);
    await changed;
    await store.flush();
    await store.rescan();
    await store.flush();
    expect(readFileSync(path, 'utf8')).to.equal(broken);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Two');
    writeFileSync(path, `---\nid: ${item.id}\ntitle: One\nstatus: mended\ncreated_at: ${item.created_at}\n---\n`);
    await store.rescan();
    await store.flush();
    expect(await read(store, project, 'task', item.id)).to.deep.include({ title: 'Two', status: 'mended' });
    expect(readFileSync(fileNamed(directory, item.id), 'utf8'))
      .to.contain('title: Two')
      .and.to.contain('status: mended');
  });

  it('waits for a git operation, and a stale lock is a listed problem [A.write.git-lock, A.write.git-batch]', async () => {
    await store.close();
    initRepository(scratch.path);
    const clock = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { clock });
    const item = await newItem(store, project, { title: 'Item' });
    await clock.during(store.flush());
    git(scratch.path, 'add', '-A');
    git(scratch.path, 'commit', '--quiet', '-m', 'plan');
    const lock = join(scratch.path, '.git/index.lock');
    writeFileSync(lock, '');
    await change(store, project, 'task', item.id, { owner: 'me' });
    await clock.pass(1000);
    expect(readFileSync(fileNamed(directory, item.id), 'utf8')).not.to.contain('owner');
    const old = new Date(Date.now() - 120_000);
    utimesSync(lock, old, old);
    expect(store.status().problems.map(({ kind }) => kind)).to.deep.equal(['stale_git_lock']);
    rmSync(lock);
    await store.flush();
    expect(readFileSync(fileNamed(directory, item.id), 'utf8')).to.contain('owner: me');
    expect(store.status().problems).to.deep.equal([]);
  });

  it('of a new project is one entry with its directory, and an acknowledged deletion is completed at the next opening [A.write.add-project]', async () => {
    const second = await makeProject(store, 'Second');
    store.abandon();
    store = await openStore(scratch.path);
    expect(store.projects()).to.include(second);
    await store.flush();
    await store.deleteProject(second, meta);
    store.abandon();
    store = await openStore(scratch.path);
    expect(store.projects()).to.deep.equal([project]);
    expect(readdirSync(join(scratch.path, '.planner/projects'))).to.have.length(1);
  });
});
