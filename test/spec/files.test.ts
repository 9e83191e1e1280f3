import { expect } from 'chai';
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ErrorBody } from '../../src/base/errors.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import type { McpClient } from '../support/mcp-client.ts';
import { until } from '../bench/files.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { Random } from '../support/random.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { watched, TestService } from '../support/service.ts';

const megabytes = 1_000_000;
const random = new Random(7);
const bytesOf = (length: number, first = 0): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 4096) bytes.writeUInt8(random.integer(0, 255), at);
  if (length > 0) bytes[0] = first;
  return bytes;
};

describe('Files', () => {
  let service: TestService;
  let project_id: string;
  let path: string;
  const begin = async (): Promise<void> => {
    project_id = await service.project();
    path = `/projects/${project_id}/files`;
  };
  /** A service without files of other tests. */
  const beginAlone = async (): Promise<void> => {
    await service.stop();
    service = await TestService.start(watched);
    await begin();
  };
  before(async () => void (service = await TestService.start(watched)));
  beforeEach(begin);
  after(() => service.stop());

  const upload = (content: Uint8Array | string, fields: Record<string, unknown> = {}): Promise<RestResponse> =>
    service.rest.post(path, {
      ...{ filename: 'logo.png', mime: 'image/png', content_base64: Buffer.from(content).toString('base64') },
      ...fields,
    });

  async function form(
    content: Uint8Array | string | undefined,
    more: Record<string, string> = {},
    filename = 'logo.png',
    type = 'image/png',
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const data = new FormData();
    for (const [name, value] of Object.entries(more)) data.append(name, value);
    if (content !== undefined) data.append('file', new Blob([Buffer.from(content)], { type }), filename);
    const response = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', body: data });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  const count = async (): Promise<number> => (await service.rest.get(path)).body.files.length as number;
  const download = (url: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}${String(url)}`, { headers });

  it('are uploaded as base64 in JSON and have an id and a url [S.rest.POST /projects/:id/files, S.file.url, D6.file, D6.file-forms]', async () => {
    const content = bytesOf(100_000);
    const { status, body } = await upload(content, { mime: 'image/PNG' });
    expect(status).to.equal(201);
    expect(body).to.have.all.keys('id', 'project_id', 'filename', 'mime', 'size', 'sha256', 'url', 'created_at');
    expect(body).to.include({
      project_id,
      filename: 'logo.png',
      mime: 'image/png',
      size: content.length,
      sha256: hash('sha256', content, 'hex'),
      url: `/api/v1/files/${body.id}`,
    });
    const read = await download(body.url);
    expect(Buffer.from(await read.arrayBuffer()).equals(content)).to.equal(true);
    const files = new PlanFiles(service);
    await service.store.flush();
    expect(files.paths().filter((one) => one.startsWith('files/'))).to.deep.equal([
      `files/logo-png.${body.id}.json`,
      `files/logo-png.${body.id}.png`,
    ]);
    await service.restart();
    expect(Buffer.from(await (await download(body.url)).arrayBuffer()).equals(content)).to.equal(true);
    expect((await service.rest.get(path)).body.files).to.deep.equal([body]);
  });

  it('are uploaded as a form with one file [D6.file-forms]', async () => {
    const { status, body } = await form('hello', {}, 'Grüße.txt', 'text/plain');
    expect(status).to.equal(201);
    expect(body).to.include({ filename: 'Grüße.txt', mime: 'text/plain', size: 5 });
    expect((await form('other', { filename: 'a.bin', mime: 'application/zip' })).body).to.include({
      filename: 'a.bin',
      mime: 'application/zip',
    });
    for (const [content, more, field] of [
      [undefined, { filename: 'x' }, 'file'],
      ['x', { content_base64: 'QQ==' }, 'content_base64'],
      ['x', { colour: 'red' }, 'colour'],
      ['x', { mime: 'nonsense' }, 'mime'],
      ['x', { filename: ' ' }, 'filename'],
      ['x', { filename: 'a/b' }, 'filename'],
    ] as const) {
      const refused = await form(content, more);
      expect(refused.body, field).to.include({ error: 'invalid_argument', field });
    }
    expect(await count()).to.equal(2);
  });

  it('with the same bytes are one file of the project, whatever their names [D6.file-once]', async () => {
    const first = (await upload('same')).body;
    expect((await upload('same', { filename: 'other.gif', mime: 'image/gif' })).body).to.deep.equal(first);
    expect((await form('same')).body).to.deep.equal(first);
    const [one, two] = await Promise.all([upload('at once'), upload('at once')]);
    expect(one.body).to.deep.equal(two.body);
    expect(await count()).to.equal(2);
    const other = await service.project('Other');
    const elsewhere = await service.rest.post(`/projects/${other}/files`, {
      filename: 'a.png',
      mime: 'image/png',
      content_base64: Buffer.from('same').toString('base64'),
    });
    expect(elsewhere.body.id).to.not.equal(first.id);
    await service.store.flush();
    expect((await download(elsewhere.body.url)).status).to.equal(200);
    expect((await download(first.url)).status).to.equal(200);
  });

  it('have at most 10,000,000 bytes, in either form [S.limits.upload, D2.payload-file, D6.file-forms]', async function () {
    this.timeout(60_000);
    const largest = bytesOf(10 * megabytes, 1);
    expect((await upload(largest)).status).to.equal(201);
    expect((await form(bytesOf(10 * megabytes, 2))).status).to.equal(201);
    const over = bytesOf(10 * megabytes + 1, 3);
    for (const answer of [await upload(over), await form(over), await form(bytesOf(13 * megabytes, 4))]) {
      expect(answer.status).to.equal(413);
      expect(answer.body).to.include({ error: 'payload_too_large', bytes_max: 10 * megabytes });
    }
    expect(await count()).to.equal(2);
    expect((await upload('')).body).to.include({ size: 0 });
  });

  it('in base64 are parsed strictly, and an error names the position [D6.file-forms, D2.invalid_argument]', async () => {
    for (const [content_base64, position] of [
      ['QUJ#', 3],
      ['QUJD QUJD', 4],
      [`${'QUJD'.repeat(50_000)}*UJD`, 200_000],
      ['QUI', 3],
      ['QQ==QUJD', 2],
      ['Q=JD', 1],
      ['QUJD\n', 4],
      ['QUJD-_==', 4],
      ['====', 0],
    ] as const) {
      const refused = await upload('', { content_base64 });
      expect(refused.status, content_base64.slice(-10)).to.equal(400);
      expect(refused.body, content_base64.slice(-10)).to.include({
        error: 'invalid_argument',
        field: 'content_base64',
        position,
      });
    }
    for (const content_base64 of [undefined, null, 5, ['QUJD'], { a: 'QUJD' }])
      expect((await upload('', { content_base64 })).body).to.include({
        error: 'invalid_argument',
        field: 'content_base64',
      });
    expect(await count()).to.equal(0);
  });

  it('are parsed from JSON of any order and spelling, in chunks [D6.file-forms]', async () => {
    const text = Buffer.from('???>>>').toString('base64');
    const slash = text.replaceAll('/', '\\/');
    const coded = [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const bodies = [
      `{"filename":"a.png","mime":"image/png","content_base64":"${slash}"}`,
      `{"content_base64":"${coded}","filename":"a.png","mime":"image/png"}`,
      ` {\n "mime" : "image/png" , "content_base64" : "${text}" , "filename" : "a.png" }\n`,
      `{"filename":"content_base64","mime":"image/png","content_base64":"${text}"}`,
      `{"filename":"a.png","mime":"image/png","content\\u005fbase64":"${text}"}`,
    ];
    for (const body of bodies) {
      for (const size of [1, 7, 10_000]) {
        const { status, body: answer } = await inPieces(body, size);
        expect(status, body).to.equal(201);
        expect(answer, body).to.include({ size: 6, sha256: hash('sha256', '???>>>', 'hex') });
      }
    }
    for (const [body, error] of [
      ['{"filename":"a","mime":"a/b","content_base64":"QUJD","content_base64":"QUJD"}', { field: 'content_base64' }],
      ['{"filename":"a","mime":"a/b","content_base64":"QUJD","extra":1}', { field: 'extra' }],
      ['{"extra":1,"filename":"a","mime":"a/b","content_base64":"QUJD"}', { field: 'extra' }],
      ['{"filename":"a","mime":"a/b","content_base64":"QUJD"', { line: 1 }],
      ['{"filename":"a","mime":"a/b","content_base64":"QUJD', { line: 1 }],
      [`{"filename":"a","mime":"a/b","content_base64":"${'QUJD'.repeat(9)}",,}`, { position: 85, column: 86 }],
      ['["content_base64"]', {}],
      ['"content_base64"', {}],
    ] as const) {
      const { status, body: answer } = await inPieces(body, 11);
      expect(status, body).to.equal(400);
      expect(answer, body).to.include({ error: 'invalid_argument', ...error });
    }
    expect(await count()).to.equal(1);
  });

  /** Sends a body a few bytes at a time. */
  async function inPieces(text: string, size: number): Promise<{ status: number; body: Record<string, unknown> }> {
    const bytes = Buffer.from(text);
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
        controller.close();
      },
    });
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: pieces,
      duplex: 'half',
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('are rejected for an invalid name, type or project, and nothing is stored [D2.invalid_argument, D2.unsupported_media_type]', async () => {
    for (const [fields, field] of [
      [{ filename: undefined }, 'filename'],
      [{ filename: '' }, 'filename'],
      [{ filename: ' ' }, 'filename'],
      [{ filename: 'x'.repeat(256) }, 'filename'],
      [{ filename: '../x' }, 'filename'],
      [{ filename: 'a\u0000b' }, 'filename'],
      [{ mime: undefined }, 'mime'],
      [{ mime: 'png' }, 'mime'],
      [{ mime: 'image/png; charset=x' }, 'mime'],
      [{ id: 'fil_1' }, 'id'],
    ] as const)
      expect((await upload('x', fields)).body, JSON.stringify(fields)).to.include({ error: 'invalid_argument', field });
    const unknown = await service.rest.post('/projects/prj_none/files', {
      filename: 'a',
      mime: 'a/b',
      content_base64: 'QUJD',
    });
    expect(unknown.body).to.include({ error: 'not_found', resource: 'project' });
    const text = await service.rest.send('POST', path, 'hello', { 'Content-Type': 'text/plain' });
    expect(text.status).to.equal(415);
    const packed = await service.rest.send('POST', path, '{}', { 'Content-Encoding': 'gzip' });
    expect(packed.status).to.equal(415);
    expect(await count()).to.equal(0);
  });

  it('that are aborted leave no trace [D6.file-forms]', async () => {
    await beginAlone();
    const { hostname, port } = new URL(service.url);
    for (const head of ['Content-Type: application/json', 'Content-Type: multipart/form-data; boundary=x']) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST /api/v1${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${head}\r\nContent-Length: 100000\r\n\r\n`,
      );
      socket.write(
        head.includes('json')
          ? `{"filename":"a","mime":"a/b","content_base64":"${'QUJD'.repeat(1000)}`
          : `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: a/b\r\n\r\n${'A'.repeat(5000)}`,
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      socket.destroy();
    }
    while (readdirSync(join(service.root, 'local/bytes')).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await count()).to.equal(0);
  });

  it('are retried safely with a key, which covers the content, too [D1.idempotency]', async () => {
    const headers = { 'Idempotency-Key': 'key-1' };
    const send = (content: string): Promise<RestResponse> =>
      service.rest.send(
        'POST',
        path,
        { filename: 'a.png', mime: 'image/png', content_base64: Buffer.from(content).toString('base64') },
        headers,
      );
    const first = await send('one');
    expect((await send('one')).body).to.deep.equal(first.body);
    expect((await send('two')).body).to.include({ error: 'conflict' });
    expect(await count()).to.equal(1);
  });

  it('are served inline if they are images, else as attachments, always sandboxed [S.rest.GET /files/:id, D6.file-serving]', async () => {
    for (const [mime, inline] of [
      ['image/png', true],
      ['image/svg+xml', true],
      ['text/html', false],
      ['application/pdf', false],
      ['text/javascript', false],
    ] as const) {
      const { url } = (await upload(`<svg onload=alert(1)>${mime}`, { mime, filename: `a "b" ü.${mime.length}` })).body;
      const { headers, status } = await download(url);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal(mime);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-disposition')).to.match(inline ? /^inline; / : /^attachment; /);
      expect(headers.get('content-disposition')).to.contain(`filename*=UTF-8''a%20%22b%22%20%C3%BC`);
      expect(headers.get('content-security-policy')).to.match(/^sandbox; default-src 'none'/);
      expect(headers.get('content-security-policy')).to.not.contain('allow-');
    }
    const { url } = (await upload('tagged')).body;
    const first = await download(url);
    expect(first.headers.get('content-length')).to.equal('6');
    expect((await download(url, { 'If-None-Match': first.headers.get('etag')! })).status).to.equal(304);
    expect((await download('/api/v1/files/fil_none')).status).to.equal(404);
  });

  it('whose bytes are missing are listed, and requests for them report the path [D2.conflict-file, A.bytes.problem]', async () => {
    await beginAlone();
    const { id, url } = (await upload('lost')).body;
    await service.store.flush();
    const files = new PlanFiles(service);
    // The next opening removes staged bytes, which are served until then.
    await service.restart(watched);
    await service.store.watching();
    files.remove(`files/logo-png.${id}.png`);
    await until(async () => (await service.store.read(project_id, (view) => view.problems)).length > 0, 'the problem');
    const answer = await service.rest.get(String(url).slice('/api/v1'.length));
    expect(answer.status).to.equal(409);
    expect(answer.body.path).to.match(new RegExp(`^\\.planner/projects/.*/files/logo-png\\.${id}\\.png$`));
    const { problems } = (await service.rest.get(`/projects/${project_id}/problems`)).body;
    expect(problems.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['missing_bytes']);
    const again = await upload('lost');
    expect(again.body.id).to.equal(id);
    await service.store.flush();
    expect(await (await download(url)).text()).to.equal('lost');
    expect((await service.rest.get(`/projects/${project_id}/problems`)).body.problems).to.deep.equal([]);
  });

  it('are listed oldest first, in pages, and as changes since a tag [D1.limit, D1.etag]', async () => {
    for (const content of ['a', 'b', 'c']) await upload(content, { filename: `${content}.png` });
    const all = await service.rest.get(path);
    expect(all.body.files.map(({ filename }: { filename: string }) => filename)).to.deep.equal([
      'a.png',
      'b.png',
      'c.png',
    ]);
    const page = (await service.rest.get(`${path}?limit=2`)).body;
    expect((await service.rest.get(`${path}?cursor=${page.next_cursor}`)).body.files).to.have.length(1);
    await upload('d', { filename: 'd.png' });
    const since = await service.rest.get(`${path}?since=${encodeURIComponent(all.headers.get('etag')!)}`);
    expect(since.body.files.map(({ filename }: { filename: string }) => filename)).to.deep.equal(['d.png']);
  });
});

