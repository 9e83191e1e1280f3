import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { limits } from '../../src/base/limits.ts';
import { sessionsCollection } from '../../src/operations/access/sessions.ts';
import type { SessionRecord } from '../../src/operations/access/sessions.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { reached } from '../support/reached.ts';
import { TestService } from '../support/service.ts';

const atOnce = 100;
/** A session takes some hundred bytes, in the service's memory and its index. */
const bytesPerSessionMax = 4_000;
const spareBytes = 40_000_000;

/** Memory in use, without garbage. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Starts `count` sessions at one service, and checks their stored form. */
export function describeSessions(count: number): void {
  describe(`${count} MCP sessions`, function () {
    this.timeout(300_000);

    it('are kept up to a number, the longest idle going first, and leave the service answering [A.hostile.mcp-sessions, D2.sessions]', async () => {
      const service = await TestService.start();
      try {
        const initialize = {
          ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: 'x'.repeat(5000), version: '1' },
          },
        };
        const ids: string[] = [];
        const begin = async (): Promise<void> => {
          const response = await rawMcp(service.url, initialize);
          expect(response.status).to.equal(200);
          ids.push(response.headers.get('mcp-session-id')!);
          await response.arrayBuffer();
        };
        await begin();
        const before = heapBytes();
        while (ids.length < count) await Promise.all(Array.from({ length: atOnce }, begin));
        const kept = await service.store.readService((view) => [...view.list(sessionsCollection)].length);
        expect(kept).to.equal(Math.min(ids.length, limits.sessionsPerCredentialMax));
        const names = await service.store.readService((view) =>
          [...view.list<SessionRecord>(sessionsCollection)].map(({ client }) => client.length),
        );
        expect(Math.max(...names)).to.be.at.most(100);
        const grown = heapBytes() - before;
        expect(grown).to.be.below(spareBytes + ids.length * bytesPerSessionMax);
        const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
        for (const id of [ids.at(-1)!, ids[0]!])
          expect((await rawMcp(service.url, list, { 'Mcp-Session-Id': id })).status).to.equal(200);
        const client = await service.mcp();
        expect((await client.get('list_projects')).projects).to.deep.equal([]);
        await service.restart();
        expect(await service.store.readService((view) => [...view.list(sessionsCollection)].length)).to.be.at.most(
          limits.sessionsMax,
        );
        reached(
          'MCP sessions begun, of which were kept',
          `${ids.length.toLocaleString('en-US')}, ${kept.toLocaleString('en-US')} (${Math.round(grown / 1e6)} MB)`,
        );
      } finally {
        await service.stop();
      }
    });
  });
}
