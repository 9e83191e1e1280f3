import { expect } from 'chai';
import { closeSync, mkdirSync, openSync, readFileSync, watch, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Hands } from './hands.ts';
import { editsAreFoundWithoutWatches, problemsOf } from './watches.ts';

describe('Watch limits', () => {
  it('exhausted: edits are found by looking at all files on a beat, which log, doctor and readiness say once [A.hands.watches, A.edit.sweep]', () =>
    editsAreFoundWithoutWatches('ENOSPC', 'max_user_watches'));

  it('an overflow of its queue loses notices: the beat finds what was missed, goes faster, and says so [A.hands.overflow]', async () => {
    const limit = '/proc/sys/fs/inotify/max_queued_events';
    if (process.platform !== 'linux') return console.log('      no queue that overflows on this system');
    const hands = await Hands.start({ beatMs: 300 });
    try {
      const { id, path } = await hands.document({ title: 'Guide', body: 'Dig.' });
      await hands.settled();
      // All watches of a process share one queue. While this runs nobody takes notices out of it, and equal ones in a row are one: so two
      // files take turns.
      const noise = join(hands.service.directory, 'noise');
      mkdirSync(noise);
      const watcher = watch(noise, () => undefined);
      const files = ['a', 'b'].map((name) => openSync(join(noise, name), 'w'));
      const most = Number(readFileSync(limit, 'utf8'));
      for (let i = 0; i < 2 * most; i++) writeSync(files[i % 2]!, 'x', 0);
      for (const file of files) closeSync(file);
      writeFileSync(hands.path(path), hands.read(path).replace('Dig.', 'Sow.'));
      watcher.close();
      // An edit that is young may still be told of.
      const end = performance.now() + 2100;
      while (performance.now() < end);
      await hands.until(async () => {
        expect((await hands.service.rest.get(`/documents/${id}`)).body.body).to.equal('Sow.');
        expect((await problemsOf(hands.service.rest)).map(({ kind }) => kind)).to.deep.equal(['missed_edits']);
      });
      expect(JSON.stringify(hands.service.log)).to.contain('max_queued_events');
    } finally {
      await hands.stop();
    }
  });
});
