import { expect } from 'chai';
import { TestService } from '../support/service.ts';
import type { McpClient } from '../support/mcp-client.ts';
import { rarely } from '../support/rarely.ts';

const long = 'Ä line of text 🌱 with "quotes".\n'.repeat(8000);
/** Clients cut answers at 25,000 tokens: about 100 kB. */
const answerBytesMax = 45_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('Texts in answers to agents [D13.light-answers]', () => {
  let service: TestService;
  let client: McpClient;
  let project_id: string;

  before(async () => {
    service = await TestService.start();
    client = await service.mcp();
    project_id = await service.project('Texts');
  });
  after(() => service.stop());

  /** Calls a tool whose answer has to fit. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async function get(name: string, input: Record<string, unknown>): Promise<Record<string, any>> {
    const value = (await client.get(name, { project_id, ...input })) as Record<string, unknown>;
    expect(bytesOf(value), name).to.be.below(answerBytesMax);
    return value;
  }

  /** Reads a text in its parts. */
  async function readAll(
    tool: string,
    input: Record<string, unknown>,
    [record, field]: readonly [string, string],
  ): Promise<string> {
    let [text, offset] = ['', undefined as number | undefined];
    do {
      const answer = await get(tool, { ...input, offset });
      text += answer[record][field] as string;
      if (offset === undefined)
        expect(answer['text_lengths'], tool).to.deep.equal({ [`${record}.${field}`]: long.length });
      offset = answer['next_offset'] as number | undefined;
    } while (offset !== undefined);
    return text;
  }

  it('are left out of those to changes, with their lengths, and come with verbose', async () => {
    const { task, text_lengths } = await get('create_task', { label: 'Dig', description: long });
    expect(task).to.include({ label: 'Dig', status: 'todo' }).and.not.have.property('description');
    expect(text_lengths).to.deep.equal({ 'task.description': long.length });
    const changed = await get('update_task', { task_id: task.id, status: 'in_progress' });
    expect(changed['task']).to.include({ id: task.id, status: 'in_progress' }).and.not.have.property('description');
    const verbose = await get('update_task', { task_id: task.id, status: 'todo', verbose: 'true' });
    expect(long.startsWith(verbose['task'].description as string)).to.equal(true);
    expect(verbose['next_offset']).to.be.above(1000);
    const claimed = await get('claim_task', { task_id: task.id, agent_ref: 'ann' });
    expect(claimed['task']).to.not.have.property('description');
    const short = await get('update_task', { task_id: task.id, description: 'Two spits deep.' });
    expect(short['task'].description).to.equal('Two spits deep.');
    expect(short).to.not.have.any.keys('text_lengths', 'next_offset');
    expect((await service.rest.patch(`/tasks/${task.id}`, { description: long })).body.description).to.equal(long);
  });

  it('come in parts, each naming the next, of every kind of record', async () => {
    const { task } = await get('create_task', { label: 'Dig', description: long });
    const { document } = await get('create_document', { title: 'Soil', body: long });
    const { note } = await get('create_note', { title: 'Clay', body: long });
    const { artifact } = await get('create_artifact', { title: 'Report', content: long });
    const { goal } = await get('create_goal', { objective: long });
    await get('update_document', { document_id: document.id, title: 'Loam' });
    await get('update_note', { note_id: note.id, title: 'Loam' });
    await get('update_artifact', { artifact_id: artifact.id, title: 'Loam' });
    await get('update_goal', { goal_id: goal.id, name: 'Loam' });
    await get('create_task', { label: 'Sow', goal_id: goal.id });
    await get('invoke_goal', { goal_id: goal.id });
    await get('pause_goal', { goal_id: goal.id });
    expect(await readAll('get_task', { task_id: task.id }, ['task', 'description'])).to.equal(long);
    expect(await readAll('get_document', { document_id: document.id }, ['document', 'body'])).to.equal(long);
    expect(await readAll('get_note', { note_id: note.id }, ['note', 'body'])).to.equal(long);
    expect(await readAll('get_artifact', { artifact_id: artifact.id }, ['artifact', 'content'])).to.equal(long);
    expect(await readAll('get_goal', { goal_id: goal.id }, ['goal', 'objective'])).to.equal(long);
    const { revisions } = await get('list_revisions', { target_type: 'document', target_id: document.id });
    const { revision } = await get('get_revision', { revision_id: revisions[0].id });
    expect(revision.snapshot.body.length).to.be.above(1000);
    const wrong = await client.call('get_task', { project_id, task_id: task.id, offset: -1 });
    expect(wrong.value).to.include({ error: 'invalid_argument', field: 'offset' });
    expect((await client.call('update_task', { project_id, task_id: task.id, offset: 1 })).value).to.include({
      field: 'offset',
    });
  });

  rarely('leave room for lists within a record, which are cut and counted', async () => {
    const tasks = Array.from({ length: 400 }, (_, at) => ({
      key: `t${at}`,
      label: `Task ${at}`,
      description: long.slice(0, 2000),
    }));
    await get('scaffold_project_from_plan', { tasks });
    const { document } = await get('create_document', { title: 'Index', body: '' });
    const made: string[] = [];
    for (let at = 0; at < 150; at++)
      made.push((await service.rest.post(`/projects/${project_id}/tasks`, { label: `Task ${at}` })).body.id);
    const linked = await get('update_document', { document_id: document.id, link_to: made });
    expect([linked['document'].links.length, linked['document'].links_total]).to.deep.equal([100, 150]);
    const read = await get('get_document', { document_id: document.id });
    expect([read['document'].links.length, read['document'].links_total]).to.deep.equal([100, 150]);
  });

  it('leave out no row between the pages of a list within a record', async () => {
    const id = await service.project('Pages');
    const tasks = Array.from({ length: 250 }, (_, at) => ({ key: `t${at}`, label: `Task ${at}` }));
    const scaffolded = await get('scaffold_project_from_plan', { project_id: id, tasks });
    const goal_id = scaffolded['scaffold'].goal.id as string;
    const found: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await get('get_goal', { project_id: id, goal_id, limit: 150, cursor });
      found.push(...(page['goal'].cycle_tasks as { readonly id: string }[]).map((task) => task.id));
      cursor = page['next_cursor'] as string | undefined;
    }
    expect(found).to.have.members(Object.values(scaffolded['scaffold'].key_to_id as object));
  });

  it('fit next to lists of long names, and have no offset where a tool takes none', async () => {
    const name = 'ä"'.repeat(240);
    const id = await service.project('Long names');
    await get('update_project', { project_id: id, description: long });
    const documents = Array.from({ length: 120 }, (_, at) => ({ key: `d${at}`, title: `${at} ${name}` }));
    const tasks = Array.from({ length: 120 }, (_, at) => ({ key: `t${at}`, label: `${at} ${name}` }));
    const { scaffold } = await get('scaffold_project_from_plan', { project_id: id, tasks, documents });
    const ids = scaffold.key_to_id as Record<string, string>;
    const project = await get('get_project', { project_id: id });
    expect(project['project'].description.length).to.be.above(100);
    expect(project).to.include.keys('next_offset', 'next_cursor');
    await get('update_document', {
      project_id: id,
      document_id: ids['d0'],
      body: long,
      link_to: tasks.map(({ key }) => ids[key]),
    });
    const { document } = await get('get_document', { project_id: id, document_id: ids['d0'] });
    expect(document.links_total).to.equal(120);
    expect([document.links.length > 0, document.body.length > 100]).to.deep.equal([true, true]);
    const first = await get('list_projects', { project_id: undefined });
    const projects = await get('list_projects', { project_id: undefined, cursor: first['next_cursor'] });
    expect(projects['text_lengths']).to.be.an('object');
    expect(projects).to.not.have.property('next_offset');
  });

  it('are small for a change of very many records, and for its error', async () => {
    const tasks = Array.from({ length: 2000 }, (_, at) => ({ key: `t${at}`, label: `Task ${at}` }));
    const id = await service.project('Many');
    const { scaffold, warnings } = await get('scaffold_project_from_plan', { project_id: id, tasks });
    const kept = Object.keys(scaffold.key_to_id as object);
    expect(kept).to.deep.equal(tasks.slice(0, kept.length).map(({ key }) => key));
    expect(scaffold.counts.tasks).to.equal(2000);
    expect(warnings).to.deep.equal([
      `key_to_id has the first ${kept.length} of 2000 keys: list_tasks and list_documents have the other ids.`,
    ]);
    const document_ids = Array.from({ length: 2000 }, (_, at) => `doc_${at}`);
    const moved = await get('move_documents', { project_id: id, document_ids, folder_id: null });
    expect(moved['failed'][0]).to.include({ document_id: 'doc_0', error: 'not_found' });
    expect(moved).to.deep.include({ moved: [], failed_total: 2000 });
    const refused = await client.call('complete_goal', { project_id: id, goal_id: scaffold.goal.id });
    expect(refused.value).to.include({ error: 'blocked_by_incomplete_tasks', incomplete_task_ids_total: 2000 });
    expect(bytesOf(refused.value)).to.be.below(answerBytesMax);
    const ring = Object.values(scaffold.key_to_id as Record<string, string>).slice(0, 3);
    for (const [at, from_id] of ring.entries()) {
      const ends = { from_type: 'task', from_id, to_type: 'task', to_id: ring[(at + 1) % ring.length] };
      await get('create_edge', { project_id: id, ...ends, label: 'depends_on' });
    }
    const cyclic = await client.call('invoke_goal', { project_id: id, goal_id: scaffold.goal.id });
    expect((cyclic.value as { readonly cycles: string[][] }).cycles[0]).to.have.members(ring);
  });
});
