import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { htmlOf, safeHtml } from '../../src/domain/text/comment-html.ts';
import { limits } from '../../src/base/limits.ts';
import { Rendering } from '../../src/rendering/rendering.ts';
import { RenderThread } from '../../src/rendering/render-thread.ts';
import { FairQueue } from '../../src/platform/fair-queue.ts';
import { renderCache } from '../../src/rendering/render-cache.ts';
import { TestService } from '../support/service.ts';

/** Within every limit of the renderers, and slow nevertheless: it takes some hundred milliseconds. */
const heavy = '<a href=x>y</a> '.repeat(8_000);

describe('Rendering', function () {
  this.timeout(60_000);

  it('does not block the main thread: pages, artifacts and comments are rendered in workers [A.hostile.rendering]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { id: document } = (await service.rest.post(`/projects/${project}/documents`, { title: 'D', body: heavy }))
        .body;
      const { url } = (await service.rest.post(`/documents/${document}/share`, {})).body;
      const { id: artifact } = (
        await service.rest.post(`/projects/${project}/artifacts`, { title: 'A', content: heavy })
      ).body;
      const processorMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
      let longestMs = 0;
      const began = process.cpuUsage();
      let last = process.threadCpuUsage();
      const timer = setInterval(() => {
        longestMs = Math.max(longestMs, processorMs(process.threadCpuUsage(last)));
        last = process.threadCpuUsage();
      }, 5);
      const [page, rendered, comment] = await Promise.all([
        fetch(url as string),
        fetch(`${service.url}/api/v1/artifacts/${artifact}/render`),
        service.rest.post(`/documents/${document}/comments`, { body: `<p>${heavy}</p>` }),
      ]);
      clearInterval(timer);
      const allMs = processorMs(process.cpuUsage(began));
      expect([page.status, rendered.status, comment.status]).to.deep.equal([200, 200, 201]);
      for (const answer of [page, rendered]) expect(await answer.text()).to.contain('<a href="');
      // Each of the three takes about a third of the processor time.
      expect(longestMs / allMs, 'the longest share of this thread between two turns').to.be.below(0.15);
    } finally {
      await service.stop();
    }
  });

  it('shows a text as preformatted after its timeout, and does not retry it immediately [A.hostile.rendering]', async () => {
    const original = limits.renderMs;
    Object.assign(limits, { renderMs: 100 });
    const rendering = new Rendering(systemClock);
    try {
      const text = { body: `${'<a href=x>y</a> '.repeat(16_000)}<` };
      const job = { name: 'artifact', text, options: null } as const;
      const first = await rendering.render(job, 'a');
      expect(first).to.match(/^<pre>&lt;a href/);
      Object.assign(limits, { renderMs: 60_000 });
      expect(await rendering.render(job, 'a')).to.equal(first);
      expect(await rendering.render({ ...job, text: { body: '*b*' } }, 'a')).to.equal('<p><em>b</em></p>');
    } finally {
      Object.assign(limits, { renderMs: original });
      await rendering.close();
    }
  });

  it('rejects work in progress when it is closed, and work after it [A.hostile.rendering, A.ends.closed]', async () => {
    const thread = new RenderThread();
    const request = { job: { name: 'comment', text: { body: heavy }, options: null }, plain: false } as const;
    const running = thread.run(request).catch((error: unknown) => error);
    await thread.close();
    expect(await running).to.be.instanceOf(Error);
    expect(await thread.run(request).catch((error: unknown) => error)).to.be.instanceOf(Error);
    const rendering = new Rendering(systemClock);
    await rendering.close();
    const refused = await rendering
      .render({ name: 'comment', text: { body: 'x' }, options: null }, 'a')
      .catch((error: unknown) => error);
    expect(refused).to.include({ code: 'unavailable' });
  });

  it('serves callers in turn, and limits its queue and its cache [A.hostile.rendering]', () => {
    const queue = new FairQueue<string>(5);
    for (const one of ['a1', 'a2', 'a3', 'b1', 'c1']) expect(queue.add(one[0]!, one)).to.equal(true);
    expect(queue.add('d', 'd1')).to.equal(false);
    expect([1, 2, 3, 4, 5, 6].map(() => queue.take())).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'a3', undefined]);
    const cache = renderCache(10_000);
    for (let i = 0; i < 100; i++) cache.set(`k${i}`, { output: 'x'.repeat(1000), expiresAt: Infinity });
    expect(cache.calculatedSize).to.be.below(10_001);
    expect([cache.has('k0'), cache.has('k99')]).to.deep.equal([false, true]);
    cache.set('large', { output: 'x'.repeat(9000), expiresAt: Infinity });
    expect(cache.has('large')).to.equal(false);
  });

  it('of emphasis has a limited lookahead and number of delimiters, not the whole text [A.hostile.patterns]', () => {
    const shown = (text: string): string => safeHtml(htmlOf(text));
    expect(shown(`*${'a '.repeat(400)}a* b`)).to.match(/^<p><em>/);
    expect(shown(`*${'a '.repeat(600)}a* b`)).to.match(/^<p>\*a/);
    expect(shown(`~~${'a '.repeat(600)}a~~ b`)).to.match(/^<p>~~a/);
    expect(shown(`*a ${'\\_ '.repeat(60)}b* c`)).to.match(/^<p>\*a/);
  });
});
