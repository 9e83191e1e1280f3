import { expect } from 'chai';
import { TestService } from '../support/service.ts';
import type { McpClient } from '../support/mcp-client.ts';

const long = 'Ä line of text 🌱 with "quotes".\n'.repeat(8000);
/** Clients cut answers at 25,000 tokens: about 100 kB. */
const answerBytesMax = 50_000;

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

  it('leave room for lists within a record, which are cut and counted', async () => {
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
});
