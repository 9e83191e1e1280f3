import { expect } from 'chai';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { RenderThread } from '../../src/rendering/render-thread.ts';
import { Rendering } from '../../src/rendering/rendering.ts';
import { ThreadCheckpoints } from '../../src/store/files/checkpoint/checkpoint-port.ts';
import { Staging } from '../../src/store/files/checkpoint/staging.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { Journal } from '../../src/store/files/journal/journal.ts';
import { RootLock } from '../../src/store/files/lock/lock.ts';
import { meta, makeProject, newItem, openStore } from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';

const refusal = (call: () => unknown): Promise<string> =>
  Promise.try(call).then(
    () => 'done',
    (error: unknown) => (error as Error).message,
  );
const threads = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

describe('A closed object', () => {
  const scratch = scratchDirectory();
  const local = (): string => join(scratch.path, 'local');

  it('begins no thread any more, and answers with an error [A.ends.closed]', async () => {
    const before = threads();
    const writer = new ThreadCheckpoints({ root: scratch.path }, systemClock);
    const thread = new RenderThread();
    const rendering = new Rendering(systemClock);
    const job = { name: 'markdown', text: { body: '# Text' }, options: undefined } as never;
    await Promise.all([writer.close(), thread.close(), rendering.close()]);
    expect(await refusal(() => writer.run([]))).to.include('closed');
    expect(await refusal(() => writer.sync(['/a']))).to.include('closed');
    expect(await refusal(() => thread.run({ job, plain: false }))).to.include('closed');
    expect(await refusal(() => rendering.render(job, 'caller'))).to.include('shutting down');
    // Asked for before the close, and begun in a later turn.
    const late = new Rendering(systemClock);
    const asked = refusal(() => late.render(job, 'caller'));
    await late.close();
    expect(await asked).to.include('shutting down');
    expect(threads()).to.equal(before);
  });

  it('opens no file any more, and answers with an error [A.ends.closed]', async () => {
    const staging = new Staging(nodeDisk, local(), systemClock);
    let isClosed = false;
    const half = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('one');
      staging.close();
      isClosed = true;
      yield Buffer.from('two');
    };
    const open = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
    const before = open();
    await staging.put(half());
    expect([isClosed, open()]).to.deep.equal([true, before]);
    expect(await refusal(() => staging.put(half()))).to.include('closed');
    const lock = RootLock.acquire({ disk: nodeDisk, directory: local() });
    lock.release();
    expect(await refusal(() => lock.relock())).to.include('released');
    expect(await refusal(() => lock.setAddress('http://127.0.0.1:1'))).to.include('released');
    expect(existsSync(join(local(), 'lock.json'))).to.equal(false);
    const { journal } = Journal.open({ disk: nodeDisk, directory: join(local(), 'journal') });
    await journal.close();
    const after = { seq: 0, id: null };
    expect(await journal.append({ project: 'a', after, id: 'b', body: {} })).to.include({ is: 'refused' });
  });

  it('takes no change of a store, whose lock another service has by then [A.ends.closed]', async () => {
    const store = await openStore(scratch.path);
    const project = await makeProject(store);
    await store.close();
    const next = await openStore(scratch.path);
    expect(await refusal(() => newItem(store, project))).not.to.equal('done');
    expect(await refusal(() => store.createProject('Late', meta, (tx) => tx.project))).not.to.equal('done');
    expect(await refusal(() => store.stage([Buffer.from('late')] as never))).not.to.equal('done');
    expect(next.check()).to.deep.equal([]);
    await newItem(next, project);
    await next.close();
  });

  it('is each of the threads that the guarantees list [A.ends.closed]', () => {
    const text = readFileSync(join(repository, 'docs/explanation/bounds.md'), 'utf8');
    const [, section = ''] = /\n## What is opened on demand, and its end\n([^]*?)\n## /.exec(text) ?? [];
    const sources = globSync('src/**/*.ts', { cwd: repository }).filter((path) => !path.startsWith('src/web/'));
    const begun = sources.filter((path) => readFileSync(join(repository, path), 'utf8').includes('new Worker('));
    const listed = [...section.matchAll(/^\| `([a-z-]+(?:\/[a-z-]+)+\.ts)` +\|/gm)].map(([, path]) => `src/${path}`);
    expect(listed).to.include.members(begun);
    for (const path of listed) expect(sources).to.include(path);
  });
});
