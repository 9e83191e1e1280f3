import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TitleIndexes } from '../../src/domain/search/title-index.ts';
import { projectFiles } from '../operations/project-files.ts';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
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
async function planned(transport: Transport, labels: readonly string[], name = 'Garden'): Promise<string> {
  const { id } = await transport.call('create_project', { name });
  for (const label of labels) await transport.call('create_task', { project_id: id, label });
  return id as string;
}

const found = async (transport: Transport, query: string, more: object = {}): Promise<(string | undefined)[]> =>
  names(((await transport.call('search', { query, ...more })) as Answer).tasks);

describe('Search', () => {
  overBoth('finds documents, tasks and notes by title or label [S.mcp.search, D7.search]', async (transport) => {
    const project_id = await planned(transport, ['Dig the beds', 'Order seeds']);
    const document = await transport.call('create_document', {
      project_id,
      title: 'What the beds need',
      body: 'Water.',
    });
    await transport.service.store.flush();
    const { directory } = projectFiles(transport.service.root);
    mkdirSync(join(directory, 'notes'));
    writeFileSync(join(directory, 'notes', 'Beds of last year.md'), 'Too wet.\n');
    await transport.service.store.rescan();
    const answer = (await transport.call('search', { query: 'beds' })) as Answer;
    expect(Object.keys(answer)).to.deep.equal(['documents', 'tasks', 'notes']);
    expect(answer.documents).to.deep.equal([{ id: document.id, project_id, title: 'What the beds need' }]);
    expect(names(answer.tasks)).to.deep.equal(['Dig the beds']);
    expect(names(answer.notes)).to.deep.equal(['Beds of last year']);
    expect(await found(transport, 'water')).to.deep.equal([]);
  });

  overBoth('returns the best match first [D7.search]', async (transport) => {
    await planned(transport, [
      'Wintering the hives',
      'Winter plans for all beds',
      'Winter beds',
      'Bed frames',
      'winter',
    ]);
    expect((await found(transport, 'winter'))[0]).to.equal('winter');
    expect(await found(transport, 'WINTER beds')).to.deep.equal(['Winter beds', 'Winter plans for all beds']);
    expect(await found(transport, 'winter', { limit: 2 })).to.deep.equal(['winter', 'Winter beds']);
    expect((await found(transport, 'winter palace beds'))[0]).to.equal('Winter beds');
  });

  overBoth('finds words by prefix, with typos, and regardless of case and accents [D7.search]', async (transport) => {
    await planned(transport, ['Prepare the greenhouse', 'Café für die Gäste', 'Ticket 4711', '温室の準備をする']);
    for (const query of ['green', 'greenhuose', 'grenhouse', 'greenhousse', 'preprae greenhouse']) {
      expect(await found(transport, query), query).to.deep.equal(['Prepare the greenhouse']);
    }
    for (const query of ['cafe gaste', 'CAFÉ', 'gästen']) {
      expect(await found(transport, query), query).to.deep.equal(['Café für die Gäste']);
    }
    expect(await found(transport, '4711')).to.deep.equal(['Ticket 4711']);
    // Another number is not a typo.
    expect(await found(transport, '4712')).to.deep.equal([]);
    expect(await found(transport, '準備')).to.deep.equal(['温室の準備をする']);
    expect(await found(transport, '?!')).to.deep.equal([]);
  });

  overBoth('reflects every change [D7.search]', async (transport) => {
    const project_id = await planned(transport, ['Dig']);
    expect(await found(transport, 'harvest')).to.deep.equal([]);
    const { id } = await transport.call('create_task', { project_id, label: 'Harvest apples' });
    expect(await found(transport, 'harvest')).to.deep.equal(['Harvest apples']);
    await transport.call('update_task', { task_id: id, label: 'Press apples' });
    expect(await found(transport, 'harvest')).to.deep.equal([]);
    expect(await found(transport, 'apples')).to.deep.equal(['Press apples']);
    await transport.service.rest.delete(`/tasks/${id}`);
    expect(await found(transport, 'apples')).to.deep.equal([]);
    const again = await transport.call('create_task', { project_id, label: 'Plums' });
    expect((await transport.call('search', { query: 'plums' })).tasks).to.deep.equal([
      { id: again.id, project_id, label: 'Plums' },
    ]);
    // A call that is rolled back leaves no trace.
    await transport.refusal('scaffold_project_from_plan', {
      project_id,
      tasks: [{ key: 'a', label: 'Quince' }],
      edges: [{ from: 'a', to: 'b' }],
    });
    expect(await found(transport, 'quince')).to.deep.equal([]);
  });

  overBoth('covers the whole workspace, or one project if it is named [D7.search-all]', async (transport) => {
    const first = await planned(transport, ['Mend the fence'], 'One');
    const second = await planned(transport, ['Paint the fence', 'Mend the gate'], 'Two');
    const all = (await transport.call('search', { query: 'fence' })) as Answer;
    expect(all.tasks.map(({ project_id }) => project_id)).to.have.members([first, second]);
    expect(await found(transport, 'fence', { project_id: second })).to.deep.equal(['Paint the fence']);
    // Matches of all words precede matches of some, in any project.
    expect(await found(transport, 'mend gate')).to.deep.equal(['Mend the gate']);
    expect(await transport.refusal('search', { query: 'fence', project_id: 'prj_none' })).to.include({
      error: 'not_found',
      resource: 'project',
    });
  });

  overBoth('reads bodies only on request, and then shows an excerpt [D7.search-bodies]', async (transport) => {
    const project_id = await planned(transport, ['Dig']);
    const filler = 'The soil is poor and stony. '.repeat(20);
    const long = `${filler}Aphids came in May, on the north side. ${filler}`;
    await transport.call('create_document', { project_id, title: 'Diary', body: long });
    await transport.call('create_task', { project_id, label: 'Aphids', description: 'Spray with soap.' });
    await transport.call('create_task', { project_id, label: 'Soap', description: 'For the aphids on the roses.' });
    const plain = (await transport.call('search', { query: 'aphids' })) as Answer;
    expect(names(plain.tasks)).to.deep.equal(['Aphids']);
    expect(plain.documents).to.deep.equal([]);
    const { documents, tasks } = (await transport.call('search', { query: 'aphids', bodies: true })) as Answer;
    expect(tasks.map(({ label, excerpt }) => [label, excerpt])).to.deep.equal([
      ['Aphids', 'Spray with soap.'],
      ['Soap', 'For the aphids on the roses.'],
    ]);
    expect(names(documents)).to.deep.equal(['Diary']);
    expect(documents[0]!.excerpt).to.match(/^… .*Aphids came in May, on the north side\..* …$/);
    expect(documents[0]!.excerpt!.length).to.be.lessThan(210);
    expect(await found(transport, 'soap roses', { bodies: true })).to.deep.equal(['Soap']);
    expect(await found(transport, 'rosse', { bodies: true })).to.deep.equal(['Soap']);
    expect(await found(transport, 'hids', { bodies: true })).to.deep.equal([]);
  });

  overBoth('rejects an invalid query [D7.search]', async (transport) => {
    for (const [input, field] of [
      [{}, 'query'],
      [{ query: ' ' }, 'query'],
      [{ query: 'x'.repeat(501) }, 'query'],
      [{ query: 'x', limit: 51 }, 'limit'],
      [{ query: 'x', limit: 0 }, 'limit'],
      [{ query: 'x', fuzzy: true }, 'fuzzy'],
    ] as const) {
      const error = await transport.refusal('search', input);
      expect(error.error).to.equal('invalid_argument');
      expect(error.field).to.equal(transport.name === 'REST' && field === 'query' ? 'q' : field);
    }
  });

  it('limits results for an agent [D7.search, D2.mcp-size]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const tasks = Array.from({ length: 60 }, (_, at) => ({ key: `k${at}`, label: `dig ${'ä'.repeat(480)} ${at}` }));
      const transport = mcpTransport(service, await service.mcp());
      await transport.call('scaffold_project_from_plan', { project_id, tasks });
      const answer = await transport.call('search', { query: 'dig', limit: 50 });
      expect(Buffer.byteLength(JSON.stringify(answer))).to.be.lessThan(36_000);
      expect(answer.tasks.length).to.be.within(8, 49);
      expect((await restTransport(service).call('search', { query: 'dig', limit: 50 })).tasks).to.have.length(50);
    } finally {
      await service.stop();
    }
  });

  it('is prepared in the background, for projects that exist at the start and for later ones [D7.search, A.loop.slices]', async () => {
    const unprepared = (service: TestService, project: string): Promise<unknown> =>
      service.store.read(project, (view) => view.index<TitleIndexes>('titles').build());
    const prepared = async (service: TestService, project: string): Promise<void> => {
      const end = Date.now() + 20_000;
      while ((await unprepared(service, project)) !== undefined && Date.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await unprepared(service, project)).to.equal(undefined);
    };
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const tasks = Array.from({ length: 300 }, (_, at) => ({ key: `k${at}`, label: `Dig bed ${at}` }));
      await mcpTransport(service, await service.mcp()).call('scaffold_project_from_plan', { project_id, tasks });
      await prepared(service, project_id);
      await service.restart();
      await prepared(service, project_id);
      expect(await found(restTransport(service), 'bed 299')).to.include('Dig bed 299');
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
