import { expect } from 'chai';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type Fault, type FaultyDisk, faultyDisk } from '../support/faulty-disk.ts';
import { git, initRepository } from '../support/git.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  makePageProject,
  openPageStore,
  type PageStore,
  type Picture,
  pictureBytes,
  putPicture,
  putScreen,
  sha256Of,
} from '../support/page-store.ts';
import { meta, projectDirectory, remove, tree, write } from '../support/plan-store.ts';
import { quickClock } from '../support/quick-clock.ts';
import { Random, roundsOf } from '../support/random.ts';
import { bytesOf } from '../support/bytes-of.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('Attachments', () => {
  let store: PageStore;
  afterEach(() => store.close());
  const scratch = scratchDirectory();
  let project: string;
  let directory: string;

  beforeEach(async () => {
    store = await openPageStore(scratch.path);
    project = await makePageProject(store);
    await store.flush();
    directory = projectDirectory(scratch.path);
  });

  const files = (): string[] => Object.keys(tree(join(directory, 'files'))).sort();
  const staged = (): string[] => Object.keys(tree(join(scratch.path, '.planner/local/bytes')));
  const kinds = async (): Promise<string[]> =>
    (await store.read(project, (view) => [...view.problems])).map(({ kind }) => kind);

  async function reopen(
    work: () => void = () => undefined,
    { crash = false, ...options }: { readonly crash?: boolean; readonly clock?: Clock } = {},
  ): Promise<void> {
    if (crash) store.abandon();
    else await store.close();
    work();
    store = await openPageStore(scratch.path, options);
  }

  it('are readable once acknowledged, and are stored next to the record with their own extension [A.bytes.read, A.bytes.place]', async () => {
    const content = Buffer.from('\x89PNG \xff\x00 bytes', 'latin1');
    const { id } = await putPicture(store, project, content);
    expect(await pictureBytes(store, project, id)).to.deep.equal(content);
    await store.flush();
    expect(files()).to.deep.equal([`logo-png.${id}.json`, `logo-png.${id}.png`]);
    expect(readFileSync(join(directory, `files/logo-png.${id}.png`))).to.deep.equal(content);
    expect(await pictureBytes(store, project, id)).to.deep.equal(content);
    const bytes = await store.read(project, (view) => view.bytes('file', id)!);
    expect((await bytesOf(bytes.pieces(1, 4))).toString()).to.equal('PNG');
    await reopen();
    expect(await pictureBytes(store, project, id)).to.deep.equal(content);
    expect(store.check()).to.deep.equal([]);
  });

  it("are never stored at a record's path, whatever their name [A.bytes.place]", async () => {
    const names = ['data.json', 'DATA.JSON', 'none', 'a.b.c', 'x.tar.gz', 'y.ü', `${'z'.repeat(250)}.svg`, '.json'];
    const records = [];
    for (const name of names)
      records.push(await putPicture(store, project, `{"id": "fil_x", "name": "${name}"}`, name));
    await store.flush();
    expect(files()).to.have.length(2 * names.length);
    expect(files().filter((name) => name.endsWith('.json'))).to.have.length(names.length);
    await reopen();
    expect(await store.read(project, (view) => view.count('file'))).to.equal(names.length);
    for (const { id, filename } of records)
      expect((await pictureBytes(store, project, id)).toString()).to.contain(JSON.stringify(filename).slice(1, -1));
    expect(store.check()).to.deep.equal([]);
  });

  it('can be referenced only if they are stored [A.bytes.durable]', async () => {
    const missing = { sha256: sha256Of('never uploaded'), size: 16 };
    const attempt = store.update(project, meta, (tx) =>
      tx.put('file', { id: tx.newId('file'), created_at: tx.now, filename: 'x.png', ...missing }),
    );
    await attempt.then(
      () => expect.fail('It was taken.'),
      (error: unknown) => expect((error as Error).message).to.contain('are not stored'),
    );
    expect(await store.read(project, (view) => view.count('file'))).to.equal(0);
  });

  it('leave no bytes if their stream fails, and are removed if no record references them [A.bytes.sweep]', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one');
      throw new Error('gone');
    }
    await store.stage(broken()).then(
      () => expect.fail('It was taken.'),
      (error: unknown) => expect((error as Error).message).to.equal('gone'),
    );
    expect(staged()).to.deep.equal([]);
    await store.stage([Buffer.from('orphan')]);
    expect(staged()).to.have.length(1);
    await putPicture(store, project, 'kept');
    await reopen(() => undefined, { crash: true });
    expect(staged()).to.deep.equal([sha256Of('kept')]);
    await store.flush();
    await reopen();
    expect(staged()).to.deep.equal([]);
  });

  it('stay staged during a git operation, and are served [A.bytes.git]', async () => {
    initRepository(scratch.path);
    git(scratch.path, 'commit', '--allow-empty', '-q', '-m', 'first');
    const clock = new ManualClock(systemClock.now());
    await reopen(() => undefined, { clock });
    const lock = join(scratch.path, '.git/index.lock');
    writeFileSync(lock, '');
    const { id } = await putPicture(store, project, 'while git works');
    await clock.pass(1000);
    expect(files()).to.deep.equal([]);
    expect((await pictureBytes(store, project, id)).toString()).to.equal('while git works');
    // An opening waits some seconds for a command of git.
    await reopen(() => undefined, { crash: true, clock: quickClock });
    expect((await pictureBytes(store, project, id)).toString()).to.equal('while git works');
    rmSync(lock);
    await store.flush();
    expect(files()).to.have.length(2);
    expect(store.check()).to.deep.equal([]);
  });

  it('that are missing or changed are a listed problem until they are restored [A.bytes.problem]', async () => {
    const { id } = await putPicture(store, project, 'right');
    await store.flush();
    const path = join(directory, `files/logo-png.${id}.png`);
    // The first opening sweeps the staging, from which they would be given their place again.
    await reopen();
    await reopen(() => renameSync(path, join(scratch.path, 'away')));
    expect(await kinds()).to.deep.equal(['missing_bytes']);
    const refusal = await pictureBytes(store, project, id).catch((error: unknown) => error);
    expect(refusal).to.deep.include({ code: 'conflict' });
    renameSync(join(scratch.path, 'away'), path);
    await store.rescan();
    expect(await kinds()).to.deep.equal([]);
    writeFileSync(path, 'wrong');
    await store.rescan();
    expect(await kinds()).to.deep.equal(['changed_bytes']);
    writeFileSync(path, 'longer than it was');
    await store.rescan();
    expect(await kinds()).to.deep.equal(['changed_bytes']);
    writeFileSync(path, 'right');
    await store.rescan();
    expect((await pictureBytes(store, project, id)).toString()).to.equal('right');
    expect(store.check()).to.deep.equal([]);
  });

  it('are verified completely by the check and before the first read, even if size and time are unchanged [A.bytes.problem]', async () => {
    const { id } = await putPicture(store, project, 'right');
    await store.flush();
    const path = join(directory, `files/logo-png.${id}.png`);
    await reopen(() => {
      const { mtime } = statSync(path);
      writeFileSync(path, 'wrong');
      utimesSync(path, mtime, mtime);
    });
    expect(await kinds()).to.deep.equal([]);
    expect(store.check().map(({ kind }) => kind)).to.deep.equal(['changed_bytes']);
    expect(await pictureBytes(store, project, id).catch(() => 'refused')).to.equal('refused');
  });

  it('may get another extension from a person, or be renamed with their record [A.bytes.place]', async () => {
    const { id } = await putPicture(store, project, 'mine');
    await store.flush();
    await reopen(() => {
      renameSync(join(directory, `files/logo-png.${id}.json`), join(directory, 'files/brand.json'));
      renameSync(join(directory, `files/logo-png.${id}.png`), join(directory, 'files/brand.jpeg'));
    });
    expect((await pictureBytes(store, project, id)).toString()).to.equal('mine');
    expect(store.check()).to.deep.equal([]);
  });

  it("wait if a person's file is at their path [A.bytes.place]", async () => {
    const path = join(directory, 'files');
    const disk = hookedDisk({
      link: (_, to) => write(to, 'a note'),
    });
    await store.close();
    store = await openPageStore(scratch.path, { disk, parkedRetryMs: 10_000 });
    const { id } = await putPicture(store, project, 'bytes');
    await store.flush();
    expect(await kinds()).to.deep.equal(['parked']);
    expect((await pictureBytes(store, project, id)).toString()).to.equal('bytes');
    expect(readFileSync(join(path, `logo-png.${id}.png`), 'utf8')).to.equal('a note');
    await reopen(() => rmSync(join(path, `logo-png.${id}.png`)));
    await store.flush();
    expect(store.check()).to.deep.equal([]);
  });

  it('are copied if the file system has no hard links [A.bytes.place]', async () => {
    const disk = hookedDisk({
      link: () => {
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      },
    });
    await store.close();
    store = await openPageStore(scratch.path, { disk });
    const { id } = await putPicture(store, project, 'copied');
    await store.flush();
    expect(readFileSync(join(directory, `files/logo-png.${id}.png`), 'utf8')).to.equal('copied');
  });

  it('survive the removal of local/ while the service runs [A.bytes.local-gone]', async function () {
    this.timeout(60_000);
    initRepository(scratch.path);
    git(scratch.path, 'commit', '--allow-empty', '-q', '-m', 'first');
    const clock = new ManualClock(systemClock.now());
    await reopen(() => undefined, { clock });
    const lock = join(scratch.path, '.git/index.lock');
    writeFileSync(lock, '');
    const { id } = await putPicture(store, project, 'held open');
    remove(join(scratch.path, '.planner/local'));
    rmSync(lock);
    await clock.until(() => files().length === 2);
    expect((await pictureBytes(store, project, id)).toString()).to.equal('held open');
    expect(files()).to.have.length(2);
  });

  it('are moved next to their record again after a power failure undid that [A.bytes.durable]', async () => {
    const { id } = await putPicture(store, project, 'again');
    await store.flush();
    await reopen(() => rmSync(join(directory, `files/logo-png.${id}.png`)), { crash: true });
    await store.flush();
    expect(files()).to.have.length(2);
    expect(store.check()).to.deep.equal([]);
  });
});

