import { expect } from 'chai';
import type { McpClient } from '../support/mcp-client.ts';
import { TestService } from '../support/service.ts';
import { HeldJournal } from './held-journal.ts';
import type { Release } from './held-journal.ts';

/** Part of everything that is written while the journal is held, and of nothing else. */
const marker = 'quicksilver';
/** A part of the former text. */
const old = 'granite';

/** A plan of which each part is about to be changed. */
interface Plan {
  readonly project: string;
  readonly other: string;
  /** Changed, claimed, deleted while the journal is held. */
  readonly changed: string;
  readonly claimed: string;
  readonly deleted: string;
  readonly document: string;
  readonly note: string;
  /** The list's and the changed task's tags before. */
  readonly listTag: string;
  readonly taskTag: string;
}

interface Read {
  readonly name: string;
  /** Answers the text of the caller's answer, with its status in front. */
  readonly run: (service: TestService, mcp: McpClient, plan: Plan) => Promise<string>;
}

const reads: readonly Read[] = [
  rest('one task', ({ changed }) => `/tasks/${changed}`),
  rest(
    'one task, requested with its tag',
    ({ changed }) => `/tasks/${changed}`,
    ({ taskTag }) => taskTag,
  ),
  rest('a task that is being claimed', ({ claimed }) => `/tasks/${claimed}`),
  rest('a task that is being deleted', ({ deleted }) => `/tasks/${deleted}`),
  rest('the list of tasks', ({ project }) => `/projects/${project}/tasks`),
  rest(
    'the list of tasks, requested with its tag',
    ({ project }) => `/projects/${project}/tasks`,
    ({ listTag }) => listTag,
  ),
  rest(
    'what changed in the list since',
    ({ project, listTag }) => `/projects/${project}/tasks?since=${encodeURIComponent(listTag)}`,
  ),
  rest('the tasks in progress', ({ project }) => `/projects/${project}/tasks?status=in_progress`),
  rest('the next task', ({ project }) => `/projects/${project}/next-task`),
  rest('the project', ({ project }) => `/projects/${project}`),
  rest('the list of projects', () => '/projects'),
  rest('one document', ({ document }) => `/documents/${document}`),
  rest('the document tree', ({ project }) => `/projects/${project}/documents`),
  rest('the notes', ({ project }) => `/projects/${project}/notes`),
  rest('the edges', ({ project }) => `/projects/${project}/edges`),
  rest('the canvas', ({ project }) => `/projects/${project}/canvas`),
  rest('the tags', ({ project }) => `/projects/${project}/tags`),
  rest('the goals', ({ project }) => `/projects/${project}/goals`),
  rest(
    'the revisions of a task',
    ({ project, changed }) => `/projects/${project}/revisions?target_type=task&target_id=${changed}`,
  ),
  rest('the shares', ({ project }) => `/projects/${project}/shares`),
  rest('a search in a project', ({ project }) => `/search?q=${marker}&bodies=true&project_id=${project}`),
  rest('a search everywhere', () => `/search?q=${marker}&bodies=true`),
  rest('the export', ({ project }) => `/projects/${project}/export`),
  rest('the export as a table', ({ project }) => `/projects/${project}/export?format=csv`),
  tool('list_projects', () => ({})),
  tool('get_project', ({ project }) => ({ project_id: project })),
  tool('get_task', ({ changed }) => ({ task_id: changed })),
  tool('list_tasks', ({ project }) => ({ project_id: project, verbose: true })),
  tool('get_next_task', ({ project }) => ({ project_id: project })),
  tool('get_task_graph', ({ project }) => ({ project_id: project })),
  tool('list_documents', ({ project }) => ({ project_id: project })),
  tool('get_document', ({ document }) => ({ document_id: document })),
  tool('list_goals', ({ project }) => ({ project_id: project })),
  tool('list_revisions', ({ project }) => ({ project_id: project })),
  tool('search', ({ project }) => ({ query: marker, project_id: project })),
];

