import { expect } from 'chai';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import { RemoteClient } from '../../src/remote/remote-client.ts';
import { fetchInbox } from '../../src/remote/remote-submissions.ts';
import type { RemoteInbox } from '../../src/remote/remote-submissions.ts';

interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly etag?: string;
}

const projectId = 'prj_0000000000000001';
const row = {
  id: 'sub_0000000000000001',
  created_at: '2030-01-01T00:00:00.000Z',
  participant_name: 'Grace',
  title: 'Water',
  body: 'Please.',
  severity: null,
  task_ref: null,
};

describe('The inbox of another service', () => {
  let server: Server;
  let url: string;
  /** The queries of the requests. */
  let searches: string[];
  let answer: (query: URLSearchParams) => Answer;

  beforeEach(async () => {
    searches = [];
    server = createServer((request, response) => {
      const { pathname, search, searchParams } = new URL(request.url!, 'http://localhost');
      searches.push(search);
      const { status = 200, body, etag } = answer(searchParams);
      response.writeHead(pathname === `/api/v1/projects/${projectId}/submissions` ? status : 418, {
        ...(etag !== undefined && { ETag: etag }),
      });
      response.end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const fetched = (since?: string, answerBytesMax = 1024 * 1024): Promise<RemoteInbox> =>
    fetchInbox({ url, projectId, client: new RemoteClient({ url, key: 'k' }, { answerBytesMax }) }, since);

  async function failure(given: Answer): Promise<PlannerError> {
    answer = () => given;
    try {
      await fetched();
    } catch (thrown) {
      if (thrown instanceof PlannerError) return thrown;
      throw thrown;
    }
    return expect.fail('It was not refused.');
  }

  it('is read page by page, with the tag of the first page [D8.sync_pull]', async () => {
    answer = (query) =>
      query.has('cursor')
        ? { body: { submissions: [{ ...row, id: 'sub_0000000000000002' }] }, etag: '"later"' }
        : { body: { submissions: [row], next_cursor: 'c' }, etag: '"first"' };
    const { submissions, etag } = await fetched();
    expect(submissions).to.deep.equal([row, { ...row, id: 'sub_0000000000000002' }]);
    expect(etag).to.equal('"first"');
    expect(searches).to.deep.equal(['?status=pending&limit=200', '?status=pending&limit=200&cursor=c']);
  });

  it('is requested as changes since a tag, which may be absent [D8.sync_pull]', async () => {
    answer = () => ({ body: { submissions: [] }, etag: '"next"' });
    expect(await fetched('"before"')).to.deep.equal({ submissions: [], etag: '"next"' });
    expect(searches).to.deep.equal(['?status=pending&since=%22before%22']);
  });

  it('is read completely, in smaller pages, if a response exceeds the size limit [D8.sync_pull, A.trust.outgoing]', async () => {
    answer = (query) => ({
      body: { submissions: query.get('limit') === '10' ? [row] : [{ ...row, body: 'x'.repeat(9000) }] },
    });
    expect((await fetched('"before"', 5000)).submissions).to.deep.equal([row]);
    expect(searches).to.deep.equal([
      '?status=pending&since=%22before%22',
      '?status=pending&limit=200',
      '?status=pending&limit=10',
    ]);
    answer = () => ({ body: { submissions: [{ ...row, body: 'x'.repeat(9000) }] } });
    try {
      await fetched(undefined, 5000);
      expect.fail('It was taken.');
    } catch (error) {
      expect(error).to.include({ code: 'unavailable' });
      expect((error as Error).message).to.include('responses that exceed the size limit');
    }
  });

  it('is not read endlessly [A.trust.outgoing]', async () => {
    const error = await failure({ body: { submissions: new Array(2000).fill(row), next_cursor: 'again' } });
    expect(error).to.include({ code: 'unavailable' });
    expect(error.message).to.include(`over ${limits.arrayItemsMax} submissions`);
    expect(searches).to.have.length(limits.arrayItemsMax / 2000 + 1);
  });

  it('is rejected if the response has no list of submissions [A.trust.outgoing]', async () => {
    const wrong: readonly unknown[] = [
      ...[null, 'x', [], {}, { submissions: 'x' }, { submissions: null }, { submissions: {} }],
      ...[null, 'x', {}, { ...row, id: 7 }, { ...row, id: '../../x' }, { ...row, id: undefined }].map((one) => ({
        submissions: [one],
      })),
      ...[
        { title: 7 },
        { title: '' },
        { body: 7 },
        { severity: 'x' },
        { task_ref: {} },
        { participant_name: null },
      ].map((part) => ({ submissions: [{ ...row, ...part }] })),
      ...['yesterday', 7, null].map((created_at) => ({ submissions: [{ ...row, created_at }] })),
    ];
    for (const body of wrong)
      expect((await failure({ body })).code, JSON.stringify(body)?.slice(0, 200)).to.equal('unavailable');
  });

  it('contains only members of a submission, and a missing body as an empty one [A.trust.outgoing]', async () => {
    const { body: _, ...bare } = row;
    answer = () => ({
      body: { submissions: [{ ...bare, status: 'accepted', linked_task_id: 'tsk_1', __proto__x: 1 }] },
    });
    expect((await fetched()).submissions).to.deep.equal([{ ...row, body: '' }]);
  });

  it('reports whether the key, the project or the service is invalid [D8.sync_pull, D8.sync-origin]', async () => {
    for (const status of [401, 403]) {
      const refused = await failure({ status, body: {} });
      expect(refused.code).to.equal('forbidden');
      expect(refused.message).to.include(`planner login ${url}`);
    }
    const missing = await failure({ status: 404, body: {} });
    expect(missing.code).to.equal('invalid_argument');
    expect(missing.field).to.equal('remote.project_id');
    for (const [status, body, message] of [
      [500, { message: 'It broke. Twice.' }, 'responds with 500: It broke. Twice.'],
      [502, { message: 7 }, 'responds with 502.'],
      [304, undefined, 'responds with 304.'],
    ] as const) {
      const error = await failure({ status, body });
      expect(error.code).to.equal('unavailable');
      expect(error.message).to.equal(`The remote ${url} ${message}`);
    }
    const long = await failure({ status: 500, body: { message: 'x'.repeat(2000) } });
    expect(long.message).to.have.length.below(700);
  });
});
