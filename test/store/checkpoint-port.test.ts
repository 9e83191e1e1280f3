import { expect } from 'chai';
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import type { CheckpointPort, FileJob } from '../../src/store/files/checkpoint/checkpoint-job.ts';
import { InlineCheckpoints, ThreadCheckpoints } from '../../src/store/files/checkpoint/checkpoint-port.ts';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createRenderer } from '../support/renderer.ts';
import { scratchDirectory } from '../support/scratch.ts';

const sha256 = (text: string): string => hash('sha256', text, 'hex');
const module = pathToFileURL(join(import.meta.dirname, '../support/renderer.ts')).href;

describe('CheckpointPort', () => {
  const scratch = scratchDirectory();
  const at = (name: string): string => join(scratch.path, name);
  const ports: [string, () => CheckpointPort][] = [
    [
      'in a thread of its own',
      () => new ThreadCheckpoints({ root: scratch.path, renderer: { module, data: 'first' } }, systemClock),
    ],
    [
      'in the same thread',
      () =>
        new InlineCheckpoints(
          new CheckpointWriter({ disk: nodeDisk, root: scratch.path, renderer: createRenderer('first') }),
        ),
    ],
  ];

  for (const [name, open] of ports) {
    it(`executes texts, bytes, renderings and removals ${name}, and returns results in order`, async () => {
      const port = open();
      writeFileSync(at('old.md'), 'old');
      const small = Buffer.from('bytes');
      expect(small.buffer.byteLength, 'a view of a larger buffer').to.be.greaterThan(small.byteLength);
      const render = { shape: 'task', code: 'abc123', id: 'tsk_1', fields: { label: 'Größe' } };
      const jobs: FileJob[] = [
        { key: '1', kind: 'file', path: at('tasks/text.md'), expect: null, bytes: 'Größe' },
        { key: '2', kind: 'file', path: at('tasks/bytes.md'), expect: null, bytes: small },
        { key: '3', kind: 'file', path: at('tasks/rendered.md'), expect: null, render },
        { key: '4', kind: 'file', path: at('old.md'), expect: { sha256: sha256('old') }, bytes: null },
        { key: '5', kind: 'file', path: at('tasks/text.md'), expect: null, bytes: 'other' },
      ];
      const { results, gitChanged } = await port.run(jobs);
      expect(results.map(({ key, status }) => key + status)).to.deep.equal(['1ok', '2ok', '3ok', '4ok', '5changed']);
      expect(results[0]).to.deep.include({ stat: nodeDisk.stat(at('tasks/text.md')), sha256: sha256('Größe') });
      expect(Buffer.from((results[4] as { bytes: Uint8Array }).bytes).toString()).to.equal('Größe');
      expect(gitChanged).to.equal(false);
      expect(readFileSync(at('tasks/bytes.md'), 'utf8')).to.equal('bytes');
      expect(readFileSync(at('tasks/rendered.md'), 'utf8')).to.equal('first\ntsk_1: {"label":"Größe"}\n');
      expect(existsSync(at('old.md'))).to.equal(false);
      expect(await port.sync([at('tasks/text.md')])).to.deep.equal([]);
      await port.close();
    });
  }

  it('rejects jobs after its thread has ended', async () => {
    const broken = pathToFileURL(at('broken.ts')).href;
    writeFileSync(at('broken.ts'), 'export const createRenderer = () => { throw new Error("broken"); };');
    const port = new ThreadCheckpoints({ root: scratch.path, renderer: { module: broken, data: null } }, systemClock);
    const error = await port.run([]).catch((thrown: unknown) => thrown);
    expect((error as Error).message).to.contain('broken');
    expect(await port.run([]).catch((thrown: unknown) => thrown)).to.be.instanceOf(Error);
    await port.close();
  });

  it('has a thread only while there is something to write, and syncs before it ends', async () => {
    const clock = new ManualClock();
    const port = new ThreadCheckpoints({ root: scratch.path }, clock);
    expect(await port.sync([])).to.deep.equal([]);
    expect(port.runs).to.equal(false);
    for (const [number, key] of ['first', 'second'].entries()) {
      const job: FileJob = { key, kind: 'file', path: at(`tasks/${key}.md`), expect: null, bytes: `Number ${number}` };
      expect((await port.run([job])).results.map(({ status }) => status)).to.deep.equal(['ok']);
      expect(port.runs).to.equal(true);
      clock.advance(limits.writerIdleMs - 1);
      expect(clock.timers).to.equal(1);
      clock.advance(1);
      while (port.runs) await turn();
    }
    expect(await port.sync([at('tasks/second.md')])).to.deep.equal([]);
    expect(port.runs).to.equal(true);
    await port.close();
    expect(port.runs).to.equal(false);
  });

  it('loses no save in place at the moment of a write that takes less than 20 ms', async () => {
    mkdirSync(at('tasks'));
    const port = new ThreadCheckpoints({ root: scratch.path }, systemClock);
    await port.run([]);
    let known = 'round 0';
    let judged = 0;
    writeFileSync(at('tasks/a.md'), known);
    for (let round = 1; round <= 80; round++) {
      const [ours, theirs] = [`ours ${round}`, `theirs ${round}`];
      const file = {
        key: 'a',
        kind: 'file',
        path: at('tasks/a.md'),
        expect: { sha256: sha256(known) },
        bytes: ours,
      } as const;
      const answer = port.run([file]);
      const tookMs = saveInPlace(at('tasks/a.md'), theirs, round * 40);
      const [result] = (await answer).results;
      known = readFileSync(at('tasks/a.md'), 'utf8');
      const raced = result?.status === 'raced' ? Buffer.from(result.bytes).toString() : undefined;
      // A save that the system interrupted may end after the replaced file was read for the last time.
      if (tookMs >= 20) continue;
      judged++;
      expect([known, raced], `${round}: ${result?.status}`).to.include(theirs);
    }
    expect(judged).to.be.above(0);
    await port.close();
  });

  /** Saves like an editor: opens, waits a little, empties, writes. Returns how long it took, in milliseconds. */
  function saveInPlace(path: string, text: string, microseconds: number): number {
    const began = performance.now();
    const fd = openSync(path, 'r+');
    while (performance.now() < began + microseconds / 1000);
    ftruncateSync(fd, 0);
    writeSync(fd, text, 0);
    closeSync(fd);
    return performance.now() - began;
  }
});
