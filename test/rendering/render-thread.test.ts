import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { limits } from '../../src/base/limits.ts';
import { RenderThread } from '../../src/rendering/render-thread.ts';
import type { RenderRequest } from '../../src/rendering/render-thread.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { until } from '../web/support/until.ts';
import { rarely } from '../support/rarely.ts';

const module = new URL('../../src/rendering/render-thread.ts', import.meta.url).href;
const commentOf = (text: string, plain = false): RenderRequest => ({
  job: { name: 'comment', text: { body: text }, options: null },
  plain,
});
/** Takes many times the interval of the CPU time checks in these tests, on a fast machine too. */
const heavy = commentOf(`<p>${'<a href=x>y</a> '.repeat(5000)}`);
const heavier = commentOf(`<p>${'<a href=x>y</a> '.repeat(20_000)}`);

describe('A thread that renders [A.hostile.rendering]', function () {
  this.timeout(60_000);
  const original = { ...limits };
  const scratch = scratchDirectory();
  let thread: RenderThread;
  /** The threads that were started, with whether they have ended. */
  let started: { ended: boolean }[];
  let last: Worker;
  const onWorker = (worker: Worker): void => {
    last = worker;
    const one = { ended: false };
    started.push(one);
    worker.once('exit', () => void (one.ended = true));
  };

  beforeEach(() => {
    started = [];
    Object.assign(limits, { renderCheckMs: 2 });
    process.on('worker', onWorker);
    thread = new RenderThread();
  });
  afterEach(async () => {
    process.off('worker', onWorker);
    Object.assign(limits, original);
    await thread.close();
  });

  const failure = (request: RenderRequest): Promise<unknown> =>
    thread.run(request).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );

  it('renders one text after the other, and the fallback; a failure does not end it', async () => {
    expect(await thread.run(commentOf('*a*'))).to.deep.equal({ html: '<p><em>a</em></p>' });
    expect(await thread.run(commentOf('*a*', true))).to.deep.equal({ html: '<pre>*a*</pre>' });
    expect(await failure({ ...heavy, job: { ...heavy.job, name: 'nothing' as never } })).to.include('TypeError');
    expect(await thread.run(commentOf('b'))).to.deep.equal({ html: '<p>b</p>' });
    expect(started).to.deep.equal([{ ended: false }]);
    expect(
      ['message', 'error', 'exit'].map((event) => last.listenerCount(event)),
      'its own and that of the test',
    ).to.deep.equal([0, 1, 2]);
  });

  it('rejects a text that exceeds the memory limit, and is started for the next', async () => {
    Object.assign(limits, { renderHeapMebibytesMax: 8 });
    expect(await failure(heavy)).to.match(/memory/);
    Object.assign(limits, original);
    await until(() => Promise.resolve(started[0]!.ended));
    expect(await thread.run(commentOf('b'))).to.deep.equal({ html: '<p>b</p>' });
    expect(started).to.have.length(2);
  });

  it('is ended by a text that exceeds its processor time, and started for the next', async () => {
    Object.assign(limits, { renderMs: 0 });
    expect(await failure(heavy)).to.equal('Rendering took too long.');
    Object.assign(limits, original);
    expect(await thread.run(commentOf('b'))).to.deep.equal({ html: '<p>b</p>' });
    expect(started).to.have.length(2);
    await until(() => Promise.resolve(started[0]!.ended));
    expect(await thread.run(commentOf('c'))).to.deep.equal({ html: '<p>c</p>' });
    expect(started).to.deep.equal([{ ended: true }, { ended: false }]);
  });

  rarely('counts processor time from the start of each text', async () => {
    Object.assign(limits, { renderMs: 60_000 });
    do await thread.run(heavy);
    while ((await last.cpuUsage()).user < 500_000);
    Object.assign(limits, { renderMs: 500 });
    expect(await failure(heavy)).to.equal(undefined);
  });

  it('is ended after the maximum wait, whatever its processor time', async () => {
    Object.assign(limits, { renderCheckMs: 20, renderWaitMs: 20 });
    expect(await failure(heavy)).to.equal('Rendering took too long.');
  });

  it('is not ended by a check of the text before', async () => {
    type Usage = (this: Worker) => Promise<NodeJS.CpuUsage>;
    const { prototype } = Worker as unknown as { readonly prototype: { cpuUsage: Usage } };
    const { cpuUsage } = prototype;
    const release = Promise.withResolvers<void>();
    let calls = 0;
    prototype.cpuUsage = async function () {
      const usage = await cpuUsage.call(this);
      calls++;
      await release.promise;
      return usage;
    };
    try {
      const first = failure(heavier);
      await until(() => Promise.resolve(calls > 1));
      Object.assign(limits, { renderWaitMs: 0 });
      expect(await first).to.equal('Rendering took too long.');
      Object.assign(limits, { renderWaitMs: original.renderWaitMs, renderMs: 0 });
      const second = failure(commentOf('b'));
      release.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      Object.assign(limits, { renderMs: original.renderMs });
      expect(await second).to.equal(undefined);
    } finally {
      prototype.cpuUsage = cpuUsage;
    }
  });

  it('counts wall-clock time if processor time is unknown', async () => {
    const { prototype } = Worker as unknown as { readonly prototype: { cpuUsage?: unknown } };
    const { cpuUsage } = prototype;
    try {
      prototype.cpuUsage = undefined;
      Object.assign(limits, { renderMs: 60_000 });
      expect(await failure(heavy)).to.equal(undefined);
      Object.assign(limits, { renderMs: 99 });
      expect(await failure(heavier)).to.equal('Rendering took too long.');
    } finally {
      prototype.cpuUsage = cpuUsage;
    }
  });

  it('ends when it is closed, with the text that it renders, and does not begin again [A.ends.closed]', async () => {
    const running = failure(heavy);
    await thread.close();
    expect(await running).to.equal('The thread that renders has ended.');
    expect(started).to.deep.equal([{ ended: true }]);
    await thread.close();
    expect(await failure(commentOf('b'))).to.equal('The thread that renders is closed.');
    expect(started).to.have.length(1);
  });

  it('ends when it is idle, but not during work', async () => {
    Object.assign(limits, { renderIdleMs: 300 });
    await thread.run(commentOf('a'));
    expect(await failure(heavy)).to.equal(undefined);
    expect(started).to.deep.equal([{ ended: false }]);
    await until(() => Promise.resolve(started[0]!.ended));
    expect(await thread.run(commentOf('b'))).to.deep.equal({ html: '<p>b</p>' });
    expect(started).to.have.length(2);
  });

  it('keeps a process running while it renders, and not afterwards', async () => {
    const script = `import { RenderThread } from ${JSON.stringify(module)};
      const thread = new RenderThread();
      console.log(JSON.stringify(await thread.run(${JSON.stringify(commentOf('a'))})));
      console.log(JSON.stringify(await thread.run(${JSON.stringify(commentOf('b'))})));`;
    const file = join(scratch.path, 'renders.mjs');
    writeFileSync(file, script);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: limits.renderIdleMs });
    expect(stdout).to.equal('{"html":"<p>a</p>"}\n{"html":"<p>b</p>"}\n');
  });
});
