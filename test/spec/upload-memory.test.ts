import { expect } from 'chai';
import { hash } from 'node:crypto';
import { request } from 'node:http';
import { residentBytes } from '../bench/process-usage.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { type ServerProcess, startService } from '../support/server-process.ts';

const contentBytes = 10_000_000;
const atOnce = 8;
const residentBytesMax = 250_000_000;

/** A body that is sent without eight copies in memory: the parts before and after the content, and the content. */
interface Body {
  readonly type: string;
  readonly before: string;
  readonly content: Buffer;
  readonly behind: string;
}

function send(url: string, { type, before, content, behind }: Body): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(before) + content.length + Buffer.byteLength(behind);
    const sent = request(
      url,
      { method: 'POST', headers: { 'Content-Type': type, 'Content-Length': length } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('end', () => resolve({ status: response.statusCode!, text }));
      },
    );
    sent.once('error', reject);
    sent.write(before);
    sent.write(content);
    sent.end(behind);
  });
}

const form = (content: Buffer): Body => ({
  type: 'multipart/form-data; boundary=edge',
  before: '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/png\r\n\r\n',
  content,
  behind: '\r\n--edge--\r\n',
});
const json = (content: Buffer): Body => ({
  type: 'application/json',
  before: '{"filename":"a.bin","mime":"image/png","content_base64":"',
  content: Buffer.from(content.toString('base64')),
  behind: '"}',
});
/** The content first: it has to be staged before its name is known. */
const contentFirst = (content: Buffer): Body => ({
  type: 'application/json',
  before: '{"content_base64":"',
  content: Buffer.from(content.toString('base64')),
  behind: '","filename":"a.bin","mime":"image/png"}',
});

describe('Eight uploads at once', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let server: ServerProcess;
  let project: string;
  beforeEach(async () => {
    // From TypeScript the process would include the compiler's tables.
    server = await startService(scratch.path);
    project = (await new RestClient(server.url).post('/projects', { name: 'Plan' })).body.id as string;
  });
  // Before the scratch directory is removed.
  afterEach(() => server.stop());

  for (const [name, bodyOf] of [
    ['as forms', form],
    ['as JSON', json],
    ['as JSON with the content first', contentFirst],
  ] as const) {
    it(`of 10 MB ${name} keep the process under 250 MB, and so do eight downloads [D6.upload-memory]`, async () => {
      const contents = Array.from({ length: atOnce }, (_, at) => Buffer.alloc(contentBytes, at + 1));
      const answers = await Promise.all(
        contents.map((content) => send(`${server.url}/api/v1/projects/${project}/files`, bodyOf(content))),
      );
      const files = answers.map(({ status, text }) => {
        expect(status, text).to.equal(201);
        return JSON.parse(text) as { url: string; sha256: string };
      });
      expect(files.map(({ sha256 }) => sha256)).to.deep.equal(
        contents.map((content) => hash('sha256', content, 'hex')),
      );
      await Promise.all(
        files.map(async ({ url, sha256 }) => {
          const read = await fetch(`${server.url}${url}`);
          expect(hash('sha256', Buffer.from(await read.arrayBuffer()), 'hex')).to.equal(sha256);
        }),
      );
      const { peak } = residentBytes(server.pid);
      if (process.platform === 'linux') expect(peak).to.be.below(residentBytesMax);
    });
  }
});
