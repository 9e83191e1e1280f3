import { randomFillSync } from 'node:crypto';
import { Agent, request } from 'node:http';
import { mkdirSync } from 'node:fs';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, compare, measured } from '../measure.ts';
import { startYardstick } from '../yardstick.ts';

const contentBytes = 10_000_000;

/** A body in three parts: the form around its file. */
interface Form {
  readonly type: string;
  readonly before: string;
  readonly behind: string;
}

const plain: Form = { type: 'application/octet-stream', before: '', behind: '' };
const form: Form = {
  type: 'multipart/form-data; boundary=edge',
  before: '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n',
  behind: '\r\n--edge--\r\n',
};
const json: Form = {
  type: 'application/json',
  before: '{"filename":"a.png","mime":"image/png","content_base64":"',
  behind: '"}',
};

/** 10 MB over HTTP into a synced file and back, beside plain node:http. */
export const files: Figure = {
  name: 'files',
  title: 'Upload and download of 10 MB, one after the other',
  measure: async (bench) => {
    const most = bench.quick ? 2 : 10;
    const scratch = bench.scratch('raw-files');
    mkdirSync(scratch, { recursive: true });
    const service = await startService(bench.scratch('files'));
    const raw = await startYardstick('raw-files', scratch);
    const client = new HttpClient(service.url);
    const { id } = await client.json<{ id: string }>('POST', '/projects', { name: 'Files' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const urls: Record<string, string[]> = { planner: [], raw: [] };
    const upload = async (to: string, path: string, how: Form, keep: string[]): Promise<number> => {
      const contents = Array.from({ length: most }, () => content(how));
      const began = performance.now();
      for (const one of contents)
        keep.push(
          `${to}${(JSON.parse((await send(agent, `${to}${path}`, how, one)).toString()) as { url: string }).url}`,
        );
      return perSecond(most, began);
    };
    const download = async (from: readonly string[]): Promise<number> => {
      const began = performance.now();
      for (const url of from.slice(0, most)) await send(agent, url);
      return perSecond(Math.min(most, from.length), began);
    };
    const path = `/api/v1/projects/${id}/files`;
    try {
      const rounds = bench.quick ? 1 : 5;
      const up = await alternate(rounds, {
        raw: () => upload(raw.url, '/', plain, urls['raw']!),
        planner: () => upload(service.url, path, form, urls['planner']!),
        json: () => upload(service.url, path, json, []),
      });
      const down = await alternate(rounds, {
        raw: () => download(urls['raw']!),
        planner: () => download(urls['planner']!),
      });
      return [
        compare(
          measured('upload as a form', 'MB/s', up.planner),
          measured('node:http, file and fsync', 'MB/s', up.raw),
          { atLeast: 0.5 },
        ),
        compare(
          measured('upload as JSON with base64', 'MB/s', up.json),
          measured('node:http, file and fsync', 'MB/s', up.raw),
        ),
        compare(measured('download', 'MB/s', down.planner), measured('node:http, the same file', 'MB/s', down.raw), {
          atLeast: 0.5,
        }),
      ];
    } finally {
      agent.destroy();
      client.close();
      await Promise.all([service.stop(), raw.stop()]);
    }
  },
};

/** Bytes that no upload had before: identical content would be one file. */
function content(how: Form): Buffer {
  const bytes = randomFillSync(Buffer.allocUnsafe(contentBytes));
  return how === json ? Buffer.from(bytes.toString('base64')) : bytes;
}

function perSecond(count: number, began: number): number {
  return (count * contentBytes) / 1e6 / ((performance.now() - began) / 1000);
}

/** Sends a request. Resolves with the response body. */
function send(agent: Agent, url: string, how?: Form, body?: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const length = how === undefined ? 0 : Buffer.byteLength(how.before) + body!.length + Buffer.byteLength(how.behind);
    const headers = how === undefined ? {} : { 'content-type': how.type, 'content-length': length };
    const sent = request(url, { agent, method: how === undefined ? 'GET' : 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const answer = Buffer.concat(chunks);
        if (response.statusCode! < 300) resolve(answer);
        else reject(new Error(`${url} answered ${response.statusCode}: ${answer.toString().slice(0, 500)}`));
      });
    });
    sent.once('error', reject);
    if (how !== undefined) {
      sent.write(how.before);
      sent.write(body);
    }
    sent.end(how?.behind);
  });
}