describe('attach_file', () => {
  let service: TestService;
  let client: McpClient;
  let project_id: string;
  before(async () => {
    service = await TestService.start(watched);
    client = await service.mcp();
  });
  beforeEach(async () => {
    project_id = await service.project();
  });
  after(() => service.stop());

  const attach = (input: Record<string, unknown>): Promise<{ isError: boolean; value: Record<string, string> }> =>
    client.call('attach_file', { project_id, ...input });
  const refusal = async (input: Record<string, unknown>): Promise<ErrorBody> => {
    const { isError, value } = await attach(input);
    expect(isError, JSON.stringify(value)).to.equal(true);
    return value as unknown as ErrorBody;
  };
  const folder = async (folder_path: string | null): Promise<void> => {
    await client.get('update_project', { project_id, folder_path });
  };

  it('stores an image and returns its id and url [S.mcp.attach_file, S.file.url]', async () => {
    const { value } = await attach({ filename: 'a.png', mime: 'image/png', content_base64: 'QUJD' });
    expect(value).to.deep.equal({ file_id: value['file_id'], url: `/api/v1/files/${value['file_id']}` });
    const read = await fetch(`${service.url}${value['url']}`);
    expect([read.headers.get('content-type'), await read.text()]).to.deep.equal(['image/png', 'ABC']);
    const guessed = (await attach({ filename: 'b.SVG', content_base64: 'QUJE' })).value;
    expect((await fetch(`${service.url}${guessed['url']}`)).headers.get('content-type')).to.equal('image/svg+xml');
    expect(await refusal({ filename: 'a.png', content_base64: 'QU' })).to.include({
      error: 'invalid_argument',
      field: 'content_base64',
    });
    expect(await refusal({ content_base64: 'QUJD' })).to.include({ field: 'filename' });
    expect(await refusal({ filename: 'a.png' })).to.include({ field: 'content_base64' });
    expect(await refusal({ filename: 'a.png', content_base64: 'QUJD', file_path: 'a.png' })).to.include({
      field: 'content_base64',
    });
    const over = Buffer.alloc(10 * megabytes + 1).toString('base64');
    expect(await refusal({ filename: 'a.png', content_base64: over })).to.include({ error: 'payload_too_large' });
  });

  it("accepts a file of this machine by its path, inside the project's folder and not through a link [D6.file_path, A.trust.links, A.trust.root]", async () => {
    const at = (path: string): string => join(service.directory, path);
    for (const directory of ['app/images', 'app/.hidden', 'other']) mkdirSync(at(directory), { recursive: true });
    for (const path of ['app/a.png', 'app/images/b.svg', 'app/.env', 'app/.hidden/c', 'other/d', 'root.txt'])
      writeFileSync(at(path), path);
    writeFileSync(at('app/large'), Buffer.alloc(10 * megabytes + 1));
    symlinkSync(at('other/d'), at('app/link'));
    symlinkSync(at('other'), at('app/linked'));
    symlinkSync(at('.planner'), at('app/planner'));
    expect(await refusal({ file_path: 'a.png' })).to.include({ error: 'invalid_argument', field: 'file_path' });
    await folder('app');
    for (const file_path of ['a.png', at('app/a.png'), 'images/b.svg']) {
      const { isError, value } = await attach({ file_path });
      expect(isError, JSON.stringify(value)).to.equal(false);
      const read = await fetch(`${service.url}${value['url']}`);
      expect(await read.text()).to.equal(file_path.includes('svg') ? 'app/images/b.svg' : 'app/a.png');
      expect(read.headers.get('content-type')).to.equal(file_path.includes('svg') ? 'image/svg+xml' : 'image/png');
    }
    const outside = ['../root.txt', at('root.txt'), at('other/d'), '/etc/passwd', 'images/../../root.txt', 'C:\\x'];
    const hidden = ['.env', '.hidden/c', '../.planner/config.json', at('.planner/config.json')];
    const odd = [
      'link',
      'linked/d',
      'planner/config.json',
      'images',
      'none.png',
      'a.png/x',
      ' ',
      '.',
      'images//b.svg',
      './a.png',
      'a\u0000b',
    ];
    for (const file_path of [...outside, ...hidden, ...odd]) {
      const refused = await refusal({ file_path });
      expect(refused, file_path).to.include({ error: 'invalid_argument', field: 'file_path' });
    }
    expect(await refusal({ file_path: 'large' })).to.include({ error: 'payload_too_large' });
    await folder('.');
    expect((await attach({ file_path: 'root.txt' })).isError).to.equal(false);
    for (const file_path of ['.planner/config.json', '.planner/local/lock', 'app/linked/d'])
      expect((await refusal({ file_path })).field).to.equal('file_path');
    expect((await service.rest.get(`/projects/${project_id}/files`)).body.files).to.have.length(3);
  });
});

describe('attach_file of a hosted service', () => {
  it('accepts no path: remote callers cannot name files of the machine [D6.file_path]', async () => {
    const hosted = await HostedService.start();
    try {
      const { body } = await hosted.owner.post('/projects', { name: 'Plan', folder_path: '.' });
      writeFileSync(join(hosted.service.directory, 'a.txt'), 'x');
      const client = await hosted.service.mcp({ headers: bearer((await hosted.key('owner')).secret) });
      const { isError, value } = await client.call('attach_file', { project_id: body.id, file_path: 'a.txt' });
      expect(isError).to.equal(true);
      expect(value).to.include({ error: 'invalid_argument', field: 'file_path' });
      expect(
        (await client.call('attach_file', { project_id: body.id, filename: 'a', content_base64: 'QQ==' })).isError,
      ).to.equal(false);
    } finally {
      await hosted.stop();
    }
  });
});
