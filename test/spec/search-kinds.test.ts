import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/base/limits.ts';
import { projectFiles } from '../operations/project-files.ts';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

const kinds = [
  ...(['document', 'task', 'note', 'goal', 'artifact', 'prototype', 'submission', 'comment', 'run'] as const),
];

type Answer = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** A record of every kind, each with the word `aphids` in its title, if it has one, and the word `ladybirds` in its text. */
async function planned(transport: Transport): Promise<Readonly<Record<string, string>>> {
  const { id: project_id } = await transport.call('create_project', { name: 'Garden' });
  const made = async (operation: string, input: object): Promise<string> =>
    (await transport.call(operation, { project_id, ...input })).id as string;
  const html = '<style>.ladybirds{}</style><h1>Shade</h1><p>Put <b>lady</b>birds there</p><script>ladybirds()</script>';
  const task = await made('create_task', { label: 'Aphids on roses', description: 'Buy ladybirds.' });
  const run = await made('start_agent_run', { label: 'Spray', agent_ref: 'builder' });
  for (const message of ['Aphids are here, and ladybirds.', 'I asked a friend.'])
    await transport.call('record_agent_progress', { run_id: run, message });
  const { body: submission } = await transport.service.rest.post(`/projects/${project_id}/submissions`, {
    participant_name: 'Bo',
    title: 'Aphids again',
    body: 'Where are the ladybirds?',
  });
  return {
    project: project_id as string,
    task,
    submission: submission.id as string,
    document: await made('create_document', { title: 'Aphids', body: 'Food of ladybirds.' }),
    note: await made('create_note', { title: 'Aphids in May', body: 'No ladybirds yet.' }),
    goal: await made('create_goal', { name: 'No aphids', objective: 'Roses.', constraints: 'Only ladybirds.' }),
    artifact: await made('create_artifact', { title: 'Aphids page', kind: 'html', content: html }),
    prototype: await made('create_prototype', { name: 'Aphids app' }),
    run,
    comment: await made('add_comment', { target_type: 'task', target_id: task, body: '<p>Order</p><p>ladybirds</p>' }),
  };
}

const search = async (transport: Transport, query: string, more: object = {}): Promise<Answer> =>
  (await transport.call('search', { query, types: kinds, ...more })) as Answer;

const ids = (answer: Answer): string[] =>
  Object.values(answer)
    .flatMap((hits) => hits.map(({ id }) => id as string))
    .sort();

