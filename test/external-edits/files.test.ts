import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { TestService, watched } from '../support/service.ts';
import { FileEditor } from './external-edits.ts';

/** Changes a part of a file; its other bytes stay. */
function edit(path: string, from: string, to: string): void {
  const before = readFileSync(path, 'utf8');
  expect(before).to.contain(from);
  writeFileSync(path, before.replace(from, to));
}

describe('Copied files', () => {
  let editor: FileEditor;
  beforeEach(async () => {
    editor = await FileEditor.start();
  });
  afterEach(() => editor.stop());

  /** The repair of `planner doctor --fix`, through the service. */
  async function repair(): Promise<readonly string[]> {
    const { status, body } = await editor.service.rest.post('/doctor');
    expect(status).to.equal(200);
    return body.mended as readonly string[];
  }

  it('are listed, each with the command that gives it a record of its own, which works [A.hands.copies, A.edit.two-ids]', async () => {
    const { id, path } = await editor.task({ label: 'Dig', description: 'Deep.' });
    const page = await editor.document({ title: 'Guide', body: 'See above.' });
    const copies = ['tasks/copy of dig.md', `tasks/z${basename(path)}`, `${path.slice(0, -3)} (1).md`];
    for (const copy of copies) execFileSync('cp', [editor.path(path), editor.path(copy)]);
    execFileSync('cp', ['-a', editor.path(page.path), editor.path('documents/Guide copy.md')]);
    const problems = await editor.settled(Array<string>(4).fill('duplicate_id'), editor.bytes());
    expect(problems.map(({ path: shown }) => basename(shown))).to.have.members([
      ...copies.map((copy) => basename(copy)),
      'Guide copy.md',
    ]);
    for (const { remedy } of problems) expect(remedy).to.contain('planner doctor --fix');
    const served = editor.bytes();
    expect(await repair()).to.have.length(4);
    await editor.settled();
    const after = editor.bytes();
    // Neither the originals nor anything else was touched.
    for (const own of [path, page.path]) expect(after[own]).to.equal(served[own]);
    expect((await editor.tasks()).map(({ label, description }) => `${label} ${description}`)).to.deep.equal(
      Array<string>(4).fill('Dig Deep.'),
    );
    expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    expect((await editor.documents()).map(({ body }) => body)).to.deep.equal(['See above.', 'See above.']);
  });

  it('do not change the original record, in whatever directory they are [A.hands.copies]', async () => {
    const { id, path } = await editor.task({ label: 'Dig' });
    mkdirSync(editor.path('documents'), { recursive: true });
    execFileSync('cp', [editor.path(path), editor.path('documents')]);
    await editor.settled(['duplicate_id'], editor.bytes());
    expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    await repair();
    await editor.settled();
    expect(await editor.tasks()).to.have.length(1);
    expect(await editor.documents()).to.have.length(1);
  });

  it('of a folder of documents are records of their own after one command, including folders [A.hands.copies]', async () => {
    const folder = await editor.service.rest.post(`/projects/${editor.project}/folders`, { name: 'Beds' });
    await editor.document({ title: 'North', body: 'Shade.', folder_id: folder.body.id });
    await editor.document({ title: 'South', body: 'Sun.', folder_id: folder.body.id });
    execFileSync('cp', ['-r', editor.path('documents/Beds'), editor.path('documents/More beds')]);
    await editor.until(async () =>
      expect((await editor.problems()).map(({ kind }) => kind)).to.include.members(['duplicate_id', 'duplicate_id']),
    );
    await repair();
    await editor.settled();
    const { folders } = (await editor.service.rest.get(`/projects/${editor.project}/documents`)).body as {
      folders: { name: string; documents: { title: string }[] }[];
    };
    expect(
      folders.map(({ name, documents }) => [name, documents.map(({ title }) => title).sort()]),
    ).to.have.deep.members([
      ['Beds', ['North', 'South']],
      ['More beds', ['North', 'South']],
    ]);
  });

  it('in another project are listed there and repaired alike; a moved one is not a copy [A.hands.copy-projects]', async () => {
    const { id, path } = await editor.task({ label: 'Dig' });
    const moved = await editor.task({ label: 'Sow' });
    const other = await editor.service.project('Field');
    await editor.service.store.flush();
    const field = join(
      dirname(editor.directory),
      readdirSync(dirname(editor.directory)).find((name) => name.startsWith('field-'))!,
    );
    mkdirSync(join(field, 'tasks'), { recursive: true });
    execFileSync('cp', [editor.path(path), join(field, 'tasks')]);
    execFileSync('mv', [editor.path(moved.path), join(field, 'tasks')]);
    const [problem] = await editor.until(async () => {
      const { problems } = (await editor.service.rest.get(`/projects/${other}/problems`)).body as {
        problems: { kind: string; remedy: string }[];
      };
      // The goal of a moved task is not of the other project.
      const found = problems.filter(({ kind }) => kind === 'duplicate_id');
      expect(found).to.have.length(1);
      expect((await editor.tasks()).map(({ label }) => label)).to.deep.equal(['Dig']);
      return found;
    });
    expect(problem).to.include({ id });
    expect(problem!.remedy).to.contain('planner doctor --fix');
    expect((await editor.service.rest.get(`/tasks/${id}`)).status).to.equal(409);
    expect(await repair()).to.have.length(1);
    expect((await editor.service.rest.get(`/tasks/${id}`)).body.project_id).to.equal(editor.project);
    const { tasks } = (await editor.service.rest.get(`/projects/${other}/tasks`)).body as {
      tasks: { label: string }[];
    };
    expect(tasks.map(({ label }) => label)).to.have.members(['Dig', 'Sow']);
    expect((await editor.service.rest.get(`/tasks/${moved.id}`)).body.project_id).to.equal(other);
  });
});

