import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, type FaultyDisk, faultyDisk } from '../support/faulty-disk.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

const quiet = { writer: 'inline', watch: false, rescanIntervalMs: 0 } as const;

async function labels(service: TestService, project: string): Promise<string[]> {
  const { status, body } = await service.rest.get(`/projects/${project}/tasks`);
  expect(status).to.equal(200);
  return (body as { tasks: { label: string }[] }).tasks.map(({ label }) => label).sort();
}

describe('A journal that fails', () => {
  const faults: readonly { readonly name: string; readonly fault: Fault }[] = [
    { name: 'before anything arrived', fault: { at: 1, kind: 'error', code: 'EIO' } },
    { name: 'when half had arrived', fault: { at: 1, kind: 'short' } },
    { name: 'when all but the last block had arrived', fault: { at: 1, kind: 'torn' } },
    { name: 'when all had arrived, so that the outcome is unknown', fault: { at: 1, kind: 'late' } },
  ];
  for (const { name, fault } of faults) {
    it(`(${name}) is final; reads continue, and a retry with the idempotency key over REST or MCP after a restart makes one change [A.crash.final, A.crash.repeat]`, async () => {
      const disk = faultyDisk();
      const service = await TestService.start({ ...quiet, disk });
      try {
        const project = await service.project();
        await service.rest.post(`/projects/${project}/tasks`, { label: 'Durable' });
        await service.store.flush();
        const restCall = (): Promise<RestResponse> =>
          service.rest.post(`/projects/${project}/tasks`, { label: 'By REST' }, { 'Idempotency-Key': 'rest-1' });
        const agent = await service.mcp();
        const agentInput = { project_id: project, label: 'By MCP' };
        disk.arm(fault);
        const [first, called] = await Promise.all([restCall(), agent.call('create_task', agentInput, 'mcp-1')]);
        // Either of the two may have shared the failed write or come after it; neither is acknowledged.
        expect([first.status, first.body.error]).to.deep.equal([503, 'unavailable']);
        expect(called.isError).to.equal(true);
        expect(called.value).to.deep.include({ error: 'unavailable' });
        expect([first.body.outcome, (called.value as { outcome?: string }).outcome]).to.include('unknown');
        expect(await labels(service, project)).to.deep.equal(['Durable']);
        // The disk is well again, the journal stays refused: later syncs prove nothing about earlier failures.
        disk.arm(undefined);
        expect((await service.rest.post(`/projects/${project}/tasks`, { label: 'No' })).status).to.equal(503);
        expect((await agent.call('list_tasks', { project_id: project })).isError).to.equal(false);

        await service.restart();
        expect(service.store.check()).to.deep.equal([]);
        for (let times = 0; times < 2; times++) {
          expect((await restCall()).status).to.equal(201);
          const again = await (await service.mcp()).call('create_task', agentInput, 'mcp-1');
          expect(again.isError).to.equal(false);
        }
        expect(await labels(service, project)).to.deep.equal(['By MCP', 'By REST', 'Durable']);
        expect(service.store.check()).to.deep.equal([]);
      } finally {
        await service.stop();
      }
    });
  }
});

/** A disk that can be full. */
interface SmallDisk {
  readonly options: { readonly directory: string; readonly disk?: FaultyDisk };
  fill(): void;
  makeRoom(): void;
  release(): void;
}

const bytesOfDisk = 8 * 1024 * 1024;

/** A file system of its own in memory, where this process may mount one. */
function mounted(directory: string): SmallDisk | undefined {
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytesOfDisk}`, 'planner-test', directory]);
  if (status !== 0) return undefined;
  const filler = join(directory, 'filler');
  return {
    options: { directory },
    fill: () => {
      try {
        writeFileSync(filler, Buffer.alloc(bytesOfDisk));
      } catch {
        // As much of it as there was room for is there.
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    release: () => void execFileSync('umount', ['-l', directory]),
  };
}

function simulated(directory: string): SmallDisk {
  const disk = faultyDisk();
  return {
    options: { directory, disk },
    fill: () => disk.arm({ at: 1, kind: 'full' }),
    makeRoom: () => disk.arm(undefined),
    release: () => undefined,
  };
}

describe('A full disk', () => {
  const scratch = scratchDirectory();
  const kinds = [
    { name: 'a file system without room where one can be mounted, else a disk that says so', make: mounted },
    { name: 'a disk that says so at every call', make: () => undefined },
  ];
  for (const { name, make } of kinds) {
    it(`rejects changes and uploads, loses nothing, and recovers once space is free (${name}) [A.crash.full]`, async function () {
      this.timeout(60_000);
      const small = make(scratch.path) ?? simulated(scratch.path);
      const service = await TestService.start({ ...quiet, ...small.options });
      try {
        const project = await service.project();
        const send = (label: string): Promise<RestResponse> =>
          service.rest.post(`/projects/${project}/tasks`, { label, description: 'x'.repeat(100_000) });
        const acknowledged: string[] = [];
        for (const label of ['one', 'two', 'three']) {
          expect((await send(label)).status).to.equal(201);
          acknowledged.push(label);
        }
        small.fill();
        const content = Buffer.alloc(2_000_000, 7).toString('base64');
        const file = { filename: 'large.bin', mime: 'application/octet-stream', content_base64: content };
        const refused = await service.rest.post(`/projects/${project}/files`, file);
        expect([refused.status, refused.body.error], JSON.stringify(refused.body)).to.deep.equal([503, 'unavailable']);
        // Space allocated ahead may still take a few changes.
        let status = 201;
        for (let number = 0; status === 201 && number < 200; number++) {
          ({ status } = await send(`more ${number}`));
          if (status === 201) acknowledged.push(`more ${number}`);
        }
        expect(status).to.equal(503);
        expect(await labels(service, project)).to.deep.equal([...acknowledged].sort());

        small.makeRoom();
        await service.restart();
        expect(await labels(service, project)).to.include.members(acknowledged);
        expect((await send('after')).status).to.equal(201);
        expect((await service.rest.post(`/projects/${project}/files`, file)).status).to.equal(201);
        await service.store.flush();
        expect(service.store.check()).to.deep.equal([]);
      } finally {
        // A service that cannot write its files while it closes would hide why the test failed.
        small.makeRoom();
        await service.stop().finally(() => small.release());
      }
    });
  }
});
