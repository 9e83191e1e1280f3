import { expect } from 'chai';
import { closeSync, mkdirSync, openSync, readFileSync, watch, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { FileEditor } from './external-edits.ts';
import { editsAreFoundWithoutWatches, problemsOf } from './watches.ts';

describe('Watch limits', () => {
  it('exhausted: edits are found by periodic rescans, which log, doctor and readiness report once [A.hands.watches, A.edit.sweep]', () =>
    editsAreFoundWithoutWatches('ENOSPC', 'max_user_watches'));

  it('an overflow of its queue loses events: the periodic rescan finds the edits, becomes faster, and reports it [A.hands.overflow]', async () => {
    const limit = '/proc/sys/fs/inotify/max_queued_events';
    if (process.platform !== 'linux') return console.log('      no queue that overflows on this system');
    const clock = { ...systemClock, stepMs: 0, now: (): number => systemClock.now() + clock.stepMs };
    const editor = await FileEditor.start({ rescanIntervalMs: 300, clock });
    try {
      const { id, path } = await editor.document({ title: 'Guide', body: 'Dig.' });
      await editor.settled();
      const most = Number(readFileSync(limit, 'utf8'));
      const noise = join(editor.service.directory, 'noise');
      mkdirSync(noise);
      const files = ['a', 'b'].map((name) => openSync(join(noise, name), 'w'));
      const kinds = async (): Promise<readonly string[]> =>
        (await problemsOf(editor.service.rest)).map(({ kind }) => kind);
      // An earlier event of the file may still be in flight and reveal the edit: then the next edit is lost.
      for (let round = 0; (await kinds()).length === 0; round++) {
        // All watches of a process share one queue. While this loop runs no event is taken out of it, and equal events in a row
        // are merged into one: so two files take turns.
        const watcher = watch(noise, () => undefined);
        for (let i = 0; i < 2 * most; i++) writeSync(files[i % 2]!, 'x', 0);
        const [before] = /(?<=---\n)[^-]*$/.exec(editor.read(path))!;
        writeFileSync(editor.path(path), editor.read(path).replace(before, `Round ${round}\n`));
        watcher.close();
        // For a recent edit, an event may still arrive.
        clock.stepMs += 60_000;
        await editor.until(async () =>
          expect((await editor.service.rest.get(`/documents/${id}`)).body.body).to.equal(`Round ${round}`),
        );
      }
      expect(await kinds()).to.deep.equal(['missed_edits']);
      for (const file of files) closeSync(file);
      expect(JSON.stringify(editor.service.log)).to.contain('max_queued_events');
    } finally {
      await editor.stop();
    }
  });

  it('an overflow by changes in a watched directory is detected at once, without the periodic rescan [A.hands.overflow]', async () => {
    const limit = '/proc/sys/fs/inotify/max_queued_events';
    if (process.platform !== 'linux') return console.log('      no queue that overflows on this system');
    const editor = await FileEditor.start({ rescanIntervalMs: 0 });
    try {
      const { id, path } = await editor.document({ title: 'Guide', body: 'Dig.' });
      await editor.settled();
      const most = Number(readFileSync(limit, 'utf8'));
      const files = ['.a.swp', '.b.swp'].map((name) => openSync(editor.path(join(path, '..', name)), 'w'));
      let before = 'Dig.';
      // In the first round an earlier event of the file may still be on its way and reveal the edit.
      for (const body of ['Dig deep.', 'Dig deeper.', 'Dig deepest.']) {
        // Two files take turns: the kernel merges equal events in a row.
        for (let i = 0; i < 2 * most; i++) writeSync(files[i % 2]!, 'x', 0);
        writeFileSync(editor.path(path), editor.read(path).replace(before, body));
        before = body;
        await editor.until(async () =>
          expect((await editor.service.rest.get(`/documents/${id}`)).body.body).to.equal(body),
        );
      }
      for (const file of files) closeSync(file);
    } finally {
      await editor.stop();
    }
  });
});
