import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../operations/project-files.ts';
import { type Door, mcpDoor, overBoth, restDoor } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Hit {
  readonly id: string;
  readonly project_id: string;
  readonly label?: string;
  readonly title?: string;
  readonly excerpt?: string;
}

interface Answer {
  readonly documents: readonly Hit[];
  readonly tasks: readonly Hit[];
  readonly notes: readonly Hit[];
}

const names = (hits: readonly Hit[]): (string | undefined)[] => hits.map(({ label, title }) => label ?? title);

/** Tasks of these labels, in a new project. */
async function planned(door: Door, labels: readonly string[], name = 'Garden'): Promise<string> {
  const { id } = await door.call('create_project', { name });
  for (const label of labels) await door.call('create_task', { project_id: id, label });
  return id as string;
}

const found = async (door: Door, query: string, more: object = {}): Promise<(string | undefined)[]> =>
  names(((await door.call('search', { query, ...more })) as Answer).tasks);

describe('Search', () => {
  overBoth('finds documents, tasks and notes by title or label [S.mcp.search, D7.search]', async (door) => {
    const project_id = await planned(door, ['Dig the beds', 'Order seeds']);
    const document = await door.call('create_document', { project_id, title: 'What the beds need', body: 'Water.' });
    await door.service.store.flush();
    const { directory } = projectFiles(door.service.root);
    mkdirSync(join(directory, 'notes'));
    writeFileSync(join(directory, 'notes', 'hand.md'), '# Beds of last year\n\nToo wet.\n');
    await door.service.store.rescan();
    const answer = (await door.call('search', { query: 'beds' })) as Answer;
    expect(Object.keys(answer)).to.deep.equal(['documents', 'tasks', 'notes']);
    expect(answer.documents).to.deep.equal([{ id: document.id, project_id, title: 'What the beds need' }]);
    expect(names(answer.tasks)).to.deep.equal(['Dig the beds']);
    expect(names(answer.notes)).to.deep.equal(['Beds of last year']);
    expect(await found(door, 'water')).to.deep.equal([]);
  });

  overBoth('answers the best match first [D7.search]', async (door) => {
    await planned(door, ['Wintering the hives', 'Winter plans for all beds', 'Winter beds', 'Bed frames', 'winter']);
    expect((await found(door, 'winter'))[0]).to.equal('winter');
    expect(await found(door, 'WINTER beds')).to.deep.equal(['Winter beds', 'Winter plans for all beds']);
    expect(await found(door, 'winter', { limit: 2 })).to.deep.equal(['winter', 'Winter beds']);
    expect((await found(door, 'winter palace beds'))[0]).to.equal('Winter beds');
  });

  overBoth(
    'finds words by their beginning, with typos, and whatever their case and accents [D7.search]',
    async (door) => {
      await planned(door, ['Prepare the greenhouse', 'Café für die Gäste', 'Ticket 4711', '温室の準備をする']);
      for (const query of ['green', 'greenhuose', 'grenhouse', 'greenhousse', 'preprae greenhouse']) {
        expect(await found(door, query), query).to.deep.equal(['Prepare the greenhouse']);
      }
      for (const query of ['cafe gaste', 'CAFÉ', 'gästen']) {
        expect(await found(door, query), query).to.deep.equal(['Café für die Gäste']);
      }
      expect(await found(door, '4711')).to.deep.equal(['Ticket 4711']);
      // Another number is not a typo.
      expect(await found(door, '4712')).to.deep.equal([]);
      expect(await found(door, '準備')).to.deep.equal(['温室の準備をする']);
      expect(await found(door, '?!')).to.deep.equal([]);
    },
  );

  overBoth('keeps up with every change [D7.search]', async (door) => {
    const project_id = await planned(door, ['Dig']);
    expect(await found(door, 'harvest')).to.deep.equal([]);
    const { id } = await door.call('create_task', { project_id, label: 'Harvest apples' });
    expect(await found(door, 'harvest')).to.deep.equal(['Harvest apples']);
    await door.call('update_task', { task_id: id, label: 'Press apples' });
    expect(await found(door, 'harvest')).to.deep.equal([]);
    expect(await found(door, 'apples')).to.deep.equal(['Press apples']);
    await door.service.rest.delete(`/tasks/${id}`);
    expect(await found(door, 'apples')).to.deep.equal([]);
    const again = await door.call('create_task', { project_id, label: 'Plums' });
    expect((await door.call('search', { query: 'plums' })).tasks).to.deep.equal([
      { id: again.id, project_id, label: 'Plums' },
    ]);
    // A call that is rolled back leaves nothing behind.
    await door.refusal('scaffold_project_from_plan', {
      project_id,
      tasks: [{ key: 'a', label: 'Quince' }],
      edges: [{ from: 'a', to: 'b' }],
    });
    expect(await found(door, 'quince')).to.deep.equal([]);
  });

  overBoth('is over the whole workspace, or one project where it is named [D7.search-all]', async (door) => {
    const first = await planned(door, ['Mend the fence'], 'One');
    const second = await planned(door, ['Paint the fence', 'Mend the gate'], 'Two');
    const all = (await door.call('search', { query: 'fence' })) as Answer;
    expect(all.tasks.map(({ project_id }) => project_id)).to.have.members([first, second]);
    expect(await found(door, 'fence', { project_id: second })).to.deep.equal(['Paint the fence']);
    // Matches of all words precede matches of some, in any project.
    expect(await found(door, 'mend gate')).to.deep.equal(['Mend the gate']);
    expect(await door.refusal('search', { query: 'fence', project_id: 'prj_none' })).to.include({
      error: 'not_found',
      resource: 'project',
    });
  });

  overBoth('reads bodies only when asked, and shows an excerpt then [D7.search-bodies]', async (door) => {
    const project_id = await planned(door, ['Dig']);
    const filler = 'The soil is poor and stony. '.repeat(20);
    const long = `${filler}Aphids came in May, on the north side. ${filler}`;
    await door.call('create_document', { project_id, title: 'Diary', body: long });
    await door.call('create_task', { project_id, label: 'Aphids', description: 'Spray with soap.' });
    await door.call('create_task', { project_id, label: 'Soap', description: 'For the aphids on the roses.' });
    const plain = (await door.call('search', { query: 'aphids' })) as Answer;
    expect(names(plain.tasks)).to.deep.equal(['Aphids']);
    expect(plain.documents).to.deep.equal([]);
    const { documents, tasks } = (await door.call('search', { query: 'aphids', bodies: true })) as Answer;
    expect(tasks.map(({ label, excerpt }) => [label, excerpt])).to.deep.equal([
      ['Aphids', 'Spray with soap.'],
      ['Soap', 'For the aphids on the roses.'],
    ]);
    expect(names(documents)).to.deep.equal(['Diary']);
    expect(documents[0]!.excerpt).to.match(/^… .*Aphids came in May, on the north side\..* …$/);
    expect(documents[0]!.excerpt!.length).to.be.lessThan(210);
    expect(await found(door, 'soap roses', { bodies: true })).to.deep.equal(['Soap']);
    expect(await found(door, 'rosse', { bodies: true })).to.deep.equal(['Soap']);
    expect(await found(door, 'hids', { bodies: true })).to.deep.equal([]);
  });

  overBoth('refuses what is no query [D7.search]', async (door) => {
    for (const [input, field] of [
      [{}, 'query'],
      [{ query: ' ' }, 'query'],
      [{ query: 'x'.repeat(501) }, 'query'],
      [{ query: 'x', limit: 51 }, 'limit'],
      [{ query: 'x', limit: 0 }, 'limit'],
      [{ query: 'x', fuzzy: true }, 'fuzzy'],
    ] as const) {
      const error = await door.refusal('search', input);
      expect(error.error).to.equal('invalid_argument');
      expect(error.field).to.equal(door.name === 'REST' && field === 'query' ? 'q' : field);
    }
  });

  it('limits results for an agent [D7.search, D2.mcp-size]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const tasks = Array.from({ length: 60 }, (_, at) => ({ key: `k${at}`, label: `dig ${'ä'.repeat(480)} ${at}` }));
      const door = mcpDoor(service, await service.mcp());
      await door.call('scaffold_project_from_plan', { project_id, tasks });
      const answer = await door.call('search', { query: 'dig', limit: 50 });
      expect(Buffer.byteLength(JSON.stringify(answer))).to.be.lessThan(36_000);
      expect(answer.tasks.length).to.be.within(8, 49);
      expect((await restDoor(service).call('search', { query: 'dig', limit: 50 })).tasks).to.have.length(50);
    } finally {
      await service.stop();
    }
  });

  it('over REST is GET /search?q= with a tag that is valid until a title or text changes [D7.search, D1.etag]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const first = await service.rest.get(`/search?q=dig&project_id=${project}&limit=5&bodies=false`);
      expect(first.status).to.equal(200);
      expect(first.body).to.deep.equal({ documents: [], tasks: [], notes: [] });
      const etag = first.headers.get('etag')!;
      const again = { 'If-None-Match': etag };
      expect((await service.rest.get(`/search?q=dig&project_id=${project}`, again)).status).to.equal(304);
      await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
      expect((await service.rest.get(`/search?q=dig&project_id=${project}`, again)).status).to.equal(200);
    } finally {
      await service.stop();
    }
  });
});
