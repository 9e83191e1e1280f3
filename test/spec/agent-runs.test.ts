import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { TestService, watched } from '../support/service.ts';

interface Run {
  readonly id: string;
  readonly events: readonly { readonly id: string; readonly message: string }[];
}

const fields = [
  ...['id', 'project_id', 'status', 'label', 'agent_ref', 'agent', 'started_at', 'completed_at', 'events', 'asks'],
  ...['task_id', 'branch', 'commits', 'tokens', 'cost_usd', 'diff_stat', 'awaiting', 'created_at', 'updated_at'],
];

describe('Agent runs', () => {
  overBoth(
    'are started, collect progress and are closed as completed or failed [S.state.run, D7.run, S.mcp.start_agent_run, S.mcp.record_agent_progress, S.mcp.complete_agent_run]',
    async (transport) => {
      const project_id = await transport.service.project();
      const plain = await transport.call('start_agent_run', { project_id });
      expect(plain).to.have.all.keys(...fields);
      expect(plain).to.deep.include({
        project_id,
        status: 'running',
        label: null,
        agent_ref: null,
        completed_at: null,
      });
      expect(plain).to.deep.include({ events: [], started_at: plain.created_at });
      expect(plain.id).to.match(/^run_/);
      const run = await transport.call('start_agent_run', { project_id, label: 'Night', agent_ref: 'bot-1' });
      expect(run).to.include({ label: 'Night', agent_ref: 'bot-1' });
      const event = await transport.call('record_agent_progress', { run_id: run.id, message: 'Dug the **bed**' });
      expect(event).to.have.all.keys('id', 'run_id', 'message', 'created_at');
      expect(event).to.include({ run_id: run.id, message: 'Dug the **bed**' });
      await transport.call('record_agent_progress', { run_id: run.id, message: 'Sowed' });
      const closed = await transport.call('complete_agent_run', { run_id: run.id, status: 'failed' });
      expect(closed).to.include({ id: run.id, status: 'failed', events_total: 2 });
      expect(closed.completed_at).to.be.a('string');
      expect(await transport.call('complete_agent_run', { run_id: plain.id })).to.include({ status: 'completed' });
      for (const [operation, input, field] of [
        ['start_agent_run', { project_id, label: ' ' }, 'label'],
        ['start_agent_run', { project_id, status: 'failed' }, 'status'],
        ['record_agent_progress', { run_id: run.id, message: ' ' }, 'message'],
        ['record_agent_progress', { run_id: run.id, message: 'x'.repeat(10_001) }, 'message'],
        ['record_agent_progress', { run_id: run.id }, 'message'],
        ['complete_agent_run', { run_id: run.id, status: 'running' }, 'status'],
      ] as const)
        expect(await transport.refusal(operation, input), field).to.include({ error: 'invalid_argument', field });
      expect(await transport.refusal('record_agent_progress', { run_id: 'run_none', message: 'x' })).to.include({
        error: 'not_found',
        resource: 'run',
        id: 'run_none',
      });
    },
  );

  overBoth('reject further entries after they are closed [D7.run-closed]', async (transport) => {
    const project_id = await transport.service.project();
    for (const status of ['completed', 'failed']) {
      const { id: run_id } = await transport.call('start_agent_run', { project_id });
      await transport.call('complete_agent_run', { run_id, status });
      for (const [operation, input] of [
        ['record_agent_progress', { message: 'late' }],
        ['complete_agent_run', { status: 'completed' }],
        ['complete_agent_run', { status: 'failed' }],
      ] as const)
        expect(await transport.refusal(operation, { run_id, ...input })).to.include({ error: 'conflict', status });
      expect((await transport.service.rest.get(`/agent-runs/${run_id}`)).body).to.deep.include({ status, events: [] });
    }
  });
});

const nothingReported = {
  ...{ agent: null, task_id: null, branch: null, commits: [], tokens: null, cost_usd: null, diff_stat: null },
  awaiting: null,
};