describe('Renamed and deleted directories', () => {
  let editor: FileEditor;
  beforeEach(async () => {
    editor = await FileEditor.start();
  });
  afterEach(() => editor.stop());

  it('renamed and moved, also in letter case alone, keep their records unchanged [A.hands.directories, A.hands.names]', async () => {
    const beds = await editor.service.rest.post(`/projects/${editor.project}/folders`, { name: 'Beds' });
    const north = await editor.document({ title: 'North', body: 'Shade.', folder_id: beds.body.id });
    const loose = await editor.document({ title: 'Loose', body: 'Unfiled.' });
    const paths: Record<string, string> = {};
    for (const [from, to] of [
      ['documents/Beds', 'documents/Rows'],
      ['documents/Rows', 'documents/rOWS'],
      [loose.path, 'documents/rOWS/loose.md'],
      ['documents/rOWS/loose.md', 'documents/rOWS/LOOSE.md'],
    ] as const) {
      renameSync(editor.path(from), editor.path(to));
      await editor.settled([], editor.bytes());
    }
    mkdirSync(editor.path('documents/Above'));
    renameSync(editor.path('documents/rOWS'), editor.path('documents/Above/Rows'));
    await editor.settled([], editor.bytes());
    for (const { id } of [north, loose]) paths[id] = editor.pathOf(id);
    expect(Object.values(paths).map((path) => dirname(path))).to.deep.equal(
      Array<string>(2).fill('documents/Above/Rows'),
    );
    await editor.until(async () => {
      const folder = await editor.service.rest.get(`/folders/${beds.body.id}`);
      expect(folder.body).to.include({ name: 'Rows' });
    });
    for (const { id } of [north, loose])
      expect((await editor.service.rest.get(`/documents/${id}`)).body.folder_id).to.equal(beds.body.id);
    await editor.service.rest.patch(`/documents/${loose.id}`, { body: 'Filed.' });
    await editor.service.store.flush();
    await editor.settled();
    // A name by a person remains.
    expect(editor.pathOf(loose.id)).to.equal('documents/Above/Rows/LOOSE.md');
    // Nothing that the service writes later collides with it where letter case does not count.
    await editor.document({ title: 'LOOSE', body: '', folder_id: beds.body.id });
    const names = readdirSync(editor.path('documents/Above/Rows')).map((name) => name.toLowerCase());
    expect(new Set(names).size).to.equal(names.length);
  });

  it('of a project that are renamed while the service runs continue it under the new name, with its pending changes [A.hands.directories]', async () => {
    const { id } = await editor.task({ label: 'Dig' });
    await editor.service.rest.patch(`/tasks/${id}`, { label: 'Sow' });
    await editor.service.store.flush();
    const left = editor.bytes();
    const projects = dirname(editor.directory);
    const before = editor.directory;
    renameSync(before, join(projects, 'allotment'));
    await editor.settled([], left);
    // The project is served at every moment: no request gets 404.
    for (let round = 0; round < 5; round++) {
      const answers = [
        editor.service.rest.patch(`/tasks/${id}`, { label: `Round ${round}` }),
        editor.service.rest.post(`/projects/${editor.project}/tasks`, { label: `New ${round}` }),
      ];
      renameSync(editor.directory, join(projects, `allotment ${round}`));
      for (const { status } of await Promise.all(answers)) expect(status).to.be.oneOf([200, 201]);
      await editor.until(async () => {
        expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal(`Round ${round}`);
        await editor.service.store.flush();
        expect(editor.read(editor.pathOf(id))).to.contain(`label: Round ${round}\n`);
      });
      await editor.settled();
    }
    expect(await editor.tasks()).to.have.length(6);
    expect(readdirSync(projects)).to.deep.equal(['allotment 4']);
    const { body } = await editor.service.rest.get(
      `/projects/${editor.project}/revisions?target_type=task&target_id=${id}`,
    );
    expect(body.revisions).to.have.length(6);
    await editor.service.restart();
    await editor.settled();
    const again = await editor.service.rest.get(
      `/projects/${editor.project}/revisions?target_type=task&target_id=${id}`,
    );
    expect(again.body.revisions).to.deep.equal(body.revisions);
  });

  it('of a project: deleted and created again, immediately or later, it is served again, and its edits are noticed [A.hands.directories]', async () => {
    const { id, path } = await editor.task({ label: 'Dig' });
    const [kept, directory] = [join(editor.service.directory, 'kept'), editor.directory];
    cpSync(directory, kept, { recursive: true });
    const left = editor.bytes();
    for (const gone of [true, false]) {
      rmSync(directory, { recursive: true });
      if (gone)
        await editor.until(async () => expect((await editor.service.rest.get(`/tasks/${id}`)).status).to.equal(404));
      execFileSync('cp', ['-r', kept, directory]);
      await editor.settled([], left);
      edit(editor.path(path), 'label: Dig', 'label: Sow');
      await editor.until(async () =>
        expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Sow'),
      );
      edit(editor.path(path), 'label: Sow', 'label: Dig');
      await editor.settled([], left);
    }
    // The directory of all projects, too.
    rmSync(dirname(directory), { recursive: true });
    await editor.until(async () => expect((await editor.service.rest.get(`/tasks/${id}`)).status).to.equal(404));
    mkdirSync(dirname(directory));
    execFileSync('cp', ['-r', kept, directory]);
    await editor.settled([], left);
  });
});

