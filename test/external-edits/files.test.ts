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
import { systemClock } from '../../src/clock.ts';
import type { Clock } from '../../src/clock.ts';
import { asServed, TestService } from '../support/service.ts';
import { Hands } from './external-edits.ts';

/** Changes what a file says; its bytes otherwise stay. */
function edit(path: string, from: string, to: string): void {
  const before = readFileSync(path, 'utf8');
  expect(before).to.contain(from);
  writeFileSync(path, before.replace(from, to));
}

describe('Copied files', () => {
  let hands: Hands;
  beforeEach(async () => {
    hands = await Hands.start();
  });
  afterEach(() => hands.stop());

  /** What `planner doctor --fix` does, through the service. */
  async function mend(): Promise<readonly string[]> {
    const { status, body } = await hands.service.rest.post('/doctor');
    expect(status).to.equal(200);
    return body.mended as readonly string[];
  }

  it('are listed, each with the command that makes it a record of its own, which it does [A.hands.copies, A.edit.two-ids]', async () => {
    const { id, path } = await hands.task({ label: 'Dig', description: 'Deep.' });
    const page = await hands.document({ title: 'Guide', body: 'See above.' });
    const copies = ['tasks/copy of dig.md', `tasks/z${basename(path)}`, `${path.slice(0, -3)} (1).md`];
    for (const copy of copies) execFileSync('cp', [hands.path(path), hands.path(copy)]);
    execFileSync('cp', ['-a', hands.path(page.path), hands.path('documents/Guide copy.md')]);
    const problems = await hands.settled(Array<string>(4).fill('duplicate_id'), hands.bytes());
    expect(problems.map(({ path: shown }) => basename(shown))).to.have.members([
      ...copies.map((copy) => basename(copy)),
      'Guide copy.md',
    ]);
    for (const { remedy } of problems) expect(remedy).to.contain('planner doctor --fix');
    const served = hands.bytes();
    expect(await mend()).to.have.length(4);
    await hands.settled();
    const after = hands.bytes();
    // Neither the originals nor anything else was touched.
    for (const own of [path, page.path]) expect(after[own]).to.equal(served[own]);
    expect((await hands.tasks()).map(({ label, description }) => `${label} ${description}`)).to.deep.equal(
      Array<string>(4).fill('Dig Deep.'),
    );
    expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    expect((await hands.documents()).map(({ body }) => body)).to.deep.equal(['See above.', 'See above.']);
  });

  it('make nothing else of a record, in whatever directory they lie [A.hands.copies]', async () => {
    const { id, path } = await hands.task({ label: 'Dig' });
    mkdirSync(hands.path('documents'), { recursive: true });
    execFileSync('cp', [hands.path(path), hands.path('documents')]);
    await hands.settled(['duplicate_id'], hands.bytes());
    expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    await mend();
    await hands.settled();
    expect(await hands.tasks()).to.have.length(1);
    expect(await hands.documents()).to.have.length(1);
  });

  it('of a folder of documents are records of their own after one command, folders too [A.hands.copies]', async () => {
    const folder = await hands.service.rest.post(`/projects/${hands.project}/folders`, { name: 'Beds' });
    await hands.document({ title: 'North', body: 'Shade.', folder_id: folder.body.id });
    await hands.document({ title: 'South', body: 'Sun.', folder_id: folder.body.id });
    execFileSync('cp', ['-r', hands.path('documents/Beds'), hands.path('documents/More beds')]);
    await hands.until(async () =>
      expect((await hands.problems()).map(({ kind }) => kind)).to.include.members(['duplicate_id', 'duplicate_id']),
    );
    await mend();
    await hands.settled();
    const { folders } = (await hands.service.rest.get(`/projects/${hands.project}/documents`)).body as {
      folders: { name: string; documents: { title: string }[] }[];
    };
    expect(
      folders.map(({ name, documents }) => [name, documents.map(({ title }) => title).sort()]),
    ).to.have.deep.members([
      ['Beds', ['North', 'South']],
      ['More beds', ['North', 'South']],
    ]);
  });

  it('in another project are listed there, and mended alike; a moved one is none [A.hands.copy-projects]', async () => {
    const { id, path } = await hands.task({ label: 'Dig' });
    const moved = await hands.task({ label: 'Sow' });
    const other = await hands.service.project('Field');
    await hands.service.store.flush();
    const field = join(
      dirname(hands.directory),
      readdirSync(dirname(hands.directory)).find((name) => name.startsWith('field-'))!,
    );
    mkdirSync(join(field, 'tasks'), { recursive: true });
    execFileSync('cp', [hands.path(path), join(field, 'tasks')]);
    execFileSync('mv', [hands.path(moved.path), join(field, 'tasks')]);
    const [problem] = await hands.until(async () => {
      const { problems } = (await hands.service.rest.get(`/projects/${other}/problems`)).body as {
        problems: { kind: string; remedy: string }[];
      };
      // The goal of a moved task is not of the other project.
      const found = problems.filter(({ kind }) => kind === 'duplicate_id');
      expect(found).to.have.length(1);
      expect((await hands.tasks()).map(({ label }) => label)).to.deep.equal(['Dig']);
      return found;
    });
    expect(problem).to.include({ id });
    expect(problem!.remedy).to.contain('planner doctor --fix');
    expect((await hands.service.rest.get(`/tasks/${id}`)).status).to.equal(409);
    expect(await mend()).to.have.length(1);
    expect((await hands.service.rest.get(`/tasks/${id}`)).body.project_id).to.equal(hands.project);
    const { tasks } = (await hands.service.rest.get(`/projects/${other}/tasks`)).body as { tasks: { label: string }[] };
    expect(tasks.map(({ label }) => label)).to.have.members(['Dig', 'Sow']);
    expect((await hands.service.rest.get(`/tasks/${moved.id}`)).body.project_id).to.equal(other);
  });
});