describe('A copied project', () => {
  let store: PageStore;
  afterEach(() => store.close());
  const scratch = scratchDirectory();

  it('gets new ids in records and names, and its attachments stay unchanged [A.edit.two-projects, A.bytes.place]', async () => {
    store = await openPageStore(scratch.path);
    const project = await makePageProject(store);
    const { id: page } = await putScreen(store, project, { title: 'Page', content: '<p>' });
    const text = `{"id": "${page}", "sha256": "x"}\n`;
    const uploads: Picture[] = [];
    for (const name of ['a.html', 'b.json', 'c.md']) uploads.push(await putPicture(store, project, text + name, name));
    await store.flush();
    const directory = projectDirectory(scratch.path);
    await store.close();
    cpSync(directory, `${directory}-copy`, { recursive: true });
    store = await openPageStore(scratch.path);
    expect((await store.repair()).join(' ')).to.contain('with ids of its own');
    expect(store.check()).to.deep.equal([]);
    const [copy] = store.projects().filter((id) => id !== project);
    await store.read(copy!, (view) => {
      expect([...view.list('artifact')].map(({ id, kind }) => [id === page, kind])).to.deep.equal([[false, 'html']]);
      const contents = [...view.list('file')].map(({ id }) => Buffer.from(view.bytes('file', id)!.whole()).toString());
      expect(contents.sort()).to.deep.equal(uploads.map(({ filename }) => text + filename).sort());
    });
  });
});