describe('What a run works on and what it took', () => {
  overBoth('is reported when it starts and while it runs [D7.run-fields]', async (transport) => {
    const project_id = await transport.service.project();
    const { id: task_id } = await transport.call('create_task', { project_id, label: 'Dig' });
    const plain = await transport.call('start_agent_run', { project_id });
    expect(plain).to.deep.include(nothingReported);
    const begun = { task_id, branch: 'planner/9q3f-dig', agent: 'claude' };
    const run = await transport.call('start_agent_run', { project_id, ...begun });
    expect(run).to.deep.include({ ...nothingReported, ...begun });
    const change = async (fields: object): Promise<object> =>
      (await transport.call('update_agent_run', { run_id: run.id, ...fields })) as object;
    const took = { tokens: 120_000, cost_usd: 0.75, diff_stat: { files: 2, insertions: 30, deletions: 0 } };
    expect(await change({ ...took, commits: ['ABCDEF0', 'abcdef0', '1234567'] })).to.deep.include({
      ...begun,
      ...took,
      commits: ['abcdef0', '1234567'],
    });
    expect(await change({ cost_usd: null, diff_stat: null, branch: null })).to.deep.include({
      ...{ task_id, branch: null, tokens: 120_000, cost_usd: null, diff_stat: null },
    });
    for (const [fields, field] of [
      [{ tokens: -1 }, 'tokens'],
      [{ tokens: 1.5 }, 'tokens'],
      [{ cost_usd: -0.01 }, 'cost_usd'],
      [{ diff_stat: { files: 1, insertions: 1 } }, 'diff_stat.deletions'],
      [{ commits: ['main'] }, 'commits[0]'],
      [{ branch: 'a\nb' }, 'branch'],
      [{ awaiting: { choices: ['a'] } }, 'awaiting.question'],
      [{ awaiting: { question: ' ' } }, 'awaiting.question'],
    ] as const)
      expect(await transport.refusal('update_agent_run', { run_id: run.id, ...fields }), field).to.include({
        ...{ error: 'invalid_argument', field },
      });
    for (const [operation, input] of [
      ['update_agent_run', { run_id: run.id }],
      ['start_agent_run', { project_id }],
    ] as const)
      expect(await transport.refusal(operation, { ...input, task_id: 'tsk_none' })).to.include({
        ...{ error: 'not_found', resource: 'task', id: 'tsk_none' },
      });
    const closed = await change({ status: 'completed', tokens: 130_000 });
    expect(closed).to.include({ status: 'completed', tokens: 130_000 });
    expect(await transport.call('get_agent_run', { run_id: run.id })).to.deep.equal(closed);
  });

  it('is in the file and in exports, survives its task, and lists the runs of a task [D7.run-fields]', async () => {
    const service = await TestService.start({ ...watched });
    try {
      const rest = restTransport(service);
      const project_id = await service.project();
      const { id: task_id } = await rest.call('create_task', { project_id, label: 'Dig' });
      const others = await rest.call('start_agent_run', { project_id });
      const fields = { task_id, branch: 'dig', commits: ['1234567'], tokens: 5, cost_usd: 0.5 };
      const size = { diff_stat: { files: 1, insertions: 2, deletions: 3 } };
      const asks = { awaiting: { question: 'How deep?', choices: ['1 m', '2 m'] } };
      const runs: { id: string }[] = [];
      for (let n = 0; n < 3; n++)
        runs.push(await rest.call('start_agent_run', { project_id, ...fields, ...size, ...asks }));
      const path = `/projects/${project_id}/agent-runs`;
      const ids = async (query: string): Promise<string[]> => {
        const { body } = await service.rest.get(`${path}?${query}`);
        return (body.runs as { id: string }[]).map(({ id }) => id);
      };
      const made = runs.map(({ id }) => id);
      expect(await ids(`task_id=${task_id}`)).to.deep.equal(made);
      expect(await ids('task_id=tsk_none')).to.deep.equal([]);
      const page = (await service.rest.get(`${path}?task_id=${task_id}&limit=2`)).body;
      expect(page.runs).to.have.length(2);
      expect(await ids(`task_id=${task_id}&cursor=${page.next_cursor}`)).to.deep.equal([made[2]]);

      const exported = (await service.rest.get(`/projects/${project_id}/export`)).body as { runs: object[] };
      expect(exported.runs[1]).to.deep.include({ ...fields, ...size });
      expect(exported.runs[0]).not.to.have.any.keys('task_id', 'branch', 'tokens', 'cost_usd', 'diff_stat', 'awaiting');
      const copy = (await service.rest.post('/projects/import', exported)).body.id as string;
      const [copied] = (await service.rest.get(`/projects/${copy}/tasks`)).body.tasks as { id: string }[];
      const [, first] = (await service.rest.get(`/projects/${copy}/agent-runs`)).body.runs as object[];
      expect(first).to.deep.include({ ...fields, ...size, task_id: copied!.id });
      expect(first).to.have.property('awaiting').that.deep.includes(asks.awaiting);

      expect((await service.rest.delete(`/tasks/${task_id}`)).status).to.be.oneOf([200, 204]);
      expect(await rest.call('get_agent_run', { run_id: made[0] })).to.deep.include(fields);
      // A change of another field is none of its task.
      expect(await rest.call('update_agent_run', { run_id: made[0], tokens: 6 })).to.include({ task_id, tokens: 6 });
      await service.restart();
      expect(await rest.call('get_agent_run', { run_id: others.id })).to.deep.include(nothingReported);
      expect(await rest.call('get_agent_run', { run_id: made[1] })).to.deep.equal(runs[1]);
    } finally {
      await service.stop();
    }
  });

  it('is null in a record that a former version of Planner made, once it is changed [D7.run-fields]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const { id: run_id } = (await service.rest.post(`/projects/${project_id}/agent-runs`, {})).body;
      await service.store.update(project_id, { author: 'agent:x', source: 'rest' }, (tx) => {
        const { agent, task_id, branch, commits, tokens, cost_usd, diff_stat, awaiting, ...former } = tx.get(
          'run',
          run_id,
        )!;
        expect({ agent, task_id, branch, commits, tokens, cost_usd, diff_stat, awaiting }).to.deep.equal(
          nothingReported,
        );
        tx.put('run', { ...former, label: 'Former' });
        expect(tx.get('run', run_id)).to.deep.include({ ...nothingReported, label: 'Former' });
      });
      const shown = await restTransport(service).call('get_agent_run', { run_id });
      expect(shown).to.have.all.keys(...fields);
      expect(shown).to.deep.include({ ...nothingReported, label: 'Former' });
      const commits = ['1234567'];
      expect(await restTransport(service).call('update_agent_run', { run_id, commits })).to.deep.include({ commits });
    } finally {
      await service.stop();
    }
  });
});

