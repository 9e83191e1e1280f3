import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import type { RenderJob } from '../../src/domain/text/renderers.ts';
import { limits } from '../../src/base/limits.ts';
import { Rendering } from '../../src/rendering/rendering.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { until } from '../web/support/until.ts';
import { rarely } from '../support/rarely.ts';

const commentOf = (body: string): RenderJob => ({ name: 'comment', text: { body }, options: null });
/** Takes many times the interval of the CPU time checks in these tests, on a fast machine too. */
const heavyText = `<p>${'<a href=x>y</a> '.repeat(12_000)}`;

describe('Rendering in threads [A.hostile.rendering]', function () {
  this.timeout(60_000);
  const original = { ...limits };
  let clock: ManualClock;
  let rendering: Rendering;
  /** The threads that run. */
  let threads: Set<Worker>;
  const onWorker = (worker: Worker): void => {
    threads.add(worker);
    worker.once('exit', () => threads.delete(worker));
  };

  beforeEach(() => {
    threads = new Set();
    Object.assign(limits, { renderCheckMs: 2 });
    process.on('worker', onWorker);
    clock = new ManualClock();
    rendering = new Rendering(clock);
  });
  afterEach(async () => {
    process.off('worker', onWorker);
    Object.assign(limits, original);
    await rendering.close();
  });

  /** The HTML of a comment, or the code of the error. */
  const shown = async (job: RenderJob, from = 'a'): Promise<unknown> => {
    try {
      return ((await rendering.render(job, from)) as { html: string }).html;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('renders two texts at a time and the others after them, also 64 together [A.hostile.starts]', async () => {
    const texts = Array.from({ length: 64 }, (_, at) => `a${at}`);
    const rendered = await Promise.all(texts.map((text) => shown(commentOf(`*${text}*`))));
    expect(rendered).to.deep.equal(texts.map((text) => `<p><em>${text}</em></p>`));
    expect(threads.size).to.equal(2);
    expect(await shown(commentOf('f'))).to.equal('<p>f</p>');
    expect(threads.size).to.equal(2);
  });

  rarely('keeps rendered texts, by the hash of the text', async () => {
    const html = await shown(commentOf(heavyText));
    // Nothing is rendered after closing: later results come from the cache.
    await rendering.close();
    expect(await shown(commentOf(heavyText))).to.equal(html);
    const sha256 = createHash('sha256').update(heavyText).digest('hex');
    expect(await shown({ ...commentOf('not read'), text: { body: 'not read', sha256 } })).to.equal(html);
    expect(await shown(commentOf(`${heavyText}!`))).to.equal('unavailable');
  });

  it('keeps one text as rendered by each renderer and its options', async () => {
    const text = { body: '[a](/api/v1/projects)' };
    const pageAt = (baseUrl: string): Promise<unknown> =>
      rendering.render({ name: 'sharedText', text, options: { baseUrl, token: 't', files: [] } }, 'a');
    expect(await rendering.render({ name: 'artifact', text, options: null }, 'a')).to.not.include('https:');
    expect(await pageAt('https://a.example')).to.include('"https://a.example/api/v1/projects"');
    expect(await pageAt('https://b.example')).to.include('"https://b.example/api/v1/projects"');
  });

  rarely('tries a text that took too long again after a minute, and not before', async () => {
    // An artifact's fallback takes a thirtieth of the processor time of its rendering; a comment's takes a sixth.
    const heavy: RenderJob = { name: 'artifact', text: { body: heavyText }, options: null };
    Object.assign(limits, { renderMs: 50 });
    expect(await rendering.render(heavy, 'a')).to.match(/^<pre>/);
    Object.assign(limits, { renderMs: original.renderMs });
    clock.advance(limits.renderRetryMs - 1);
    expect(await rendering.render(heavy, 'a')).to.match(/^<pre>/);
    clock.advance(1);
    expect(await rendering.render(heavy, 'a')).to.match(/^<p><a href/);
  });

  it('renders a text once for all that wait for it, and rejects a request if the queue is full', async () => {
    Object.assign(limits, { rendersQueuedMax: 1 });
    rendering = new Rendering(clock);
    const running = ['a', 'b'].map((text) => shown(commentOf(text)));
    const queued = [shown(commentOf('c')), shown(commentOf('c')), shown(commentOf('a'), 'b')];
    const refused = await rendering.render(commentOf('d'), 'b').catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: 'rate_limited', details: { retry_after: 5 } });
    expect(await Promise.all([...running, ...queued])).to.deep.equal(
      ['a', 'b', 'c', 'c', 'a'].map((text) => `<p>${text}</p>`),
    );
    expect(await shown(commentOf('d'), 'b')).to.equal('<p>d</p>');
  });

  it('rejects running, queued and further requests when it is closed, and ends its threads', async () => {
    const requests = ['a', 'b', 'c'].map((text) => shown(commentOf(text + heavyText)));
    await until(() => Promise.resolve(threads.size === 2));
    await rendering.close();
    expect(threads.size).to.equal(0);
    expect(await Promise.all(requests)).to.deep.equal(['unavailable', 'unavailable', 'unavailable']);
    expect(await shown(commentOf('d'))).to.equal('unavailable');
    expect(threads.size).to.equal(0);
  });
});