/** Calls that change nothing, but whose answer shows changes of others. */
const refusals: readonly Read[] = [
  sent(
    'a claim of what is being claimed',
    'POST',
    ({ claimed }) => `/tasks/${claimed}/claim`,
    () => ({ agent_ref: 'late' }),
  ),
  sent(
    'a claim repeated by who is claiming',
    'POST',
    ({ claimed }) => `/tasks/${claimed}/claim`,
    () => ({ agent_ref: `${marker} agent` }),
  ),
  sent(
    'a change of a state that is being replaced',
    'PATCH',
    ({ changed }) => `/tasks/${changed}`,
    () => ({ label: 'Late' }),
    ({ taskTag }) => ({ 'If-Match': taskTag }),
  ),
  sent(
    'a change of what is being deleted',
    'PATCH',
    ({ deleted }) => `/tasks/${deleted}`,
    () => ({ label: 'Late' }),
  ),
  sent(
    'a goal of a name that is being taken',
    'POST',
    ({ project }) => `/projects/${project}/goals`,
    () => ({ name: `Goal ${marker}`, objective: 'Late' }),
  ),
  sent(
    'a repeat with the key of a call that is under way',
    'POST',
    ({ project }) => `/projects/${project}/notes`,
    () => ({ title: `Keyed ${marker}` }),
    () => ({ 'Idempotency-Key': 'held-1' }),
  ),
];

describe('While the journal delays a change', () => {
  it('no read over either transport shows it, and none ever did if it fails [A.concurrency.no-take-back]', async () => {
    await held('fail', async (answers) => {
      for (const [name, text] of answers) {
        expect(text, name).not.to.contain(marker);
        expect(text, name).to.match(/^(200|304|ok)/);
      }
      expect(answers.get('one task'), 'what was there is shown').to.contain(old);
    });
  });

  it('a read waits for it, and shows it once it is durable [A.concurrency.no-take-back]', async () => {
    await held('through', async (answers) => {
      for (const name of ['one task', 'the list of tasks', 'a search in a project', 'the export', 'get_task', 'search'])
        expect(answers.get(name), name).to.contain(marker);
      expect(answers.get('a task that is being deleted')).to.match(/^404/);
      expect(answers.get('one task, requested with its tag')).to.match(/^200/);
    });
  });

  it('an error that depends on it is returned once it is durable and not before [A.concurrency.no-take-back]', async () => {
    const failed = await responsesTo('fail', refusals);
    for (const [name, text] of failed) expect(text, name).to.match(/^503 .*"unavailable"/);
    const durable = await responsesTo('through', refusals);
    expect([...durable.values()].map((text) => text.slice(0, 3))).to.deep.equal([
      '409',
      '200',
      '412',
      '404',
      '409',
      '201',
    ]);
  });

  it('a project that is being deleted is visible until the deletion is durable [A.concurrency.no-take-back]', async () => {
    const journal = new HeldJournal();
    const service = await start(journal);
    try {
      const plan = await makePlan(service);
      const mcp = await service.mcp();
      journal.hold();
      const deleting = service.rest.delete(`/projects/${plan.project}`);
      await journal.reached();
      const pending = [`/projects/${plan.project}`, `/tasks/${plan.changed}`, '/projects'].map((path) =>
        service.rest.get(path),
      );
      const changing = service.rest.patch(`/tasks/${plan.changed}`, { label: 'Late' });
      await othersAnswered(service, mcp, plan.other);
      journal.release('fail');
      const [project, task, list] = await Promise.all(pending);
      expect([(await deleting).status, (await changing).status]).to.deep.equal([503, 503]);
      expect([project?.status, task?.status]).to.deep.equal([200, 200]);
      expect(JSON.stringify(list?.body)).to.contain(plan.project);
    } finally {
      await service.stop();
    }
  });
});

function start(journal: HeldJournal): Promise<TestService> {
  return TestService.start({ disk: journal.disk, writer: 'inline', watch: false });
}

async function held(how: Release, look: (answers: ReadonlyMap<string, string>) => Promise<void>): Promise<void> {
  await look(await responsesTo(how, reads));
}

/** Asks everything while a change of everything waits in front of the journal, then lets it through or fail. */
async function responsesTo(how: Release, questions: readonly Read[]): Promise<ReadonlyMap<string, string>> {
  const journal = new HeldJournal();
  const service = await start(journal);
  try {
    const mcp = await service.mcp();
    const plan = await makePlan(service);
    journal.hold();
    const writing = changeEverything(service, plan);
    await journal.reached();
    // The first change is at the journal; the others have met its state, too, once a later request is answered.
    await othersAnswered(service, mcp, plan.other);
    let answered = 0;
    const pending = questions.map(async ({ name, run }) => {
      const text = await run(service, mcp, plan);
      answered++;
      return [name, text] as const;
    });
    await othersAnswered(service, mcp, plan.other);
    expect(answered, 'answers before the change is durable').to.equal(0);
    journal.release(how);
    const statuses = await writing;
    expect(statuses.every((status) => (how === 'fail' ? status === 503 : status < 300))).to.equal(true);
    return new Map(await Promise.all(pending));
  } finally {
    journal.release('through');
    await service.stop();
  }
}