describe('A run that asks', () => {
  const asking = async (transport: Transport, fields: object = {}): Promise<string> => {
    const project_id = await transport.service.project();
    return (await transport.call('start_agent_run', { project_id, ...fields })).id as string;
  };
  const answer = (
    { service }: Transport,
    run_id: string,
    body: object,
    headers?: Record<string, string>,
  ): ReturnType<TestService['rest']['post']> => service.rest.post(`/agent-runs/${run_id}/answer`, body, headers);
  const waiting = async ({ service }: Transport, run_id: string): Promise<number> => {
    const { project_id } = (await service.rest.get(`/agent-runs/${run_id}`)).body;
    return (await service.rest.get(`/projects/${project_id}`)).body.summary.awaiting_review as number;
  };

  overBoth(
    'waits until it is answered, asks another question, withdraws it or is closed [D7.run-asks, D3.review]',
    async (transport) => {
      const run_id = await asking(transport);
      const change = (fields: object): ReturnType<Transport['call']> =>
        transport.call('update_agent_run', { run_id, ...fields });
      const say = async (message: string): ReturnType<Transport['call']> => {
        await transport.call('record_agent_progress', { run_id, message });
        return transport.call('get_agent_run', { run_id });
      };
      const first = await change({ awaiting: { question: 'Which currency?', choices: ['EUR', 'USD'] } });
      expect(first).to.deep.include({
        ...{
          asks: true,
          awaiting: { question: 'Which currency?', choices: ['EUR', 'USD'], asked_at: first.updated_at },
        },
      });
      expect(await waiting(transport, run_id)).to.equal(1);
      // A retry is no further question, and progress ends none.
      expect(await change({ awaiting: { question: 'Which currency?', choices: ['EUR', 'USD'] } })).to.deep.include({
        ...{ awaiting: first.awaiting },
      });
      expect(await say('Meanwhile the tests.')).to.deep.include({ asks: true, awaiting: first.awaiting });
      expect((await change({ awaiting: { question: 'In cents' } })).awaiting).to.include({ question: 'In cents' });
      const byMark = await say('Or in euros?');
      expect(byMark.awaiting).to.deep.equal({ question: 'Or in euros?', asked_at: byMark.events.at(-1).created_at });
      expect((await change({ awaiting: { question: 'Really' } })).awaiting.question).to.equal('Really');
      expect(await waiting(transport, run_id)).to.equal(1);
      expect(await say('It is clear.')).to.include({ asks: true });
      expect(await change({ awaiting: null })).to.deep.include({ asks: false, awaiting: null });
      expect(await waiting(transport, run_id)).to.equal(0);
      await change({ awaiting: { question: 'One more' } });
      await transport.call('complete_agent_run', { run_id });
      expect(await transport.call('get_agent_run', { run_id })).to.deep.include({ asks: false, awaiting: null });
      expect((await answer(transport, run_id, { answer: 'Late' })).status).to.equal(409);
      expect(await waiting(transport, run_id)).to.equal(0);
      const { body: again } = await transport.service.rest.post(`/agent-runs/${run_id}/reopen`);
      expect(again).to.deep.include({ status: 'running', asks: false });
    },
  );

  overBoth(
    'is answered by a person, once, where its agent reads it [D7.run-answer, D7.run-asks]',
    async (transport) => {
      const { service } = transport;
      const project_id = await service.project();
      const task = async (label: string): Promise<string> =>
        (await transport.call('create_task', { project_id, label })).id as string;
      const [named, held] = [await task('Named'), await task('Held')];
      await transport.call('claim_task', { task_id: held, agent_ref: 'bot' });
      const { id: run_id } = await transport.call('start_agent_run', { project_id, agent_ref: 'bot' });
      await transport.call('update_agent_run', { run_id, task_id: named, awaiting: { question: 'Which colour' } });
      const { secret } = (await service.rest.post('/keys', { kind: 'agent', project_id, name: 'b' })).body;
      const byAgent = { Authorization: `Bearer ${secret}` };
      expect((await answer(transport, run_id, { answer: 'Red' }, byAgent)).status).to.equal(403);
      for (const input of [{}, { answer: ' ' }, { answer: 'x'.repeat(10_001) }])
        expect((await answer(transport, run_id, input)).body).to.include({
          error: 'invalid_argument',
          field: 'answer',
        });
      const { body: asked } = await service.rest.get(`/agent-runs/${run_id}`);
      const { awaiting } = await transport.call('update_agent_run', { run_id, awaiting: { question: 'Which shade' } });
      const outdated = await answer(transport, run_id, { answer: 'Red', asked_at: asked.awaiting.asked_at });
      expect([outdated.status, outdated.body.awaiting]).to.deep.equal([409, awaiting]);
      const answered = await answer(transport, run_id, { answer: 'Dark?', asked_at: awaiting.asked_at });
      expect(answered.status).to.equal(200);
      expect(answered.body).to.deep.include({ asks: false, awaiting: null, commented_on: named });
      const [line] = answered.body.events as object[];
      expect(line).to.include({ message: 'Dark?', question: 'Which shade' });
      expect(line)
        .to.have.property('author')
        .that.matches(/^human:/);
      expect((await answer(transport, run_id, { answer: 'Light' })).status).to.equal(409);
      // Without a task of its own: the one that its agent holds. The line before has the question.
      await transport.call('update_agent_run', { run_id, task_id: null });
      await transport.call('record_agent_progress', { run_id, message: 'How deep?' });
      const { body } = await answer(transport, run_id, { answer: '2 m' });
      expect(body).to.deep.include({ asks: false, commented_on: held });
      expect(body.events.at(-1)).to.have.all.keys('id', 'message', 'created_at', 'author');
      for (const [target_id, text] of [
        [named, 'Dark?'],
        [held, '2 m'],
      ]) {
        const { comments } = await transport.call('list_comments', { project_id, target_type: 'task', target_id });
        expect(comments.map((comment: { body: string }) => comment.body)).to.deep.equal([
          `<p><strong>Answer:</strong> ${text}</p>`,
        ]);
      }
      // Undone, it asks again without the comment; undone again, it is answered.
      for (const [question, comments] of [
        ['How deep?', 0],
        [undefined, 1],
      ]) {
        expect((await service.rest.post(`/projects/${project_id}/undo`, {})).status).to.equal(200);
        expect((await service.rest.get(`/agent-runs/${run_id}`)).body.awaiting?.question).to.equal(question);
        expect((await service.rest.get(`/tasks/${held}/comments`)).body.comments).to.have.length(comments as number);
      }
      await service.restart();
      const { events } = (await service.rest.get(`/agent-runs/${run_id}`)).body;
      expect(events.map(({ message }: { message: string }) => message)).to.deep.equal(['Dark?', 'How deep?', '2 m']);
    },
  );

  overBoth(
    'has events of its questions and answers, which agents wait for [D7.run-events, A.feed.types]',
    async (transport) => {
      const { service } = transport;
      const run_id = await asking(transport, { label: 'Night' });
      const { project_id } = (await service.rest.get(`/agent-runs/${run_id}`)).body;
      const path = `/projects/${project_id}/events?types=run.asks,run.answered,run.progress`;
      const { cursor } = (await service.rest.get(path)).body as { cursor: string };
      const change = (fields: object): unknown => transport.call('update_agent_run', { run_id, ...fields });
      await change({ awaiting: { question: 'Which currency', choices: ['EUR', 'USD'] } });
      await change({ tokens: 7 });
      await answer(transport, run_id, { answer: 'EUR' });
      await transport.call('record_agent_progress', { run_id, message: 'In cents?' });
      await answer(transport, run_id, { answer: 'x'.repeat(3000) });
      await change({ awaiting: { question: 'Unanswered' } });
      await transport.call('complete_agent_run', { run_id });
      const { events } = (await service.rest.get(`${path}&since=${cursor}&wait=1`)).body as {
        events: { type: string; resource: object; changes: object[]; author: string }[];
      };
      expect(
        events.map(({ type, changes }) => [type, changes.filter((one) => !('field' in one && one.field === 'events'))]),
      ).to.deep.equal([
        [
          'run.asks',
          [
            { field: 'question', to: 'Which currency' },
            { field: 'choices', to: ['EUR', 'USD'] },
          ],
        ],
        [
          'run.answered',
          [
            { field: 'question', to: 'Which currency' },
            { field: 'answer', to: 'EUR' },
          ],
        ],
        ['run.progress', []],
        ['run.asks', [{ field: 'question', to: 'In cents?' }]],
        ['run.answered', [{ field: 'question', to: 'In cents?' }, { field: 'answer' }]],
        ['run.asks', [{ field: 'question', to: 'Unanswered' }]],
      ]);
      for (const { resource } of events) expect(resource).to.include({ type: 'run', id: run_id, label: 'Night' });
      expect(events[1]!.author).to.match(/^human:/);
    },
  );
});

