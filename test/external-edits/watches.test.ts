import { expect } from 'chai';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { asServed, TestService, watched } from '../support/service.ts';
import { until } from '../web/support/until.ts';
import { FileEditor } from './external-edits.ts';
import { inotifyWatches } from './inotify-watches.ts';
import { editsAreFoundWithoutWatches, problemsOf } from './watches.ts';
import { rarely } from '../support/rarely.ts';

/**
 * Causes more events in a directory than the kernel's queue of a process takes, while no event is taken out of it. Two
 * files take turns, because equal events in a row are merged.
 */
function floodQueue(directory: string): void {
  const most = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  const files = ['.a.swp', '.b.swp'].map((name) => openSync(join(directory, name), 'w'));
  for (let i = 0; i < 2 * most; i++) writeSync(files[i % 2]!, 'x', 0);
  for (const file of files) closeSync(file);
}

describe('Watch limits', () => {
  const scratch = scratchDirectory();

  rarely(
    'exhausted: edits are found by periodic rescans, which log, doctor and readiness report once [A.hands.watches, A.edit.sweep]',
    () => editsAreFoundWithoutWatches('ENOSPC', 'max_user_watches'),
  );

  it('an overflow of its queue loses events: the periodic rescan finds the edits, becomes faster, and reports it [A.hands.overflow]', async () => {
    if (process.platform !== 'linux') return console.log('      no queue that overflows on this system');
    const clock = { ...systemClock, stepMs: 0, now: (): number => systemClock.now() + clock.stepMs };
    // With the watch in this thread, whose queue fills up while the thread is busy.
    const editor = await FileEditor.start({ rescanIntervalMs: 300, clock });
    try {
      const { id, path } = await editor.document({ title: 'Guide', body: 'Dig.' });
      await editor.settled();
      const noise = join(editor.service.directory, 'noise');
      mkdirSync(noise);
      const kinds = async (): Promise<readonly string[]> =>
        (await problemsOf(editor.service.rest)).map(({ kind }) => kind);
      // An earlier event of the file may still be in flight and reveal the edit: then the next edit is lost.
      for (let round = 0; (await kinds()).length === 0; round++) {
        // All watches of a thread share one queue.
        const watcher = watch(noise, () => undefined);
        floodQueue(noise);
        const [before] = /(?<=---\n)[^-]*$/.exec(editor.read(path))!;
        writeFileSync(editor.path(path), editor.read(path).replace(before, `Round ${round}\n`));
        watcher.close();
        // An event of a recent edit may still arrive.
        clock.stepMs += 60_000;
        await editor.until(async () =>
          expect((await editor.service.rest.get(`/documents/${id}`)).body.body).to.equal(`Round ${round}`),
        );
      }
      expect(await kinds()).to.deep.equal(['missed_edits']);
      expect(JSON.stringify(editor.service.log)).to.contain('max_queued_events');
    } finally {
      await editor.stop();
    }
  });

  rarely(
    'an overflow by changes in a watched directory is detected immediately, without the periodic rescan [A.hands.overflow]',
    async () => {
      if (process.platform !== 'linux') return console.log('      no queue that overflows on this system');
      const editor = await FileEditor.start(asServed);
      try {
        const { id, path } = await editor.document({ title: 'Guide', body: 'Dig.' });
        await editor.settled();
        let before = 'Dig.';
        // An earlier event of the file may still be on its way and reveal the edit in the first round.
        for (const body of ['Dig deep.', 'Dig deeper.']) {
          floodQueue(dirname(editor.path(path)));
          writeFileSync(editor.path(path), editor.read(path).replace(before, body));
          before = body;
          await editor.until(async () =>
            expect((await editor.service.rest.get(`/documents/${id}`)).body.body).to.equal(body),
          );
        }
      } finally {
        await editor.stop();
      }
    },
  );

  it('are not used by a root without projects: the first one, created or copied in, is watched immediately [A.hands.watches]', async () => {
    const other = await FileEditor.start();
    const { id } = await other.task({ label: 'Dig' });
    const copied = join(scratch.path, 'copied');
    cpSync(other.directory, copied, { recursive: true });
    await other.stop();
    const before = inotifyWatches();
    for (const copies of [false, true]) {
      const service = await TestService.start({ ...watched, rescanIntervalMs: 0 });
      try {
        await service.store.watching();
        expect(inotifyWatches()).to.equal(before);
        const projects = join(service.root, 'projects');
        if (copies) {
          mkdirSync(projects, { recursive: true });
          cpSync(copied, join(projects, 'garden'), { recursive: true });
        } else {
          const project = await service.project('Orchard');
          await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
          await service.store.flush();
        }
        const label = async (): Promise<readonly string[]> => {
          const { projects: [first] = [] } = (await service.rest.get('/projects')).body as {
            projects: { id: string }[];
          };
          if (first === undefined) return [];
          const { body } = await service.rest.get(`/projects/${first.id}/tasks`);
          return (body.tasks as { label: string }[]).map((task) => task.label);
        };
        await until(async () => (await label()).includes('Dig'));
        await service.store.watching();
        if (before !== undefined) expect(inotifyWatches()).to.be.above(before);
        const [directory = ''] = readdirSync(projects);
        const tasks = join(projects, directory, 'tasks');
        const path = join(tasks, readdirSync(tasks)[0]!);
        writeFileSync(path, readFileSync(path, 'utf8').replace('label: Dig', 'label: Sow'));
        await until(async () => (await label()).includes('Sow'));
        if (copies) expect((await service.rest.get(`/tasks/${id}`)).body.label).to.equal('Sow');
      } finally {
        await service.stop();
      }
    }
  });

  rarely(
    'a file that is removed before its new directory is watched is gone, without the periodic rescan [A.hands.watches]',
    async () => {
      const service = await TestService.start({ ...asServed, rescanIntervalMs: 0 });
      try {
        for (const name of ['One', 'Two', 'Three']) {
          const project = await service.project(name);
          const { body: document } = await service.rest.post(`/projects/${project}/documents`, {
            title: 'Gone',
            body: '',
          });
          await service.store.flush();
          const projects = join(service.root, 'projects');
          const directory = readdirSync(projects).find((one) => one.startsWith(name.toLowerCase()))!;
          const documents = join(projects, directory, 'documents');
          for (const file of readdirSync(documents)) rmSync(join(documents, file));
          await until(async () => (await service.rest.get(`/documents/${document.id}`)).status === 404);
        }
      } finally {
        await service.stop();
      }
    },
  );
});
