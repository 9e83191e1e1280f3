import { expect } from 'chai';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { builtProgram } from '../support/build.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { Crowd } from './crowd.ts';
import type { Manner } from './crowd.ts';

/** The service in a process with an open-file limit, and its address. */
async function serviceOf(root: string, files: number): Promise<{ child: ChildProcess; url: string }> {
  const argv = [process.execPath, builtProgram(), 'serve', '--root', root, '--port', '0', '--json'];
  const child = spawn('sh', ['-c', `ulimit -n ${files} && exec "$@"`, 'sh', ...argv], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

/** Opens `count` connections in each state at a service that may open `files`: it responds, and keeps no more connections than its limit. */
export function describeCrowds(count: number, files: number, manners: readonly Manner[]): void {
  describe(`${count} idle connections of each kind`, function () {
    this.timeout(180_000);
    const scratch = scratchDirectory();

    for (const manner of manners)
      it(`that are ${manner} leave the service answering and writing, though it may open ${files} files [A.hostile.connections]`, async () => {
        const { child, url } = await serviceOf(scratch.path, files);
        try {
          const crowd = await Crowd.gather({ url, count, manner });
          for (let n = 0; n < 20; n++) {
            const headers = { 'Content-Type': 'application/json' };
            const body = JSON.stringify({ name: `Plan ${n}` });
            const made = await fetch(`${url}/api/v1/projects`, { method: 'POST', headers, body });
            expect(made.status).to.equal(201);
          }
          const ready = await fetch(`${url}/api/v1/ready`);
          expect([ready.status, ((await ready.json()) as { projects: number }).projects]).to.deep.equal([200, 20]);
          const { open, alive } = await crowd.settled(Math.min(count, files));
          expect(open).to.equal(count);
          reached(
            `idle connections (${manner}), of which were kept`,
            `${count.toLocaleString('en-US')}, ${alive.toLocaleString('en-US')}`,
          );
          await crowd.leave();
        } finally {
          const gone = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGTERM');
          await gone;
        }
      });
  });
}