describe('A closed run', () => {
  overBoth('is reopened by a person and goes on with its progress [D7.run-reopen]', async (transport) => {
    const project_id = await transport.service.project();
    const { rest } = transport.service;
    const { id: run_id } = await transport.call('start_agent_run', { project_id });
    await transport.call('record_agent_progress', { run_id, message: 'Dug' });
    await transport.call('complete_agent_run', { run_id, status: 'failed' });
    const reopen = (headers?: Record<string, string>): ReturnType<TestService['rest']['post']> =>
      rest.post(`/agent-runs/${run_id}/reopen`, undefined, headers);
    const { secret } = (await rest.post('/keys', { kind: 'agent', project_id, name: 'b' })).body as { secret: string };
    expect((await reopen({ Authorization: `Bearer ${secret}` })).status).to.equal(403);
    expect(await transport.refusal('record_agent_progress', { run_id, message: 'Sowed' })).to.include({
      error: 'conflict',
    });
    const { status, body } = await reopen();
    expect(status).to.equal(200);
    expect(body).to.include({ id: run_id, status: 'running', completed_at: null });
    await transport.call('record_agent_progress', { run_id, message: 'Sowed' });
    // A run that is not closed stays as it is.
    const { events } = (await reopen()).body as { events: { message: string }[] };
    expect(events.map(({ message }) => message)).to.deep.equal(['Dug', 'Sowed']);
    expect(await transport.call('complete_agent_run', { run_id })).to.include({ status: 'completed', events_total: 2 });
  });
});