describe('Unusual bytes and names', () => {
  let editor: FileEditor;
  beforeEach(async () => {
    editor = await FileEditor.start();
  });
  afterEach(() => editor.stop());

  it('CRLF and BOM stay unchanged when the service changes a field [A.hands.bytes, A.format.keeps]', async () => {
    const { id, path } = await editor.task({ label: 'Dig', description: 'One\nTwo' });
    const text = `\ufeff${editor.read(path).replaceAll('\n', '\r\n')}`;
    writeFileSync(editor.path(path), text);
    await editor.settled([], editor.bytes());
    await editor.service.rest.patch(`/tasks/${id}`, { status: 'done' });
    await editor.service.store.flush();
    expect(editor.read(path)).to.equal(text.replace('status: todo', 'status: done'));
    await editor.settled();
  });

  it('names in NFD are served; a twin in NFC is a listed copy with the same command [A.hands.names, A.hands.copies]', async () => {
    const name = 'Käse und Öl';
    mkdirSync(editor.path(`documents/${name.normalize('NFD')}`), { recursive: true });
    writeFileSync(editor.path(`documents/${name.normalize('NFD')}/${name.normalize('NFD')}.md`), 'decomposed\n');
    await editor.settled([], editor.bytes());
    const [page] = await editor.documents();
    expect(page).to.include({ body: 'decomposed' });
    const twin = editor.path(`documents/${name.normalize('NFC')}`);
    // A file system that takes the two for one has no twin.
    if (existsSync(twin)) return;
    mkdirSync(twin);
    writeFileSync(join(twin, `${name.normalize('NFC')}.md`), 'composed\n');
    await editor.until(async () =>
      expect((await editor.problems()).map(({ kind }) => kind)).to.include('duplicate_id'),
    );
    await editor.service.rest.post('/doctor');
    // Both are served; on another system one of the two directories would be lost.
    await editor.settled(['same_name']);
    expect((await editor.documents()).map(({ body }) => body)).to.have.members(['decomposed', 'composed']);
    renameSync(twin, `${twin} 2`);
    await editor.settled();
  });

  it('an empty file is a record if there was none at its path; an emptied one counts only after the grace period, whatever its time [A.hands.bytes, A.hands.clocks, A.format.empty]', async () => {
    const { id, path } = await editor.task({ label: 'Dig', description: 'Deep.' });
    mkdirSync(editor.path('documents'), { recursive: true });
    execFileSync('touch', [editor.path('documents/empty.md')]);
    await editor.settled([], editor.bytes());
    truncateSync(editor.path(path));
    const future = new Date(Date.now() + 86_400_000);
    utimesSync(editor.path(path), future, future);
    expect((await editor.service.rest.get(`/tasks/${id}`)).body.description).to.equal('Deep.');
    await editor.until(async () =>
      expect((await editor.service.rest.get(`/tasks/${id}`)).body.description).to.equal(''),
    );
    expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    expect(editor.read(path)).to.equal('');
  });

  it('a file of 5 MB is kept and listed with the limit, and its last good version served, until it is shorter [A.hands.bytes, A.edit.unreadable]', async () => {
    const { id, path } = await editor.task({ label: 'Dig', description: 'Deep.' });
    const good = editor.read(path);
    writeFileSync(editor.path(path), `${good}${'long '.repeat(1_000_000)}\n`);
    writeFileSync(editor.path('tasks/new.md'), `${'long '.repeat(1_000_000)}\n`);
    const left = editor.bytes();
    const problems = await editor.settled(['unreadable', 'unreadable'], left);
    for (const { reason } of problems) expect(reason).to.contain('2097152 bytes');
    expect((await editor.service.rest.get(`/tasks/${id}`)).body.description).to.equal('Deep.');
    expect((await editor.service.rest.patch(`/tasks/${id}`, { label: 'Sow' })).status).to.equal(409);
    writeFileSync(editor.path(path), good);
    writeFileSync(editor.path('tasks/new.md'), `${'long '.repeat(400_000)}\n`);
    await editor.settled();
  });
});