/** Every so many calls, from anywhere on: the long run of test/crash lets calls of uploads fail in many more ways. */
const stride = roundsOf(9);

describe('Attachments on a failing disk', function () {
  this.timeout(120_000);
  const random = Random.announced('attachments');

  interface Known {
    readonly acknowledged: Map<string, string>;
    project?: string;
  }

  async function attempt(directory: string, disk: FaultyDisk): Promise<Known> {
    const known: Known = { acknowledged: new Map() };
    let store: PageStore | undefined;
    try {
      store = await openPageStore(directory, { disk });
      known.project = await makePageProject(store);
      for (const content of ['first', 'second']) {
        const { id } = await putPicture(store, known.project, content, `${content}.png`);
        known.acknowledged.set(id, content);
        await store.flush();
      }
      const { id } = await putPicture(store, known.project, 'third', 'third.json');
      known.acknowledged.set(id, 'third');
      await store.close();
    } catch {
      store?.abandon();
    }
    disk.closeAll();
    return known;
  }

  const faults: readonly { readonly name: string; readonly fault: (at: number) => Fault }[] = [
    { name: 'dies', fault: (at) => ({ at, kind: 'stop' }) },
    { name: 'dies in the middle of a write', fault: (at) => ({ at, kind: 'stop', torn: 'half' }) },
    { name: 'fails with EIO', fault: (at) => ({ at, kind: 'error', code: 'EIO' }) },
    { name: 'is full', fault: (at) => ({ at, kind: 'short' }) },
  ];
  for (const { name, fault } of faults) {
    it(`at any call (${name}) are complete with every acknowledged record [A.crash.calls, A.bytes.durable]`, async () => {
      for (let at = random.integer(1, stride); ; at += stride) {
        const directory = mkdtempSync(join(tmpdir(), 'planner-bytes-'));
        try {
          const disk = faultyDisk({ fault: fault(at) });
          const known = await attempt(directory, disk);
          const store = await openPageStore(directory);
          try {
            await store.flush();
            await store.rescan();
            expect(store.check(), `${name} at call ${at}`).to.deep.equal([]);
            for (const [id, content] of known.acknowledged)
              expect((await pictureBytes(store, known.project!, id)).toString(), `${name} at call ${at}`).to.equal(
                content,
              );
            for (const record of known.project === undefined || !store.projects().includes(known.project)
              ? []
              : await store.read(known.project, (view) => [...view.list('file')]))
              expect(sha256Of(await pictureBytes(store, known.project!, record.id))).to.equal(record.sha256);
          } finally {
            await store.close();
          }
          const temporary = join(directory, '.planner/local/bytes');
          const left = existsSync(temporary) ? readdirSync(temporary).filter((one) => one.endsWith('.tmp')) : [];
          expect(left, `${name} at call ${at}`).to.deep.equal([]);
          if (!disk.fired) break;
        } finally {
          rmSync(directory, { recursive: true, force: true });
        }
      }
    });
  }
});
