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
/** The content first: it has to be staged before its name is known. */
const json = (content: Buffer): Body => ({
  type: 'application/json',
  before: '{"content_base64":"',
  content: Buffer.from(content.toString('base64')),
  behind: '","filename":"a.bin","mime":"image/png"}',
});

const forms = { 'as a form': form, 'as JSON': json };

describe('Eight simultaneous uploads', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let server: ServerProcess;
  // From TypeScript the process would include the compiler's tables.
  beforeEach(async () => void (server = await startService(scratch.path)));
  // Before the scratch directory is removed.
  afterEach(() => server.stop());

  it('of 10 MB keep the process under 250 MB in either form, and so do eight downloads [D6.upload-memory]', async () => {
    const project = (await new RestClient(server.url).post('/projects', { name: 'Plan' })).body.id as string;
    let urls: string[] = [];
    for (const [round, [name, bodyOf]] of Object.entries(forms).entries()) {
      const contents = Array.from({ length: atOnce }, (_, at) => Buffer.alloc(contentBytes, round * atOnce + at + 1));
      const answers = await Promise.all(
        contents.map((content) => send(`${server.url}/api/v1/projects/${project}/files`, bodyOf(content))),
      );
      const files = answers.map(({ status, text }) => {
        expect(status, `${name}: ${text}`).to.equal(201);
        return JSON.parse(text) as { url: string; sha256: string };
      });
      expect(files.map(({ sha256 }) => sha256)).to.deep.equal(
        contents.map((content) => hash('sha256', content, 'hex')),
      );
      urls = files.map(({ url }) => url);
    }
    await Promise.all(
      urls.map(async (url, at) => {
        const read = Buffer.from(await (await fetch(`${server.url}${url}`)).arrayBuffer());
        expect(read.equals(Buffer.alloc(contentBytes, atOnce + at + 1)), url).to.equal(true);
      }),
    );
    const { peak } = residentBytes(server.pid);
    if (process.platform === 'linux') expect(peak).to.be.below(residentBytesMax);
  });
});
