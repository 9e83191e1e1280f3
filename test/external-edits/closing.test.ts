import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { initRepository } from '../support/git.ts';
import { quickClock as clock } from '../support/quick-clock.ts';
import { TestService, watched } from '../support/service.ts';

describe('A service that closes', function () {
  this.timeout(60_000);
  let service: TestService;
  afterEach(() => service.stop());

  /** A task whose file is written; returns its id and the absolute path of the file. */
  async function writtenTask(): Promise<{ readonly id: string; readonly path: string }> {
    const project = await service.project();
    const { body: task } = await service.rest.post(`/projects/${project}/tasks`, {
      label: 'Dig',
      description: 'Deep.',
    });
    await service.store.flush();
    const { path } = (await service.rest.get(`/projects/${project}/records/${task.id}/file`)).body;
    return { id: task.id, path: join(service.directory, path as string) };
  }

  it('leaves a change to the journal if its file was edited before, and merges both at the next start [A.hands.closing]', async () => {
    service = await TestService.start({ watch: false, rescanIntervalMs: 0, clock });
    const { id, path } = await writtenTask();
    // The edit is unknown to the service, which finds another file than the one that it is going to replace.
    writeFileSync(path, readFileSync(path, 'utf8').replace('Deep.', 'Deep and wide.'));
    expect((await service.rest.patch(`/tasks/${id}`, { label: 'Dig a hole' })).status).to.equal(200);
    await service.restart({ clock: systemClock });
    const { body: task } = await service.rest.get(`/tasks/${id}`);
    expect(task).to.include({ label: 'Dig a hole', description: 'Deep and wide.' });
  });

  it('leaves a change in the journal while git holds its lock, and writes it at the next start [A.hands.closing]', async () => {
    service = await TestService.start({ ...watched, clock });
    initRepository(service.directory);
    await service.restart();
    const { id, path } = await writtenTask();
    const lock = join(service.directory, '.git/index.lock');
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    expect((await service.rest.patch(`/tasks/${id}`, { label: 'Dig a hole' })).status).to.equal(200);
    // An opening waits for git, too.
    await service.restart({ clock });
    expect((await service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig a hole');
    expect(readFileSync(path, 'utf8')).to.include('label: Dig\n');
    rmSync(lock);
    await service.store.flush();
    expect(existsSync(path), 'the file has the name of its new label').to.equal(false);
  });
});
