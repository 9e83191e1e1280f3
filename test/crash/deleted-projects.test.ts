import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Event } from '../../src/schema/types.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { rarely } from '../support/rarely.ts';

/** The deletion of a project by a call and by hand, in a service that is killed before, during and after it. */
describe('A follower of all projects, while the service is killed', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let server: ServerProcess;
  let rest: RestClient;
  const events: Event[] = [];
  let cursor: string;

  async function serve(): Promise<void> {
    server = await startService(scratch.path);
    rest = new RestClient(`${server.url}`);
  }

  async function killed(): Promise<void> {
    await server.kill();
    await serve();
  }

  /** Takes events until so many deletions were reported. */
  async function follow(count: number): Promise<void> {
    do {
      const wait = events.length < count ? 30 : 0;
      const { status, body } = await rest.get(`/feed?types=project.deleted&since=${cursor}&wait=${wait}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      events.push(...(body.events as Event[]));
      cursor = body.cursor as string;
    } while (events.length < count);
  }

  const projects = (): string => join(scratch.path, '.planner/projects');
  const removeByHand = (name: string): void => {
    const found = readdirSync(projects()).find((one) => one.startsWith(`${name}-`))!;
    rmSync(join(projects(), found), { recursive: true });
  };
  const names = (): (string | null)[] => events.map(({ resource }) => resource.label);

  afterEach(() => server.stop());

  rarely('gets each deletion once [A.feed.deleted, A.feed.durable]', async () => {
    mkdirSync(scratch.path, { recursive: true });
    await serve();
    const ids = new Map<string, string>();
    for (const name of ['called', 'lost', 'away', 'later', 'kept'])
      ids.set(name, (await rest.post('/projects', { name })).body.id as string);
    // Everything is in files: a killed service writes again the changes that only its journal had.
    await server.stop();
    await serve();
    cursor = (await rest.get('/feed?since=now')).body.cursor as string;

    expect((await rest.delete(`/projects/${ids.get('called')}`)).status).to.equal(204);
    await killed();
    await follow(1);
    expect(names()).to.deep.equal(['called']);

    // An answer that is lost may have been carried out or not.
    const call = rest.delete(`/projects/${ids.get('lost')}`).catch(() => undefined);
    await server.kill();
    await call;
    await serve();
    const isLeft = (await rest.get(`/projects/${ids.get('lost')}`)).status === 200;
    if (isLeft) await rest.delete(`/projects/${ids.get('lost')}`);
    await follow(2);
    expect(names()).to.deep.equal(['called', 'lost']);

    await server.kill();
    removeByHand('away');
    await serve();
    await follow(3);
    expect(names()).to.deep.equal(['called', 'lost', 'away']);

    removeByHand('later');
    await follow(4);
    await killed();
    await follow(4);
    expect(names()).to.deep.equal(['called', 'lost', 'away', 'later']);
    expect(events.map(({ source }) => source)).to.deep.equal(['rest', 'rest', 'disk', 'disk']);
    expect(new Set(events.map(({ project_id: id }) => id)).size).to.equal(4);
    const left = (await rest.get('/projects')).body.projects as { readonly name: string }[];
    expect(left.map(({ name }) => name)).to.deep.equal(['kept']);
  });
});