describe('Agent runs, over REST', () => {
  /** How far the service's clock is ahead of the system's. */
  let aheadMs = 0;
  let service: TestService;
  let project_id: string;
  let rest: Transport;
  beforeEach(async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    service = await TestService.start({ clock });
    project_id = await service.project();
    rest = restTransport(service);
  });
  afterEach(() => service.stop());

  const start = async (): Promise<string> => (await rest.call('start_agent_run', { project_id })).id as string;

  it('are listed with their progress, or the newest of it [D7.run-light, S.run.events, S.rest.GET /projects/:id/agent-runs, S.rest.POST /agent-runs/:id/progress]', async () => {
    const path = `/projects/${project_id}/agent-runs`;
    const made = await service.rest.post(path, { label: 'Night' });
    expect(made.status).to.equal(201);
    const other = await start();
    const { id } = made.body as Run;
    const first = await service.rest.get(path);
    for (const message of ['one', 'two']) {
      const recorded = await service.rest.post(`/agent-runs/${id}/progress`, { message });
      expect([recorded.status, recorded.body.message]).to.deep.equal([201, message]);
    }
    const { runs } = (await service.rest.get(path)).body as { runs: Run[] };
    expect(runs.map((run) => run.id)).to.deep.equal([id, other]);
    expect(runs[0]!.events.map(({ message }) => message)).to.deep.equal(['one', 'two']);
    expect(runs[0]!.events[0]).to.have.all.keys('id', 'message', 'created_at');
    expect(runs[0]!.events[0]!.id).to.match(/^evt_/);
    for (const message of ['three', 'four', 'five', 'six'])
      await service.rest.post(`/agent-runs/${id}/progress`, { message });
    const [light] = (await service.rest.get(`${path}?verbose=false`)).body.runs as (Run & { events_total: number })[];
    const newest = light!.events.map(({ message }) => message);
    expect({ newest, of: light!.events_total }).to.deep.equal({
      newest: ['two', 'three', 'four', 'five', 'six'],
      of: 6,
    });
    const whole = (await service.rest.get(path)).body.runs as Run[];
    const since = await service.rest.get(`${path}?since=${encodeURIComponent(first.headers.get('etag')!)}`);
    expect(since.body).to.deep.include({ runs: [whole[0]], removed: [] });
    await service.rest.patch(`/agent-runs/${other}`, { status: 'completed' });
    for (const [status, ids] of [
      ['running', [id]],
      ['completed', [other]],
      ['failed', []],
    ] as const) {
      const found = (await service.rest.get(`${path}?status=${status}`)).body.runs as Run[];
      expect(found.map((run) => run.id)).to.deep.equal(ids);
    }
    const page = (await service.rest.get(`${path}?limit=1`)).body;
    expect((await service.rest.get(`${path}?limit=1&cursor=${page.next_cursor}`)).body.runs[0].id).to.equal(other);
    await service.restart();
    const again = (await service.rest.get(path)).body as { runs: Run[] };
    expect(again.runs[0]).to.deep.equal(whole[0]);
  });

  it('are read, named and closed by their own route [D7.run, D7.run-closed]', async () => {
    const path = `/agent-runs/${await start()}`;
    const got = await service.rest.get(path);
    const etag = got.headers.get('etag')!;
    expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(304);
    const named = await service.rest.patch(path, { label: 'Night', agent_ref: 'bot' }, { 'If-Match': etag });
    expect(named.body).to.include({ label: 'Night', agent_ref: 'bot', status: 'running' });
    expect((await service.rest.patch(path, { label: null }, { 'If-Match': etag })).status).to.equal(412);
    expect((await service.rest.patch(path, { status: 'running' })).body).to.include({ field: 'status' });
    const closed = await service.rest.patch(path, { status: 'failed' });
    expect(closed.body).to.include({ status: 'failed', label: 'Night' });
    expect(closed.body.completed_at).to.equal(closed.body.updated_at);
    for (const body of [{ label: 'x' }, { status: 'completed' }, {}])
      expect((await service.rest.patch(path, body)).status).to.equal(409);
  });

  it('renew the leases of their agent [D3.lease-progress]', async () => {
    const claimed = async (transport: Transport, agent_ref: string): Promise<string> => {
      const { id: task_id } = await rest.call('create_task', { project_id, label: 'Dig' });
      await transport.call('claim_task', { task_id, agent_ref, lease_seconds: 600 });
      return task_id as string;
    };
    const agent = mcpTransport(service, await service.mcp());
    const [own, named, others] = [await claimed(agent, 'ann'), await claimed(rest, 'bob'), await claimed(rest, 'cy')];
    const run_id = await start();
    const expiry = async (task_id: string): Promise<string> =>
      (await rest.call('get_task', { task_id })).lease_expires_at as string;
    const before = [await expiry(own), await expiry(named), await expiry(others)];
    aheadMs += 300_000;
    const bySession = await agent.call('record_agent_progress', { run_id, message: 'still digging' });
    expect(bySession.renewed).to.deep.equal([own]);
    const byName = await rest.call('record_agent_progress', { run_id, message: 'so does bob', agent_ref: 'bob' });
    expect(byName.renewed).to.deep.equal([named]);
    expect(await rest.call('record_agent_progress', { run_id, message: 'no session' })).not.to.have.property('renewed');
    expect((await expiry(own)) > before[0]!).to.equal(true);
    expect((await expiry(named)) > before[1]!).to.equal(true);
    expect(await expiry(others)).to.equal(before[2]);
  });

  it('have a maximal amount of progress', async () => {
    const run_id = await start();
    const message = 'x'.repeat(10_000);
    await service.store.update(project_id, { author: 'agent:x', source: 'rest' }, (tx) => {
      const events = Array.from({ length: Math.floor(limits.runMessagesBytesMax / message.length) - 1 }, (_, at) => ({
        ...{ id: `e${at}`, message, created_at: tx.now },
      }));
      tx.put('run', { ...tx.get('run', run_id)!, events });
    });
    await rest.call('record_agent_progress', { run_id, message });
    const refused = await rest.refusal('record_agent_progress', { run_id, message });
    expect(refused).to.include({ error: 'conflict' });
    expect(await rest.call('complete_agent_run', { run_id })).to.include({ status: 'completed' });
  });
});