/** Reads of another project that were sent later: once they are answered, those sent before have met the state that is not durable. */
async function othersAnswered(service: TestService, mcp: McpClient, other: string): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const answer = await service.rest.get(`/projects/${other}/tasks`);
    expect(answer.status, 'another project is not held up').to.equal(200);
    await mcp.get('list_tasks', { project_id: other });
  }
}

async function makePlan(service: TestService): Promise<Plan> {
  const { rest } = service;
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await rest.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as string;
  };
  const [project, other] = [await service.project(`${old} project`), await service.project('Other')];
  const [claimed, changed, deleted] = [
    await made(`/projects/${project}/tasks`, { label: `First ${old}`, position: { x: 1, y: 1 } }),
    await made(`/projects/${project}/tasks`, { label: `Second ${old}`, position: { x: 2, y: 2 } }),
    await made(`/projects/${project}/tasks`, { label: `Third ${old}`, position: { x: 3, y: 3 } }),
  ];
  const document = await made(`/projects/${project}/documents`, { title: `Document ${old}`, body: old });
  const note = await made(`/projects/${project}/notes`, { title: `Note ${old}` });
  const listTag = (await rest.get(`/projects/${project}/tasks`)).headers.get('etag')!;
  const taskTag = (await rest.get(`/tasks/${changed}`)).headers.get('etag')!;
  return { project, other, changed, claimed, deleted, document, note, listTag, taskTag };
}

async function changeEverything({ rest }: TestService, plan: Plan): Promise<number[]> {
  const { project, changed, claimed, deleted, document, note } = plan;
  const answers = await Promise.all([
    rest.patch(`/tasks/${changed}`, { label: `Now ${marker}`, description: marker, tags: [marker] }),
    rest.post(`/tasks/${claimed}/claim`, { agent_ref: `${marker} agent`, lease_seconds: 600 }),
    rest.delete(`/tasks/${deleted}`),
    rest.post(`/projects/${project}/tasks`, { label: `New ${marker}`, position: { x: 4, y: 4 } }),
    rest.patch(`/documents/${document}`, { title: `Title ${marker}`, body: marker }),
    rest.patch(`/notes/${note}`, { body: marker }),
    rest.patch(`/projects/${project}`, { description: marker }),
    rest.post(`/projects/${project}/goals`, { name: `Goal ${marker}`, objective: marker }),
    rest.post(`/projects/${project}/edges`, {
      from_type: 'task',
      from_id: claimed,
      to_type: 'task',
      to_id: changed,
      label: marker,
    }),
    rest.post(`/projects/${project}/participant-links`, { audience_name: marker }),
    rest.post(`/projects/${project}/notes`, { title: `Keyed ${marker}` }, { 'Idempotency-Key': 'held-1' }),
    rest.post('/projects', { name: `Project ${marker}` }),
  ]);
  return answers.map(({ status }) => status);
}

function rest(name: string, path: (plan: Plan) => string, tag?: (plan: Plan) => string): Read {
  return {
    name,
    run: async (service, _, plan) => {
      const headers: Record<string, string> = tag === undefined ? {} : { 'If-None-Match': tag(plan) };
      const { status, body } = await service.rest.get(path(plan), headers);
      return `${status} ${JSON.stringify(body) ?? ''}`;
    },
  };
}

function sent(
  name: string,
  method: string,
  path: (plan: Plan) => string,
  body: () => object,
  headers: (plan: Plan) => Record<string, string> = () => ({}),
): Read {
  return {
    name,
    run: async (service, _, plan) => {
      const answer = await service.rest.send(method, path(plan), body(), headers(plan));
      return `${answer.status} ${JSON.stringify(answer.body)}`;
    },
  };
}

function tool(name: string, input: (plan: Plan) => Record<string, unknown>): Read {
  return {
    name,
    run: async (_, mcp, plan) => {
      const { isError, value } = await mcp.call(name, input(plan));
      return `${isError ? 'error' : 'ok'} ${JSON.stringify(value)}`;
    },
  };
}