describe('Search of every kind', () => {
  overBoth(
    'finds the kinds that are named by title, and only documents, tasks and notes without [D7.search]',
    async (transport) => {
      const made = await planned(transport);
      const { project, comment, run, ...titled } = made;
      expect([comment, run]).to.have.length(2);
      const answer = await search(transport, 'aphids');
      expect(Object.keys(answer)).to.deep.equal(kinds.map((kind) => `${kind}s`));
      expect(ids(answer)).to.deep.equal(Object.values(titled).sort());
      const common = { project_id: project };
      expect(answer['goals']).to.deep.equal([{ ...common, id: made['goal'], title: 'No aphids' }]);
      expect(answer['artifacts']).to.deep.equal([{ ...common, id: made['artifact'], title: 'Aphids page' }]);
      expect(answer['prototypes']).to.deep.equal([{ ...common, id: made['prototype'], title: 'Aphids app' }]);
      expect(answer['submissions']).to.deep.equal([
        { ...common, id: made['submission'], title: 'Aphids again', status: 'pending', untrusted: true },
      ]);
      const plain = (await transport.call('search', { query: 'aphids' })) as Answer;
      expect(Object.keys(plain)).to.deep.equal(['documents', 'tasks', 'notes']);
      const goals = (await transport.call('search', { query: 'aphids', types: ['goal'] })) as Answer;
      expect(ids(goals)).to.deep.equal([made['goal']]);
      expect((await transport.refusal('search', { query: 'aphids', types: ['revision'] })).error).to.equal(
        'invalid_argument',
      );
    },
  );

  overBoth(
    'finds the texts of every kind on request, with an excerpt of the visible text [D7.search-bodies]',
    async (transport) => {
      const made = await planned(transport);
      const { project, prototype, ...written } = made;
      expect(prototype).to.be.a('string');
      expect(ids(await search(transport, 'ladybirds'))).to.deep.equal([]);
      const answer = await search(transport, 'ladybirds', { bodies: true, project_id: project });
      expect(ids(answer)).to.deep.equal(Object.values(written).sort());
      const excerpt = (list: string): unknown => answer[list]![0]!['excerpt'];
      expect(excerpt('goals')).to.equal('Only ladybirds.');
      expect(excerpt('artifacts')).to.equal('Shade Put ladybirds there');
      expect(excerpt('submissions')).to.equal('Where are the ladybirds?');
      const lines = 'Aphids are here, and ladybirds. I asked a friend.';
      expect(answer['runs']).to.deep.equal([{ id: made['run'], project_id: project, title: 'Spray', excerpt: lines }]);
      // A submission is found by its submitter too.
      expect(ids(await search(transport, 'bo', { bodies: true }))).to.deep.equal([made['submission']]);
      const { author, ...comment } = answer['comments']![0]!;
      expect(author).to.be.a('string');
      expect(comment).to.deep.equal({
        ...{ id: made['comment'], project_id: project, title: 'Aphids on roses', excerpt: 'Order ladybirds' },
        ...{ target_type: 'task', target_id: made['task'], resolved: false },
      });
      // Scripts and styles are not read.
      expect(ids(await search(transport, 'ladybirds shade', { bodies: true }))).to.deep.equal([made['artifact']]);
    },
  );

  overBoth('reflects every change, also of files, and a restart [D7.search-bodies]', async (transport) => {
    const made = await planned(transport);
    const found = async (query: string): Promise<string[]> => ids(await search(transport, query, { bodies: true }));
    expect(await found('hoverflies')).to.deep.equal([]);
    await transport.call('update_document', { document_id: made['document'], body: 'Hoverflies help too.' });
    expect(await found('hoverflies')).to.deep.equal([made['document']]);
    expect(await found('food')).to.deep.equal([]);
    await transport.service.rest.delete(`/comments/${made['comment']}`);
    expect(await found('order')).to.deep.equal([]);
    await transport.service.store.flush();
    const { directory, files } = projectFiles(transport.service.root);
    const [path] = Object.entries(files).find(([, text]) => text.includes('No ladybirds yet.'))!;
    const file = join(directory, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace('No ladybirds yet.', 'Earwigs came.'));
    await transport.service.store.rescan();
    expect(await found('earwigs')).to.deep.equal([made['note']]);
  });

  it('finds after a restart, texts that are not kept in memory too [D7.search-bodies]', async () => {
    const service = await TestService.start();
    try {
      const transport = restTransport(service);
      const made = await planned(transport);
      const long = `Lacewings, and ${'nothing of it here. '.repeat(limits.residentTextBytesMax / 10)}@Lacewings at the end.`;
      await transport.call('update_document', { document_id: made['document'], body: long });
      await service.store.flush();
      for (let round = 0; round < 2; round++) {
        const answer = await search(transport, '@lacewings', { bodies: true });
        expect(ids(answer)).to.deep.equal([made['document']]);
        expect(JSON.stringify(answer['documents'])).to.match(/… [^…]*@Lacewings at the end\."/);
        expect(ids(await search(transport, 'ladybirds', { bodies: true }))).to.have.length(7);
        await service.restart();
      }
    } finally {
      await service.stop();
    }
  });

  it('marks archived records, and the prototype of a screen [D7.search]', async () => {
    const service = await TestService.start();
    try {
      const transport = restTransport(service);
      const { goal, project, prototype } = await planned(transport);
      await transport.call('create_artifact', {
        ...{ project_id: project, title: 'Aphids screen', kind: 'html', content: '<p>x</p>', prototype_id: prototype },
      });
      await transport.call('pause_goal', { goal_id: goal });
      const archived = await service.rest.post(`/goals/${goal}/archive`, {});
      expect(archived.status, JSON.stringify(archived.body)).to.equal(200);
      const answer = await search(transport, 'aphids');
      expect(answer['goals']![0]!['archived_at']).to.be.a('string');
      expect(answer['artifacts']!.map((hit) => hit['prototype_id'])).to.have.members([undefined, prototype]);
    } finally {
      await service.stop();
    }
  });
});

describe('Tasks that match words', () => {
  let service: TestService;
  before(async () => (service = await TestService.start()));
  after(() => service.stop());

  it('are found by every word of labels and descriptions, all of them, as they are now [D7.match-tasks]', async () => {
    const project = await service.project();
    const make = async (label: string, description: string): Promise<string> =>
      (await service.rest.post(`/projects/${project}/tasks`, { label, description })).body.id as string;
    const dig = await make('Dig the pond', 'Frogs need **Wässer**.');
    const sow = await make('Sow', 'Beside the pond, frogs watch.');
    await make('Reap', 'In autumn.');
    await service.rest.post(`/projects/${project}/notes`, { title: 'Pond', body: 'frogs' });
    const match = async (q: string): Promise<string[]> => {
      const { status, body } = await service.rest.get(`/projects/${project}/matching-tasks?q=${encodeURIComponent(q)}`);
      expect(status).to.equal(200);
      return body.task_ids as string[];
    };
    expect(await match('frog')).to.have.members([dig, sow]);
    expect(await match('pond fro')).to.have.members([dig, sow]);
    expect(await match('wasser')).to.deep.equal([dig]);
    expect(await match('frgs'), 'no typos').to.deep.equal([]);
    expect(await match('!'), 'no words').to.deep.equal([]);
    await service.rest.patch(`/tasks/${sow}`, { description: 'Rain.' });
    expect(await match('frogs')).to.deep.equal([dig]);
    await service.rest.delete(`/tasks/${dig}`);
    expect(await match('frogs')).to.deep.equal([]);
    const many = await Promise.all(Array.from({ length: 60 }, (_, at) => make(`Row ${at}`, `snail${at} on lettuce`)));
    expect(await match('snail lettuce'), 'more than a search returns').to.have.members(many);
  });

  it('are asked for with the tag of the former answer, in one project that the caller may see [D1.etag]', async () => {
    const project = await service.project();
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig', description: 'frogs' });
    const path = `/projects/${project}/matching-tasks?q=frogs`;
    const etag = (await service.rest.get(path)).headers.get('etag')!;
    expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(304);
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Sow', description: 'frogs' });
    expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(200);
    const other = await service.project();
    const key = await service.rest.post('/keys', { kind: 'agent', project_id: other, name: 'b' });
    const headers = { Authorization: `Bearer ${key.body.secret}` };
    expect((await service.rest.get(path, headers)).status).to.equal(404);
    expect((await service.rest.get(`/projects/${project}/matching-tasks`)).body).to.include({ field: 'q' });
  });
});
