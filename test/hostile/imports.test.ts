import { expect } from 'chai';
import type { Worker } from 'node:worker_threads';
import { bearer } from '../support/hosted-service.ts';
import { answerOf } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import { until } from '../web/support/until.ts';

const plan = '- [ ] Dig\n- [ ] Sow\n';
/** A million empty tags, each of which is made a tag: it takes seconds to read. */
const slowPlan = `{"id":"a-1","title":"Dig","status":"open","priority":2,"labels":[${'"a","b",'.repeat(500_000)}"c"]}\n`;

/** The threads of this process that were started since, and the ones that have not ended. */
class Threads {
  started = 0;
  live = 0;
  mostLive = 0;
  readonly #noted = (worker: Worker): void => {
    this.started++;
    this.mostLive = Math.max(this.mostLive, ++this.live);
    worker.once('exit', () => this.live--);
  };

  constructor() {
    process.on('worker', this.#noted);
  }

  forget(): void {
    process.off('worker', this.#noted);
  }
}

describe('Imports of agents', () => {
  let service: TestService;
  let project: string;
  let threads: Threads;

  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project();
    threads = new Threads();
  });

  afterEach(async () => {
    threads.forget();
    await service.stop();
  });

  async function agent(): Promise<Record<string, string>> {
    const { body } = await service.rest.post('/keys', { kind: 'agent', project_id: project });
    return bearer(body.secret as string);
  }

  const upload = (
    headers: Record<string, string>,
    body: FormData | ReadableStream<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<Response> =>
    fetch(`${service.url}/api/v1/projects/import`, {
      ...{ method: 'POST', body, headers, duplex: 'half' },
      ...(signal && { signal }),
    });

  function formOf(text: string, path: string): FormData {
    const form = new FormData();
    form.append('into', project);
    form.append('dry_run', 'true');
    form.append('file', new Blob([text]), path);
    return form;
  }

  const send = async (headers: Record<string, string>, text = plan): Promise<RestResponse> =>
    answerOf(await upload(headers, formOf(text, 'TODO.md')));

  /** Begins an upload whose end arrives when the returned function is called. */
  async function begin(headers: Record<string, string>): Promise<{ readonly end: () => Promise<RestResponse> }> {
    const whole = new Response(formOf(`${plan}${' '.repeat(8192)}`, 'TODO.md'));
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, -2048);
      await promise;
      yield bytes.subarray(-2048);
    }
    const type = whole.headers.get('content-type')!;
    const answered = upload({ ...headers, 'Content-Type': type }, ReadableStream.from(pieces()));
    return {
      end: async () => {
        resolve();
        return answerOf(await answered);
      },
    };
  }

  it('have two places of each key, whatever arrives together, and one thread [D9.moving.one-at-a-time]', async () => {
    const [one, another] = [await agent(), await agent()];
    const begun = [await begin(one), await begin(one)];
    await until(async () => (await send(one)).status === 429);
    const refused = await Promise.all(Array.from({ length: 64 }, () => send(one)));
    for (const { status, body, headers } of refused) {
      expect(status).to.equal(429);
      expect(body).to.deep.include({ error: 'rate_limited' });
      expect(headers.get('retry-after')).to.equal('5');
    }
    const answered = await Promise.all([...begun.map(({ end }) => end()), send(another)]);
    for (const { status, body } of answered) {
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.deep.include({ dry_run: true });
    }
    expect(threads).to.deep.include({ mostLive: 1 });
  });

  it('end with their requests, whether they are read or wait [D9.moving.with-caller]', async () => {
    const [reading, waiting] = [new AbortController(), new AbortController()];
    const read = upload(await agent(), formOf(slowPlan, 'issues.jsonl'), reading.signal);
    await until(async () => Promise.resolve(threads.live === 1));
    const another = await agent();
    const waits = upload(another, formOf(plan, 'TODO.md'), waiting.signal);
    const begun = [await begin(another)];
    await until(async () => (await send(another)).status === 429);
    waiting.abort();
    reading.abort();
    for (const gone of [read, waits])
      expect(await gone.catch((error: unknown) => (error as Error).name)).to.equal('AbortError');
    await until(async () => Promise.resolve(threads.live === 0));
    expect((await begun[0]!.end()).status).to.equal(200);
    // The one that waited has never been read.
    expect(threads).to.deep.include({ started: 2, mostLive: 1 });
  });

  it('are charged by the bytes that were read, dry runs too [A.hostile.agent-quota]', async () => {
    await service.restart({ agentBytesPerDay: 100_000 });
    const headers = await agent();
    const text = `${plan}\n${'x'.repeat(60_000)}\n`;
    expect((await send(headers, text)).status).to.equal(200);
    expect((await send(headers, text)).status).to.equal(200);
    const refused = await send(headers, plan);
    expect(refused.status).to.equal(429);
    expect(refused.body.message).to.include('PLANNER_AGENT_BYTES_PER_DAY');
  });

  it('are refused before they are read if they could not be carried out [D9.moving.bounded]', async () => {
    const headers = await agent();
    const form = new FormData();
    form.append('file', new Blob([plan]), 'TODO.md');
    expect((await answerOf(await upload(headers, form))).status).to.equal(403);
    const own = JSON.stringify({ format: 'planner-export-v1', project: { name: 'x' } });
    const merged = await answerOf(await upload(headers, formOf(own, 'x.planner.json')));
    expect(merged.body).to.deep.include({ error: 'invalid_argument', field: 'into' });
    expect(threads.started).to.equal(0);
  });
});