describe('Clock steps', () => {
  /** A clock whose wall time can be set, while monotonic time goes on. */
  function steppingClock(): Clock & { stepMs: number } {
    const clock = {
      ...systemClock,
      stepMs: 0,
      now: (): number => systemClock.now() + clock.stepMs,
    };
    return clock;
  }

  /** A clock that reads each time a millisecond later than the time before: a busy machine. */
  function busyClock(): Clock & { stepMs: number } {
    let readings = 0;
    const clock = { ...steppingClock(), now: (): number => systemClock.now() + clock.stepMs + readings++ };
    return clock;
  }

  it('of the service, backwards and forwards, lose no edit and no change, and keep the order of creation [A.hands.clocks]', async () => {
    const clock = steppingClock();
    const editor = await FileEditor.start({ clock });
    try {
      const made: string[] = [];
      const { id, path } = await editor.task({ label: 'Dig', description: 'Deep.' });
      for (const hours of [-2, 24 * 365]) {
        clock.stepMs += hours * 3_600_000;
        const text = `Text after ${hours} hours.`;
        writeFileSync(editor.path(path), editor.read(path).replace(/\n---\n[^]*$/, `\n---\n${text}\n`));
        await editor.until(async () =>
          expect((await editor.service.rest.get(`/tasks/${id}`)).body.description).to.equal(text),
        );
        expect((await editor.service.rest.patch(`/tasks/${id}`, { assignee: `ada ${hours}` })).status).to.equal(200);
        made.push((await editor.task({ label: `Made ${hours}` })).id);
        await editor.service.store.flush();
        await editor.settled();
        await editor.service.restart();
        await editor.settled();
      }
      expect((await editor.tasks()).map(({ id: one }) => one)).to.have.members([id, ...made]);
      expect((await editor.service.rest.get(`/tasks/${id}`)).body.assignee).to.equal('ada 8760');
    } finally {
      await editor.stop();
    }
  });

  it('back by less than a minute keep the order of creation; after larger ones times are right immediately, without a restart [A.hands.clock-back]', async () => {
    const clock = busyClock();
    const service = await TestService.start({ ...watched, clock });
    try {
      const project_id = await service.project();
      const tasks = `/projects/${project_id}/tasks`;
      const make = async (label: string): Promise<{ id: string; created_at: string }> =>
        (await service.rest.post(tasks, { label })).body as { id: string; created_at: string };
      const listed = async (): Promise<string[]> =>
        ((await service.rest.get(tasks)).body.tasks as { label: string }[]).map(({ label }) => label);
      const labels = Array.from({ length: 12 }, (_, at) => `Task ${at}`);
      for (const [at, label] of labels.entries()) {
        await make(label);
        // A correction over the network, again and again.
        clock.stepMs -= at === 5 ? 40_000 : 300;
      }
      expect(await listed()).to.deep.equal(labels);

      clock.stepMs = 2 * 365 * 24 * 3_600_000;
      const early = await make('From 2 years ahead');
      clock.stepMs = 0;
      const now = [await make('Now'), await make('And now')];
      for (const { created_at } of now)
        expect(Math.abs(Date.parse(created_at) - clock.now()), created_at).to.be.below(60_000);
      await service.rest.patch(`/tasks/${early.id}`, { assignee: 'ada' });
      const { body } = await service.rest.get(`/tasks/${early.id}`);
      expect(body.created_at, 'what was made keeps its time').to.equal(early.created_at);
      expect(Date.parse(body.updated_at as string) - clock.now()).to.be.below(60_000);
      // Ids made in one millisecond still ascend.
      const many = Array.from({ length: 200 }, (_, at) => `Many ${String(at).padStart(3, '0')}`);
      const plan = { project_id, tasks: many.map((label, at) => ({ key: `k${at}`, label })) };
      expect((await service.rest.post(`/call/scaffold_project_from_plan`, plan)).status).to.equal(200);
      expect(await listed()).to.deep.equal([...labels, 'Now', 'And now', ...many, 'From 2 years ahead']);
    } finally {
      await service.stop();
    }
  });

  it('of file times hide no edit: a changed file with its former size and time is read, while the service runs and before it starts [A.hands.clocks, A.edit.hints]', async () => {
    const editor = await FileEditor.start();
    try {
      const { id, path } = await editor.task({ label: 'Dig', description: 'Deep.' });
      const file = editor.path(path);
      let label = 'Dig';
      const step = (to: string, time: Date): void => {
        edit(file, `label: ${label}`, `label: ${to}`);
        utimesSync(file, time, time);
        label = to;
      };
      const old = new Date('2001-02-03T04:05:06Z');
      for (const [to, time] of [
        ['Sow', old],
        ['Hoe', old],
        ['Mow', new Date('2099-01-01T00:00:00Z')],
        ['Cut', new Date(0)],
      ] as const) {
        step(to, time);
        await editor.until(async () => expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal(to));
        await editor.settled([], editor.bytes());
      }
      await editor.service.restart();
      await editor.settled();
    } finally {
      await editor.stop();
    }
  });
});
