import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Command, runProcess } from './support/command.ts';
import { repository } from './support/server-process.ts';
import { scratchDirectory } from './support/scratch.ts';
import { rarely } from './support/rarely.ts';

const program = (level: string, body: string): string =>
  `import { openLog } from ${JSON.stringify(join(repository, 'src/main/log.ts'))};
const log = openLog(${JSON.stringify(level)});
${body}`;

/** Runs a program that logs. Resolves with its standard error. */
async function logged(level: string, body: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program(level, body)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return text;
}

const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('The log', () => {
  const scratch = scratchDirectory();

  it('is one JSON object per line, level first, and complete when the process exits', async () => {
    const text = await logged('info', `for (let at = 0; at < 1000; at++) log({ level: 'info', at, message: 'x' });`);
    expect(text.startsWith('{"level":"info","at":0,')).to.equal(true);
    expect(lines(text)).to.deep.equal(Array.from({ length: 1000 }, (_, at) => ({ level: 'info', at, message: 'x' })));
  });

  it('contains entries of its level and of more severe ones', async () => {
    const body = `for (const level of ['debug', 'info', 'warn', 'error']) log({ level, message: level });
log({ message: 'without' });`;
    const loggedAt = async (level: string): Promise<unknown[]> =>
      (lines(await logged(level, body)) as { message: string }[]).map(({ message }) => message);
    expect(await loggedAt('debug')).to.deep.equal(['debug', 'info', 'warn', 'error', 'without']);
    expect(await loggedAt('info')).to.deep.equal(['info', 'warn', 'error', 'without']);
    expect(await loggedAt('warn')).to.deep.equal(['warn', 'error']);
    expect(await loggedAt('error')).to.deep.equal(['error']);
    expect(await loggedAt('silent')).to.deep.equal([]);
  });

  it('does not end the process when its reader closes the pipe', async () => {
    const body = `setInterval(() => log({ message: 'x'.repeat(10_000) }), 5);
setTimeout(() => { console.log('alive'); process.exit(0); }, 400);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program('info', body)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.destroy();
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, output.trim()]).to.deep.equal([0, 'alive']);
  });

  it('has lines for a person at a terminal, and waits for no terminal that is stopped [A.terminal]', async () => {
    const body = `const print = openLines(1);
openLog('warn', 'lines')({ level: 'warn', at: '2026-11-28T14:02:00.000Z', message: 'watch lost', path: 'a\\u001b' });
setInterval(() => print('x'.repeat(100_000)), 1);
setTimeout(() => console.error('alive'), 300);`;
    const program = `import { openLines, openLog } from ${JSON.stringify(join(repository, 'src/main/log.ts'))};\n${body}`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    // Nothing reads its output.
    while (!text.includes('alive') || !text.includes('warn'))
      await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill('SIGKILL');
    expect(text).to.match(/^\d\d:\d\d warn: watch lost \(path a\\u001b\)$/m);
  });

  rarely('contains the entry of each request before a service that was stopped exits [A.log-line]', async () => {
    const command = new Command(['serve', '--root', scratch.path, '--port', '0']);
    try {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await command.firstLine())![0];
      const { headers } = await fetch(`${url}/api/v1/health`);
      command.signal('SIGTERM');
      const { code, errors } = await command.finished;
      expect(code).to.equal(0);
      const requests = (lines(errors) as { id?: string; message?: string }[]).filter(
        ({ message }) => message === 'request',
      );
      expect(requests.map(({ id }) => id)).to.deep.equal([headers.get('x-request-id')]);
    } finally {
      await command.kill();
    }
  });

  it('has the level in PLANNER_LOG, which must be a known level', async () => {
    const { code, errors } = await runProcess(['doctor', '--root', scratch.path], {
      environment: { PLANNER_LOG: 'loud' },
    });
    expect(code).not.to.equal(0);
    expect(errors).to.include('silent, error, warn, info, debug');
  });
});
