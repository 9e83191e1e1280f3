import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headersOfRequest } from '../../src/mcp/envelope.ts';
import type { Event } from '../../src/schema/types.ts';
import { EventStream } from '../support/event-stream.ts';
import { runCommand } from '../support/in-process.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { modernRequest } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';
import { messagesOf } from '../support/stream-messages.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** The part of an event that leaves the service. */
type Left = Pick<Event, 'resource' | 'untrusted'>;

interface Reader {
  readonly service: TestService;
  readonly receiver: WebhookReceiver;
  readonly project: string;
  /** The cursors before the events, of the project and of all. */
  readonly since: string;
  readonly sinceOfAll: string;
}

/** Three tasks are created: one of an author, one from a submission, one that a submission is linked to. */
const count = 3;
const type = 'task.created';

async function streamed(service: TestService, path: string): Promise<readonly Left[]> {
  const stream = await EventStream.open(service.url, path);
  const events = await stream.take(count);
  stream.close();
  return events;
}

async function overMcp({ service, project, since }: Reader, method: string): Promise<Response> {
  const params = { name: type, arguments: { project_id: project }, cursor: since };
  const request = modernRequest('e', method, params);
  return rawMcp(service.url, request, headersOfRequest(request));
}

async function printed({ service, project, since }: Reader, ...more: readonly string[]): Promise<string> {
  const scope = ['--project', project, '--root', service.directory];
  const { output, errors, code } = await runCommand(['events', '--since', since, '--types', type, ...scope, ...more]);
  expect(code, errors).to.equal(0);
  return output;
}

/** Every way in which events leave the service, with its result for those three. */
const ways: Readonly<Record<string, (reader: Reader) => Promise<readonly Left[]>>> = {
  'a list over REST': async ({ service, project, since }) =>
    (await service.rest.get(`/projects/${project}/events?types=${type}&since=${since}`)).body.events,
  'a list of all projects': async ({ service, sinceOfAll }) =>
    (await service.rest.get(`/feed?types=${type}&since=${sinceOfAll}`)).body.events,
  'a call that waits': async ({ service, project, since }) =>
    (await service.rest.get(`/projects/${project}/events?types=${type}&wait=30&since=${since}`)).body.events,
  'a stream': ({ service, project, since }) =>
    streamed(service, `/projects/${project}/events?types=${type}&since=${since}`),
  'a stream of all projects': ({ service, sinceOfAll }) => streamed(service, `/feed?types=${type}&since=${sinceOfAll}`),
  'a poll over MCP': async (reader) => {
    const { result } = (await (await overMcp(reader, 'events/poll')).json()) as {
      readonly result: { readonly events: readonly { readonly data: Left }[] };
    };
    return result.events.map(({ data }) => data);
  },
  'a stream over MCP': async (reader) => {
    const messages = messagesOf(await overMcp(reader, 'events/stream'));
    const events: Left[] = [];
    while (events.length < count) {
      const { value } = await messages.next();
      if (value.method === 'notifications/events/event') events.push(value.params.data as Left);
    }
    await messages.return();
    return events;
  },
  'planner events': async (reader) => {
    const lines = (await printed(reader)).trimEnd().split('\n');
    return lines.map((line) => ({
      resource: { type: 'task', id: '', label: /"(Paint \w+)"/.exec(line)?.[1] ?? null },
      ...(line.endsWith('(untrusted)') && { untrusted: true }),
    }));
  },
  'planner events --json': async (reader) =>
    (JSON.parse(await printed(reader, '--json')) as { readonly events: readonly Left[] }).events,
  'planner events --exec': async (reader) => {
    const file = join(reader.service.directory, 'seen');
    await printed(reader, '--exec', `cat >> '${file}'`);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Left);
  },
  'a webhook': async ({ receiver }) => {
    await receiver.count(count);
    return receiver.received.map(({ message }) => message.data);
  },
};

