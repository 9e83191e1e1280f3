import { expect } from 'chai';
import { applyPatch } from 'diff';
import { removeWithComments } from '../../src/domain/links/comments.ts';
import { renderers } from '../../src/domain/text/renderers.ts';
import { atOnce } from '../../src/base/slices.ts';
import { type Transport, restTransport } from '../support/both.ts';
import { Random } from '../support/random.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

interface Change {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly unified?: string;
}

describe('Diffs of revisions', () => {
  let service: TestService;
  let project_id: string;
  let rest: Transport;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    rest = restTransport(service);
  });
  afterEach(() => service.stop());

  /** The changes of each revision of a record, newest first. */
  const diffs = async (target_id: string): Promise<Change[][]> => {
    const { revisions } = await rest.call('list_revisions', { project_id, target_id });
    const found = [];
    for (const revision of revisions) {
      const { changes, ...head } = await rest.call('diff_revision', { revision_id: revision.id });
      expect(head).to.deep.equal(revision);
      found.push(changes as Change[]);
    }
    return found;
  };

  it('show each change field by field, texts as unified diffs [D7.diff]', async () => {
    const goal = await rest.call('create_goal', { project_id, objective: 'G' });
    const { id: task_id, goal_id } = await rest.call('create_task', {
      ...{ project_id, label: 'One', tags: ['a'] },
      description: 'first\nsecond\nthird\n',
    });
    await rest.call('update_task', { task_id, label: 'Two', description: 'first\n2nd\nthird\n', tags: ['b', 'a'] });
    await rest.call('update_task', { task_id, label: 'Three', goal_id: goal.id });
    const [last, first] = await diffs(task_id as string);
    expect(last).to.have.deep.members([
      { field: 'label', before: 'Two', after: 'Three' },
      { field: 'goal_id', before: goal_id, after: goal.id },
    ]);
    const text = first!.find(({ field }) => field === 'description')!;
    expect(text).to.have.all.keys('field', 'unified');
    expect(text.unified).to.include('\n first\n-second\n+2nd\n third\n');
    expect(first).to.deep.include({ field: 'label', before: 'One', after: 'Two' });
    expect(first).to.deep.include({ field: 'tags', before: ['a'], after: ['a', 'b'] });
    expect(first).to.have.length(3);
  });

  it('show the whole deleted record, also after changes and a restored state [D7.diff]', async () => {
    const { id: note_id } = await rest.call('create_note', { project_id, title: 'Frost', body: 'Late\n' });
    await rest.call('update_note', { note_id, title: 'Ice' });
    await service.rest.delete(`/notes/${note_id}`);
    const [deletion, change] = await diffs(note_id as string);
    expect(deletion!.map(({ field }) => field)).to.have.members(['title', 'body']);
    expect(deletion).to.deep.include({ field: 'title', before: 'Ice', after: null });
    expect(deletion!.find(({ field }) => field === 'body')!.unified).to.include('-Late\n');
    expect(change).to.deep.equal([{ field: 'title', before: 'Frost', after: 'Ice' }]);
  });

  rarely('are patches from one text to the other, however little they share [D7.diff]', async () => {
    const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_103));
    const lines = (count: number): string =>
      Array.from({ length: count }, () => `line ${random.integer(0, count)}\n`).join('');
    const texts = [
      '',
      'no newline',
      'a\nb',
      lines(30),
      lines(30),
      lines(3000),
      lines(3000),
      `${lines(3000)}end`,
      'a\r\nb\r\n',
      '',
    ];
    const { id: document_id } = await rest.call('create_document', { project_id, title: 'D', body: 'begin' });
    let body = 'begin';
    for (const next of texts) {
      await rest.call('update_document', { document_id, body: next });
      const [[change] = []] = await diffs(document_id as string);
      expect(applyPatch(body, change!.unified!, { autoConvertLineEndings: false })).to.equal(next);
      body = next;
    }
  });

  it('of long texts are made in a thread, once, and in time [A.loop.turns, A.hostile.rendering]', async () => {
    const lines = (sign: string): string => `${sign}\n`.repeat(100_000);
    const { id: document_id } = await rest.call('create_document', { project_id, title: 'D', body: lines('a') });
    await rest.call('update_document', { document_id, body: lines('b') });
    const original = { ...renderers.unified };
    const inThisThread: number[] = [];
    Object.assign(renderers.unified, {
      render: (...[text, options]: Parameters<typeof original.render>) => {
        inThisThread.push(text.length);
        return original.render(text, options);
      },
    });
    try {
      const [[change] = []] = await diffs(document_id as string);
      expect(change!.unified).to.have.length.above(600_000);
      expect(applyPatch(lines('a'), change!.unified!)).to.equal(lines('b'));
      await rest.call('update_document', { document_id, body: `${lines('b')}c\n` });
      const [[last] = []] = await diffs(document_id as string);
      expect(last!.unified!.split('\n').at(-2)).to.equal('+c');
    } finally {
      Object.assign(renderers.unified, original);
    }
    expect(inThisThread).to.deep.equal([]);
  }).timeout(60_000);

  it('are not_found for an unknown revision', async () => {
    expect(await rest.refusal('diff_revision', { revision_id: 'rev_none' })).to.include({
      error: 'not_found',
      resource: 'revision',
    });
  });
});

