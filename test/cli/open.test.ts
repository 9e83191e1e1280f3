import { expect } from 'chai';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runProcess } from '../support/command.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner open and planner stop', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  it('starts a service in the background, at a free port if the usual one is taken, and ends it', async () => {
    const shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    const opened = join(scratch.path, 'opened');
    const browser = join(scratch.path, 'browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" >> '${opened}'\n`);
    chmodSync(browser, 0o755);
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const environment = { PLANNER_PORT: String(port), BROWSER: browser };
    try {
      // A separate process, because the service gets its environment.
      const { output, errors } = await runProcess(['open', '--json'], shell.options({ environment }));
      expect(errors).to.equal('');
      const { url, started, opened: isOpen } = JSON.parse(output);
      expect([started, isOpen, new URL(url).port === String(port)]).to.deep.equal([true, true, false]);
      expect(await shell.json(['open', '--no-browser'])).to.deep.equal({ url, started: false, opened: false });
      expect((await shell.json(['worktree'])).service.url).to.equal(url);
      const { stopped } = await shell.json(['stop']);
      expect(stopped.url).to.equal(url);
    } finally {
      taken.close();
      await shell.run(['stop']);
    }
    expect(existsSync(join(shell.directory, '.planner/local/lock.json'))).to.equal(false);
    expect((await shell.run(['stop'])).output).to.include('No service runs over');
  });

  it('opens the service that serves the root already, and says where a service is that it cannot end', async () => {
    const shell = new Shell(scratch.path);
    const service = await TestService.start({ directory: shell.directory });
    try {
      expect(await shell.ok(['open', '--no-browser'])).to.equal(`${service.url}\n`);
    } finally {
      await service.stop();
    }
    const now = new Date().toISOString();
    const holder = { host: 'elsewhere', pid: 1, address: 'http://127.0.0.1:1', started_at: now, beat: now, boot: 'x' };
    const lock = join(shell.directory, '.planner/local/lock.json');
    writeFileSync(lock, JSON.stringify(holder));
    expect(await shell.refused(1, ['stop'])).to.include('runs on elsewhere');
    writeFileSync(lock, JSON.stringify({ ...holder, beat: '2020-01-01T00:00:00.000Z' }));
    expect((await shell.run(['stop'])).code).to.equal(1);
    expect(readFileSync(lock, 'utf8')).to.include('elsewhere');
  });
});