describe('Events about texts of guests', function () {
  this.timeout(60_000);
  let reader: Reader;

  before(async () => {
    const receiver = await WebhookReceiver.open();
    const service = await TestService.start({ webhookHosts: { allowed: new Set([receiver.host]) } });
    const project = await service.project('Plan');
    const cursorOf = async (path: string): Promise<string> => (await service.rest.get(`${path}?since=now`)).body.cursor;
    const [since, sinceOfAll] = [await cursorOf(`/projects/${project}/events`), await cursorOf('/feed')];
    reader = { service, receiver, project, since, sinceOfAll };
    const created = async (path: string, body: object): Promise<string> =>
      (await service.rest.post(`/projects/${project}/${path}`, body)).body.id as string;
    const submitted = (title: string): Promise<string> => created('submissions', { participant_name: 'Guest', title });
    const accept = (id: string, task?: string): Promise<unknown> =>
      service.rest.post(`/submissions/${id}/triage`, { action: 'accept', link_task_id: task });
    await created('tasks', { label: 'Paint shed' });
    await accept(await submitted('Paint fence'));
    const copied = await submitted('Paint gate');
    const task = await created('tasks', { label: 'Paint gate' });
    // The event was sent, and shown, without the mark.
    await ways['a list over REST']!(reader);
    await accept(copied, task);
    await service.rest.post(`/projects/${project}/webhooks`, { url: receiver.url, types: [type] });
  });
  after(async () => {
    await reader.service.stop();
    await reader.receiver.close();
  });

  const marked = (events: readonly Left[]): unknown[] =>
    events.map(({ resource, untrusted }) => [resource.label, untrusted]);

  for (const [name, read] of Object.entries(ways).filter(([name]) => name !== 'a webhook'))
    it(`are marked in ${name} [A.hostile.guests-marked]`, async () => {
      expect(marked(await read(reader))).to.deep.equal([
        ['Paint shed', undefined],
        ['Paint fence', true],
        ['Paint gate', true],
      ]);
    });

  it('are marked in a webhook [A.hostile.guests-marked]', async () => {
    const { service, project } = reader;
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Paint door' });
    const input = { participant_name: 'Guest', title: 'Paint wall' };
    const { body } = await service.rest.post(`/projects/${project}/submissions`, input);
    await service.rest.post(`/submissions/${body.id}/triage`, { action: 'accept' });
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Paint roof' });
    expect(marked(await ways['a webhook']!(reader))).to.deep.equal([
      ['Paint door', undefined],
      ['Paint wall', true],
      ['Paint roof', undefined],
    ]);
  });

  it('are marked if they are about the submission, or about deleted records [A.hostile.guests-marked]', async () => {
    const { service, project } = reader;
    const { body: submission } = await service.rest.post(`/projects/${project}/submissions`, {
      participant_name: 'Guest',
      title: 'Paint sky',
    });
    const { body: triaged } = await service.rest.post(`/submissions/${submission.id}/triage`, { action: 'accept' });
    const { body: own } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Paint sea' });
    const eventsOf = async (id: string): Promise<unknown[]> => {
      const { body } = await service.rest.get(`/projects/${project}/events?resource=${id}`);
      return (body.events as readonly Event[]).map((event) => [event.type, event.untrusted]);
    };
    for (const id of [triaged.linked_task_id, own.id]) await service.rest.delete(`/tasks/${id}`);
    const both = (type: string): string[] => [`${type}.created`, `${type}.deleted`];
    expect(await eventsOf(own.id as string)).to.deep.equal(both('task').map((name) => [name, undefined]));
    expect(await eventsOf(triaged.linked_task_id as string)).to.deep.equal(both('task').map((name) => [name, true]));
    expect(await eventsOf(submission.id as string)).to.deep.equal([
      ['submission.created', true],
      ['submission.updated', true],
    ]);
  });

  it('are marked in the problems of their files, whose names have words of the title [A.hostile.guests-marked]', async () => {
    const { service, project } = reader;
    const { body } = await service.rest.get(`/projects/${project}/tasks`);
    const tasks = body.tasks as readonly { readonly id: string; readonly label: string }[];
    for (const { id } of tasks) {
      await service.store.flush();
      const { path } = (await service.rest.get(`/projects/${project}/records/${id}/file`)).body as { path: string };
      writeFileSync(join(service.directory, path), '---\nlabel: [\n---\n');
    }
    await service.store.rescan();
    const { problems } = (await service.rest.get(`/projects/${project}/problems`)).body as {
      readonly problems: readonly { readonly id: string; readonly kind: string; readonly untrusted?: true }[];
    };
    const byLabel = tasks.map(({ id, label }) => [label, problems.find((one) => one.id === id)?.untrusted]);
    expect(new Map(byLabel as [string, unknown][])).to.deep.equal(
      new Map([
        ['Paint shed', undefined],
        ['Paint fence', true],
        ['Paint gate', true],
        ['Paint door', undefined],
        ['Paint wall', true],
        ['Paint roof', undefined],
      ]),
    );
    // A submission is linked to a task that was deleted.
    const dangling = problems.filter(({ kind }) => kind === 'dangling_reference');
    expect(dangling.map(({ untrusted }) => untrusted)).to.deep.equal([true]);
    expect(problems).to.have.length(7);
  });
});