describe('The counts of a project', () => {
  it('include work that awaits review: finished tasks that are not verified, and runs that ask [D3.review]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const rest = restTransport(service);
      const waiting = async (): Promise<number> =>
        (await rest.call('get_project', { project_id })).summary.awaiting_review as number;
      const task = async (fields: object): Promise<string> =>
        (await rest.call('create_task', { project_id, label: 'Build', ...fields })).id as string;
      await task({});
      await task({ status: 'done', lane: 'auto' });
      await task({ status: 'done', verified_at: '2030-01-01T00:00:00Z' });
      expect(await waiting()).to.equal(0);
      const task_id = await task({ status: 'done', lane: 'approve' });
      const path = `/projects/${project_id}`;
      const etag = (await service.rest.get(path)).headers.get('etag')!;
      const run = await rest.call('start_agent_run', { project_id, label: 'Night' });
      expect(run.asks).to.equal(false);
      const say = async (message: string): Promise<boolean> => {
        await rest.call('record_agent_progress', { run_id: run.id, message });
        return (await rest.call('get_agent_run', { run_id: run.id })).asks as boolean;
      };
      expect(await say('Is it red?\nNo.')).to.equal(false);
      expect(await say('Which colour?\n')).to.equal(true);
      expect(await waiting()).to.equal(2);
      expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(200);
      await rest.call('update_task', { task_id, verified_at: '2030-01-01T00:00:00Z' });
      await rest.call('complete_agent_run', { run_id: run.id });
      expect((await rest.call('get_agent_run', { run_id: run.id })).asks, 'closed').to.equal(false);
      expect(await waiting()).to.equal(0);
    } finally {
      await service.stop();
    }
  });

  it('counts notes, artifacts, prototypes, open comments and submissions that await triage [D3.summary]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const rest = restTransport(service);
      const summary = async (): Promise<unknown> => (await rest.call('get_project', { project_id })).summary;
      const none = { notes: 0, artifacts: 0, prototypes: 0, open_comments: 0, pending_submissions: 0 };
      expect(await summary()).to.deep.include(none);
      const path = `/projects/${project_id}`;
      const etag = (await service.rest.get(path)).headers.get('etag')!;
      await rest.call('create_note', { project_id, title: 'n' });
      const submission = { project_id, participant_name: 'Bo', title: 'Plums', body: '' };
      await rest.call('create_submission', submission);
      const { id: submission_id } = await rest.call('create_submission', submission);
      await rest.call('triage_submission', { submission_id, action: 'reject' });
      const comment = { project_id, target_type: 'artifact', target_id: 'a', body: 'x' };
      await rest.call('add_comment', comment);
      const { id: comment_id } = await rest.call('add_comment', comment);
      await rest.call('resolve_comment', { comment_id });
      await service.store.update(project_id, { author: 'human:x', source: 'rest' }, (tx) => {
        const at = { created_at: tx.now, links: [] };
        const viewport = { width: 1, height: 1 };
        tx.put('prototype', { id: tx.newId('prototype'), ...at, name: 'p', viewport });
        for (const title of ['a', 'b'])
          tx.put('artifact', {
            ...{ id: tx.newId('artifact'), ...at, title, kind: 'markdown', content: '', prototype_id: null },
          });
      });
      const some = { notes: 1, artifacts: 2, prototypes: 1, open_comments: 1, pending_submissions: 1 };
      expect(await summary()).to.deep.include(some);
      expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(200);
      const agent = await service.mcp();
      expect((await agent.get('get_project', { project_id })).project.summary).to.deep.include(some);
    } finally {
      await service.stop();
    }
  });
});

describe('Artifacts', () => {
  it('are versioned, and are restored with their comments [D7.versioned-others]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const rest = restTransport(service);
      const meta = { author: 'agent:x', source: 'rest' } as const;
      const id = await service.store.update(project_id, meta, (tx) => {
        const record = { id: tx.newId('artifact'), created_at: tx.now, links: [], prototype_id: null };
        return tx.put('artifact', { ...record, title: 'Report', kind: 'markdown', content: 'one\n' }).id;
      });
      await service.store.update(project_id, meta, (tx) =>
        tx.put('artifact', { ...tx.get('artifact', id)!, content: 'two\n', kind: 'html' }),
      );
      await rest.call('add_artifact_comment', { project_id, artifact_id: id, body: 'Shorter' });
      await service.store.update(project_id, meta, (tx) => atOnce(removeWithComments(tx, 'artifact', id)));
      const about = { project_id, artifact_id: id };
      expect((await rest.call('list_artifact_comments', about)).comments).to.deep.equal([]);
      const { revisions } = await rest.call('list_revisions', { project_id, target_type: 'artifact' });
      expect(revisions[0].changed_fields).to.deep.equal(['deleted']);
      const back = await rest.call('restore_revision', { revision_id: revisions[0].id });
      expect(back).to.include({ id, title: 'Report', kind: 'html', content: 'two\n', project_id });
      expect((await rest.call('list_artifact_comments', about)).comments).to.have.length(1);
      const former = await rest.call('restore_revision', { revision_id: revisions[1].id });
      expect(former).to.include({ kind: 'markdown', content: 'one\n' });
    } finally {
      await service.stop();
    }
  });
});
