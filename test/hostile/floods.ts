import { expect } from 'chai';
import { healthDuring, healthOf } from '../bench/health.ts';
import { watchMemory } from '../bench/process-usage.ts';
import { reached } from '../support/reached.ts';
import { rarely } from '../support/rarely.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { type ServerProcess, startService } from '../support/server-process.ts';
import { Flood } from './flood.ts';

export interface FloodSizes {
  /** Connections that pipeline 64 KiB of requests each. */
  readonly connections: number;
  /** Connections that request 39 MB each. */
  readonly readers: number;
  /** The time for which the service's health is requested during the flood. */
  readonly floodMs: number;
}

const pipelinedBytes = 64 * 1024;
const documentBytes = 2 * 1024 * 1024;
/** The memory includes garbage that V8 has not collected yet. */
const residentBytesMax = 400_000_000;
/** Generous: other tests run at the same time. */
const healthMsMax = 10_000;

/** Connections that do not read their responses, at a separate service: it keeps responding to others within its memory limit. */
export function describeFloods({ connections, readers, floodMs }: FloodSizes): void {
  describe('A flood of unread responses', function () {
    this.timeout(300_000);
    const scratch = scratchDirectory();
    let server: ServerProcess;
    beforeEach(async () => {
      server = await startService(scratch.path);
    });
    afterEach(() => server.stop());

    const withstand = async (name: string, count: number, path: string, times: number): Promise<void> => {
      const head = `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`;
      const flood = await Flood.open({ url: server.url, count, input: head.repeat(times || 1), reads: false });
      const memory = process.platform === 'linux' ? watchMemory(server.pid) : undefined;
      const samples = await healthDuring(server, async () => {
        flood.send();
        await new Promise((resolve) => setTimeout(resolve, floodMs));
      });
      await flood.leave();
      const peak = memory?.stop() ?? 0;
      const { maxMs, ownMaxMs } = healthOf(samples);
      reached(
        `${name}: longest wait for /health (without queueing for a processor), resident memory at most`,
        `${Math.round(maxMs)} ms (${Math.round(ownMaxMs)} ms), ${Math.round(peak / 1e6)} MB`,
      );
      expect(maxMs).to.be.below(healthMsMax);
      expect(peak).to.be.below(residentBytesMax);
    };

    it(`by ${connections} connections that pipeline leaves the service answering within its memory [A.hostile.pipelining]`, async () => {
      const path = '/api/v1/openapi.json/none';
      await withstand(`${connections} connections that pipeline`, connections, path, Math.floor(pipelinedBytes / 80));
    });

    rarely(
      `of ${readers} share links' Markdown of 39 MB leaves the service answering within its memory [A.hostile.unread]`,
      async () => {
        const path = await largeShare(new RestClient(server.url));
        const whole = await fetch(`${server.url}${path}`);
        expect((await whole.arrayBuffer()).byteLength).to.be.above(20 * (documentBytes - 1024));
        await withstand(`${readers} unread responses of 39 MB`, readers, path, 1);
      },
    );
  });
}

/** A link to a task with 20 linked documents of 2 MB: the path of its Markdown. */
async function largeShare(rest: RestClient): Promise<string> {
  const project = (await rest.post('/projects', { name: 'Plan' })).body.id as string;
  const task = (await rest.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
  const body = 'Two metres deep.\n'.repeat(documentBytes / 17).slice(0, documentBytes - 16);
  for (let n = 0; n < 20; n++) {
    const made = await rest.post(`/projects/${project}/documents`, { title: `Plan ${n}`, body, link_to: task });
    expect(made.status).to.equal(201);
  }
  const share = await rest.post(`/tasks/${task}/share`, {});
  return new URL(share.body.markdown_url as string).pathname;
}
