import { expect } from 'chai';
import { createDocument } from '../../src/domain/content/documents.ts';
import { createEdge } from '../../src/domain/links/edge-sheets.ts';
import { createTask } from '../../src/domain/plan/tasks.ts';
import { updateTag } from '../../src/domain/plan/tags.ts';
import { limits } from '../../src/base/limits.ts';
import { requireFiles } from '../support/hosted-mode.ts';
import { TestService } from '../support/service.ts';

const count = 1200;
const changesMax = 40;
const meta = { author: 'human:test', source: 'rest' } as const;

describe('a result computed in slices while the project changes', () => {
  let service: TestService;
  let project: string;
  /** The first, one in the middle and the last: all three are changed in one transaction. */
  let marked: readonly [string, string, string];
  let tag: string;
  const { turnBudgetMs } = limits;

  before(async () => {
    // One step in each turn: a change may happen between any two.
    Object.assign(limits, { turnBudgetMs: 0 });
    service = await TestService.start();
    project = await service.project();
    await service.store.update(project, meta, (tx) => {
      const ids = Array.from(
        { length: count },
        (_, i) => createTask(tx, { label: `Task ${i}`, description: 'A bed', tags: i % 600 === 0 ? ['v0'] : [] }).id,
      );
      marked = [ids[0]!, ids[count / 2]!, ids.at(-1)!];
      createDocument(tx, { title: 'Beds', body: 'v0' });
      tag = [...tx.list('tag')][0]!.id;
    });
  });

  after(async () => {
    Object.assign(limits, { turnBudgetMs });
    await service.stop();
  });

  /** Changes everything that the results show to the next version; resolves once that is durable. */
  function change(version: number): Promise<void> {
    return service.store.update(project, meta, (tx) => {
      const [first, middle, last] = marked;
      for (const id of marked) tx.put('task', { ...tx.get('task', id)!, label: `v${version}` });
      tx.put('task', { ...tx.get('task', first)!, status: version % 2 === 0 ? 'done' : 'todo' });
      for (const id of [middle, last]) {
        const edge = tx.incoming(id).find(({ from }) => from === first);
        const links = tx.get('task', first)!.links.filter(({ to }) => to !== id);
        if (edge !== undefined) tx.put('task', { ...tx.get('task', first)!, links });
        else createEdge(tx, { from_type: 'task', from_id: first, to_type: 'task', to_id: id });
      }
      updateTag(tx, { tag_id: tag, name: `v${version}` });
      createTask(tx, { label: `Added ${version}`, description: '' });
    });
  }

  /** Calls an operation while the project changes in every turn; returns the result and the number of changes. */
  async function whileChanging<T>(ask: () => Promise<T>): Promise<{ readonly answer: T; readonly changes: number }> {
    const changes: Promise<void>[] = [];
    const state = { pending: true };
    const answer = ask().finally(() => (state.pending = false));
    for (let turn = 0; state.pending; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 4 === 0 && changes.length < changesMax) changes.push(change(changes.length));
    }
    await Promise.all(changes);
    return { answer: await answer, changes: changes.length };
  }

  it('shows one state: a list of tasks [A.loop.snapshot]', async () => {
    const { answer, changes } = await whileChanging(() => service.rest.get(`/projects/${project}/tasks`));
    expect(changes).to.be.above(5);
    const tasks = new Map((answer.body.tasks as { id: string }[]).map((task) => [task.id, task]));
    const [first, middle, last] = marked.map((id) => tasks.get(id) as unknown as Record<string, unknown>);
    expect(new Set([first, middle, last].map((task) => task!['label']))).to.have.length(1);
    const version = String(first!['label']);
    if (version.startsWith('v')) expect((middle!['tags'] as { name: string }[])[0]!.name).to.equal(version);
    expect(last!['waiting_on']).to.deep.equal(middle!['waiting_on']);
    if (first!['status'] === 'done') expect(last!['waiting_on']).to.deep.equal([]);
    const added = [...tasks.values()].filter((task) =>
      (task as unknown as { label: string }).label.startsWith('Added'),
    );
    if (version.startsWith('v')) expect(added.length % 1000).to.be.at.least(Number(version.slice(1)));
  });

  it('shows one state: the graph [A.loop.snapshot]', async () => {
    const { answer, changes } = await whileChanging(() => service.rest.get(`/projects/${project}/task-graph`));
    expect(changes).to.be.above(5);
    interface Node {
      readonly id: string;
      readonly label: string;
      readonly prerequisites: readonly string[];
    }
    const nodes = new Map((answer.body.nodes as Node[]).map((node) => [node.id, node]));
    const [first, middle, last] = marked.map((id) => nodes.get(id)!);
    expect(new Set([first, middle, last].map((node) => node!.label))).to.have.length(1);
    expect(last!.prerequisites).to.deep.equal(middle!.prerequisites);
  });

  it('shows one state: CSV [A.loop.snapshot]', async () => {
    const { answer, changes } = await whileChanging(() => service.rest.get(`/projects/${project}/export?format=csv`));
    expect(changes).to.be.above(5);
    const rows = new Map((answer.body as string).split('\r\n').map((row) => [row.split(',')[0], row.split(',')]));
    const shown = marked.map((id) => rows.get(id)!);
    expect(new Set(shown.map(([, label]) => label))).to.have.length(1);
    // Tags and prerequisites of the middle one and of the last one are equal in each version.
    expect(shown[1]!.slice(9, 12)).to.deep.equal([shown[1]![9], shown[1]![10], shown[2]![11]]);
  });

  it('reports no false problem: doctor [A.loop.snapshot]', async () => {
    requireFiles();
    const { answer, changes } = await whileChanging(() => service.rest.get('/doctor'));
    expect(changes).to.be.above(5);
    expect(answer.body.problems).to.deep.equal([]);
  });

  it('finds titles and texts: the first search [A.loop.slices]', async () => {
    // The service prepares searches half a second after its start.
    await service.restart();
    const { answer, changes } = await whileChanging(() => service.rest.get('/search?q=bed&bodies=true&limit=5'));
    expect(changes).to.be.above(5);
    expect(answer.body.tasks).to.have.length(5);
    expect(answer.body.documents).to.have.length(1);
  });
});