describe('Directories by hand', () => {
  let hands: Hands;
  beforeEach(async () => {
    hands = await Hands.start();
  });
  afterEach(() => hands.stop());

  it('renamed and moved, in letter case alone too, keep their records, and take no byte of them [A.hands.directories, A.hands.names]', async () => {
    const beds = await hands.service.rest.post(`/projects/${hands.project}/folders`, { name: 'Beds' });
    const north = await hands.document({ title: 'North', body: 'Shade.', folder_id: beds.body.id });
    const loose = await hands.document({ title: 'Loose', body: 'Unfiled.' });
    const paths: Record<string, string> = {};
    for (const [from, to] of [
      ['documents/Beds', 'documents/Rows'],
      ['documents/Rows', 'documents/rOWS'],
      [loose.path, 'documents/rOWS/loose.md'],
      ['documents/rOWS/loose.md', 'documents/rOWS/LOOSE.md'],
    ] as const) {
      renameSync(hands.path(from), hands.path(to));
      await hands.settled([], hands.bytes());
    }
    mkdirSync(hands.path('documents/Above'));
    renameSync(hands.path('documents/rOWS'), hands.path('documents/Above/Rows'));
    await hands.settled([], hands.bytes());
    for (const { id } of [north, loose]) paths[id] = hands.pathOf(id);
    expect(Object.values(paths).map((path) => dirname(path))).to.deep.equal(
      Array<string>(2).fill('documents/Above/Rows'),
    );
    const folder = await hands.service.rest.get(`/folders/${beds.body.id}`);
    expect(folder.body).to.include({ name: 'Rows' });
    for (const { id } of [north, loose])
      expect((await hands.service.rest.get(`/documents/${id}`)).body.folder_id).to.equal(beds.body.id);
    await hands.service.rest.patch(`/documents/${loose.id}`, { body: 'Filed.' });
    await hands.service.store.flush();
    await hands.settled();
    // What a person called so stays called so.
    expect(hands.pathOf(loose.id)).to.equal('documents/Above/Rows/LOOSE.md');
    // Nothing that the service writes later collides with it where letter case does not count.
    await hands.document({ title: 'LOOSE', body: '', folder_id: beds.body.id });
    const names = readdirSync(hands.path('documents/Above/Rows')).map((name) => name.toLowerCase());
    expect(new Set(names).size).to.equal(names.length);
  });

  it('of a project: renamed under the running service, also with a change on its way, it goes on under its new name [A.hands.directories]', async () => {
    const { id } = await hands.task({ label: 'Dig' });
    await hands.service.rest.patch(`/tasks/${id}`, { label: 'Sow' });
    await hands.service.store.flush();
    const left = hands.bytes();
    const projects = dirname(hands.directory);
    const before = hands.directory;
    renameSync(before, join(projects, 'allotment'));
    await hands.settled([], left);
    // The project is served at every moment: nobody is told that it is gone.
    for (let round = 0; round < 5; round++) {
      const answers = [
        hands.service.rest.patch(`/tasks/${id}`, { label: `Round ${round}` }),
        hands.service.rest.post(`/projects/${hands.project}/tasks`, { label: `New ${round}` }),
      ];
      renameSync(hands.directory, join(projects, `allotment ${round}`));
      for (const { status } of await Promise.all(answers)) expect(status).to.be.oneOf([200, 201]);
      await hands.until(async () => {
        expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal(`Round ${round}`);
        await hands.service.store.flush();
        expect(hands.read(hands.pathOf(id))).to.contain(`label: Round ${round}\n`);
      });
      await hands.settled();
    }
    expect(await hands.tasks()).to.have.length(6);
    expect(readdirSync(projects)).to.deep.equal(['allotment 4']);
    const { body } = await hands.service.rest.get(
      `/projects/${hands.project}/revisions?target_type=task&target_id=${id}`,
    );
    expect(body.revisions).to.have.length(6);
    await hands.service.restart();
    await hands.settled();
    const again = await hands.service.rest.get(`/projects/${hands.project}/revisions?target_type=task&target_id=${id}`);
    expect(again.body.revisions).to.deep.equal(body.revisions);
  });

  it('of a project: deleted and made again, at once or later, it is served again, and edits of it are heard [A.hands.directories]', async () => {
    const { id, path } = await hands.task({ label: 'Dig' });
    const [kept, directory] = [join(hands.service.directory, 'kept'), hands.directory];
    cpSync(directory, kept, { recursive: true });
    const left = hands.bytes();
    for (const gone of [true, false]) {
      rmSync(directory, { recursive: true });
      if (gone)
        await hands.until(async () => expect((await hands.service.rest.get(`/tasks/${id}`)).status).to.equal(404));
      execFileSync('cp', ['-r', kept, directory]);
      await hands.settled([], left);
      edit(hands.path(path), 'label: Dig', 'label: Sow');
      await hands.until(async () => expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Sow'));
      edit(hands.path(path), 'label: Sow', 'label: Dig');
      await hands.settled([], left);
    }
    // The directory of all projects, too.
    rmSync(dirname(directory), { recursive: true });
    await hands.until(async () => expect((await hands.service.rest.get(`/tasks/${id}`)).status).to.equal(404));
    mkdirSync(dirname(directory));
    execFileSync('cp', ['-r', kept, directory]);
    await hands.settled([], left);
  });
});

describe('Bytes by hand', () => {
  let hands: Hands;
  beforeEach(async () => {
    hands = await Hands.start();
  });
  afterEach(() => hands.stop());

  it('CRLF and BOM stay what they are when the service changes a field [A.hands.bytes, A.format.keeps]', async () => {
    const { id, path } = await hands.task({ label: 'Dig', description: 'One\nTwo' });
    const text = `\ufeff${hands.read(path).replaceAll('\n', '\r\n')}`;
    writeFileSync(hands.path(path), text);
    await hands.settled([], hands.bytes());
    await hands.service.rest.patch(`/tasks/${id}`, { status: 'done' });
    await hands.service.store.flush();
    expect(hands.read(path)).to.equal(text.replace('status: todo', 'status: done'));
    await hands.settled();
  });

  it('names in NFD are served; a twin in NFC is a listed copy with the same command [A.hands.names, A.hands.copies]', async () => {
    const name = 'Käse und Öl';
    mkdirSync(hands.path(`documents/${name.normalize('NFD')}`), { recursive: true });
    writeFileSync(hands.path(`documents/${name.normalize('NFD')}/${name.normalize('NFD')}.md`), 'decomposed\n');
    await hands.settled([], hands.bytes());
    const [page] = await hands.documents();
    expect(page).to.include({ body: 'decomposed' });
    const twin = hands.path(`documents/${name.normalize('NFC')}`);
    // A file system that takes the two for one has no twin.
    if (existsSync(twin)) return;
    mkdirSync(twin);
    writeFileSync(join(twin, `${name.normalize('NFC')}.md`), 'composed\n');
    await hands.until(async () => expect((await hands.problems()).map(({ kind }) => kind)).to.include('duplicate_id'));
    await hands.service.rest.post('/doctor');
    await hands.settled();
    expect((await hands.documents()).map(({ body }) => body)).to.have.members(['decomposed', 'composed']);
  });

  it('a file of 0 bytes is a record where none was, and is believed of one that was only when nobody writes it any more, whatever its time says [A.hands.bytes, A.hands.clocks, A.format.empty]', async () => {
    const { id, path } = await hands.task({ label: 'Dig', description: 'Deep.' });
    mkdirSync(hands.path('documents'), { recursive: true });
    execFileSync('touch', [hands.path('documents/empty.md')]);
    await hands.settled([], hands.bytes());
    truncateSync(hands.path(path));
    const future = new Date(Date.now() + 86_400_000);
    utimesSync(hands.path(path), future, future);
    expect((await hands.service.rest.get(`/tasks/${id}`)).body.description).to.equal('Deep.');
    await hands.until(async () => expect((await hands.service.rest.get(`/tasks/${id}`)).body.description).to.equal(''));
    expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Dig');
    expect(hands.read(path)).to.equal('');
  });

  it('a file of 5 MB is kept and listed with the limit, its last good version served, until it is shorter [A.hands.bytes, A.edit.unreadable]', async () => {
    const { id, path } = await hands.task({ label: 'Dig', description: 'Deep.' });
    const good = hands.read(path);
    writeFileSync(hands.path(path), `${good}${'long '.repeat(1_000_000)}\n`);
    writeFileSync(hands.path('tasks/new.md'), `${'long '.repeat(1_000_000)}\n`);
    const left = hands.bytes();
    const problems = await hands.settled(['unreadable', 'unreadable'], left);
    for (const { reason } of problems) expect(reason).to.contain('2097152 bytes');
    expect((await hands.service.rest.get(`/tasks/${id}`)).body.description).to.equal('Deep.');
    expect((await hands.service.rest.patch(`/tasks/${id}`, { label: 'Sow' })).status).to.equal(409);
    writeFileSync(hands.path(path), good);
    writeFileSync(hands.path('tasks/new.md'), `${'long '.repeat(400_000)}\n`);
    await hands.settled();
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

  /** The same, each time a millisecond later than the time before: a busy machine. */
  function busyClock(): Clock & { stepMs: number } {
    let told = 0;
    const clock = { ...steppingClock(), now: (): number => systemClock.now() + clock.stepMs + told++ };
    return clock;
  }

  it('of the service, backwards and forwards, lose no edit and no change, and keep the order of what is made [A.hands.clocks]', async () => {
    const clock = steppingClock();
    const hands = await Hands.start({ clock });
    try {
      const made: string[] = [];
      const { id, path } = await hands.task({ label: 'Dig', description: 'Deep.' });
      for (const hours of [-2, 24 * 365]) {
        clock.stepMs += hours * 3_600_000;
        const text = `Text after ${hours} hours.`;
        writeFileSync(hands.path(path), hands.read(path).replace(/\n---\n[^]*$/, `\n---\n${text}\n`));
        await hands.until(async () =>
          expect((await hands.service.rest.get(`/tasks/${id}`)).body.description).to.equal(text),
        );
        expect((await hands.service.rest.patch(`/tasks/${id}`, { assignee: `ada ${hours}` })).status).to.equal(200);
        made.push((await hands.task({ label: `Made ${hours}` })).id);
        await hands.service.store.flush();
        await hands.settled();
        await hands.service.restart();
        await hands.settled();
      }
      expect((await hands.tasks()).map(({ id: one }) => one)).to.have.members([id, ...made]);
      expect((await hands.service.rest.get(`/tasks/${id}`)).body.assignee).to.equal('ada 8760');
    } finally {
      await hands.stop();
    }
  });

  it('back by less than a minute keep the order of what is made; after larger ones times are right at once, without a restart [A.hands.clock-back]', async () => {
    const clock = busyClock();
    const service = await TestService.start({ ...asServed, clock });
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

  it('of file times hide no edit: a file with the size and the time that it had is read all the same, while the service runs and before it starts [A.hands.clocks, A.edit.hints]', async () => {
    const hands = await Hands.start();
    try {
      const { id, path } = await hands.task({ label: 'Dig', description: 'Deep.' });
      const file = hands.path(path);
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
        await hands.until(async () => expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal(to));
        await hands.settled([], hands.bytes());
      }
      await hands.service.restart();
      await hands.settled();
    } finally {
      await hands.stop();
    }
  });
});
