import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { localSigner } from '../../src/cli/machine/local-ownership.ts';
import type { ProcessEvents } from '../../src/cli/terminal/process-events.ts';
import { serve } from '../../src/cli/service/serve.ts';
import { readEnvironment } from '../../src/base/config.ts';
import { type Worker, workers } from '../../src/domain/feed/fatal-work.ts';
import { currentWork } from '../../src/platform/current-work.ts';
import type { Webhook } from '../../src/schema/types.ts';
import { type Service, startService } from '../../src/main/service.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { LeapingClock } from '../support/leaping-clock.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** A service in this process, served as the command does it: an exception that nothing catches ends it. */
class Served {
  readonly clock = new LeapingClock();
  readonly log: object[] = [];
  readonly ended: Promise<unknown>;
  service!: Service;
  rest!: RestClient;
  readonly #ready = Promise.withResolvers<void>();
  #listener: ((thrown: unknown, origin: string) => void) | undefined;
  #end: () => void = () => undefined;

  static async open(directory: string, hosts: ReadonlySet<string>, before?: () => void): Promise<Served> {
    const served = new Served(directory, hosts, before);
    await served.#ready.promise;
    return served;
  }

  private constructor(directory: string, allowed: ReadonlySet<string>, before: () => void = () => undefined) {
    const root = join(directory, '.planner');
    const events: ProcessEvents = {
      onEndSignal: (listener) => (this.#end = listener),
      onUncaughtException: (listener) => process.on('uncaughtException', (this.#listener = listener)),
      ignoreInterrupts: () => () => undefined,
      exit: () => undefined,
    };
    const log = (entry: object): void => void this.log.push(entry);
    const open = async (): Promise<Service> => {
      before();
      this.service = await startService({
        ...{ root, host: '127.0.0.1', port: 0, owner: 'Ada', defaultProject: undefined, log, clock: this.clock },
        ...{ writer: 'inline', watch: false, webhookHosts: { allowed } },
        signLocal: localSigner({ disk: nodeDisk, homeDirectory: homedir(), environment: readEnvironment }, root),
      });
      return this.service;
    };
    const ready = (url: string): void => {
      this.rest = new RestClient(url);
      this.#ready.resolve();
    };
    const serving = serve({ open, ready, hosted: undefined, log, events });
    this.ended = serving
      .then(
        () => undefined,
        (error: unknown) => error,
      )
      .finally(() => this.#listener && process.off('uncaughtException', this.#listener));
  }

  async end(): Promise<void> {
    this.#end();
    expect(await this.ended).to.equal(undefined);
  }
}

/**
 * Sees the work of a worker in which something is begun, and throws from the work of one project, outside of every
 * call.
 */
class Thrower {
  readonly seen = new Set<string>();
  readonly #hook;

  constructor(worker: Worker, project: string | undefined) {
    let isThrown = false;
    const thrown = new Error(`thrown by ${worker}`);
    this.#hook = createHook({
      init: () => {
        const work = currentWork();
        if (work?.worker !== worker) return;
        this.seen.add(work.project);
        if (work.project !== project || isThrown) return;
        isThrown = true;
        setImmediate(() => {
          throw thrown;
        });
      },
    }).enable();
  }

  end(): void {
    this.#hook.disable();
  }
}

describe('Work for one project without a call', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();
  let own: NodeJS.UncaughtExceptionListener[];
  let receiver: WebhookReceiver;
  let served: Served | undefined;
  let thrower: Thrower | undefined;

  before(() => {
    own = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
  });
  after(() => {
    for (const listener of own) process.on('uncaughtException', listener);
  });
  beforeEach(async () => void (receiver = await WebhookReceiver.open()));
  afterEach(async () => {
    thrower?.end();
    await served?.end();
    [served, thrower] = [undefined, undefined];
    await receiver.close();
  });

  const open = async (before?: () => void): Promise<Served> =>
    (served = await Served.open(scratch.path, new Set([receiver.host]), before));

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      served?.clock.leap(300);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const task = async (project: string): Promise<string> =>
    (await served!.rest.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;

  /** The calls that give each worker something to do in a project. */
  const causes: Readonly<Record<Worker, (project: string) => Promise<unknown>>> = {
    webhooks: async (project) => {
      const path = `/projects/${project}/webhooks`;
      const { webhooks } = (await served!.rest.get(path)).body as { readonly webhooks: readonly Webhook[] };
      if (webhooks.length === 0) await served!.rest.post(path, { url: receiver.url });
      await task(project);
    },
    leases: async (project) => {
      const claim = { agent_ref: 'ant', lease_seconds: 1 };
      expect((await served!.rest.post(`/tasks/${await task(project)}/claim`, claim)).status).to.equal(200);
      served!.clock.leap(1100);
    },
    problems: async (project) => {
      const id = await task(project);
      await served!.service.store.flush();
      const { path } = (await served!.rest.get(`/projects/${project}/records/${id}/file`)).body as { path: string };
      writeFileSync(join(scratch.path, path), '---\nlabel: [\n---\n');
      await served!.service.store.rescan();
    },
    // Work of each project that is opened, or made.
    indexing: task,
  };

  for (const worker of Object.keys(workers) as Worker[])
    it(`is suspended if it ended the service twice, and is done for other projects: ${worker} [A.hostile.background]`, async () => {
      receiver.answers.push({ silent: true }, { silent: true });
      await open();
      const make = async (): Promise<string> => (await served!.rest.post('/projects', { name: 'Plan' })).body.id;
      const [project, other] = [await make(), await make()];
      for (const time of [1, 2]) {
        thrower = new Thrower(worker, project);
        if (time === 2) await open();
        await causes[worker](project).catch(() => undefined);
        await until(() => thrower!.seen.has(project));
        expect(await served!.ended, `time ${time}`)
          .to.be.an('error')
          .with.property('message')
          .that.includes(worker);
        thrower.end();
      }
      thrower = new Thrower(worker, undefined);
      await open();
      await causes[worker](project);
      await causes[worker](other);
      await until(() => thrower!.seen.has(other));
      expect([...thrower.seen]).to.deep.equal([other]);
      const { problems } = (await served!.rest.get(`/projects/${project}/problems`)).body as {
        readonly problems: readonly { readonly kind: string; readonly reason: string; readonly remedy: string }[];
      };
      const kind = worker === 'webhooks' ? 'webhook_paused' : 'work_suspended';
      const found = problems.filter((one) => one.kind === kind);
      expect(found).to.have.length(1);
      expect(found[0]!.reason).to.include('ended the service 2 times');
      expect(found[0]!.remedy).to.be.a('string');
      expect((await served!.rest.get(`/projects/${other}/problems`)).body.problems).not.to.deep.include({ kind });
    });

  it('may throw while the service starts: it is closed in order then, too [A.hostile.uncaught]', async () => {
    await open(() => {
      process.nextTick(() => {
        throw new Error('thrown at the start');
      });
    });
    expect(await served!.ended)
      .to.be.an('error')
      .with.property('message')
      .that.includes('thrown at the start');
    const { url } = served!.service;
    await open();
    await served!.end();
    expect(await fetch(url).catch(() => 'closed')).to.equal('closed');
  });

  it('is done again for a webhook that is resumed, redeliveries included [A.hostile.background]', async () => {
    await open();
    const { id: project } = (await served!.rest.post('/projects', { name: 'Plan' })).body as { readonly id: string };
    const { id } = (await served!.rest.post(`/projects/${project}/webhooks`, { url: receiver.url })).body;
    await task(project);
    await receiver.count(1);
    const deliveries = async (): Promise<readonly { readonly id: string }[]> =>
      (await served!.rest.get(`/webhooks/${id}/deliveries`)).body.deliveries;
    await until(async () => (await deliveries()).length === 1);
    const work = { worker: 'webhooks', project, of: `${id}.0` };
    await served!.service.noteEnd(work);
    await served!.service.noteEnd(work);
    await served!.end();
    await open();
    const shown = async (): Promise<Webhook> =>
      (await served!.rest.get(`/projects/${project}/webhooks`)).body.webhooks[0] as Webhook;
    await until(async () => (await shown()).paused?.reason === 'crashed');
    const [first] = await deliveries();
    expect((await served!.rest.post(`/webhooks/${id}/deliveries/${first!.id}/redeliver`)).status).to.equal(202);
    await task(project);
    await served!.end();
    await open();
    expect((await shown()).state).to.equal('paused');
    expect(receiver.received).to.have.length(1);
    expect((await served!.rest.post(`/webhooks/${id}/resume`)).body).to.include({ state: 'active', paused: null });
    await receiver.count(3);
    expect(receiver.received[1]!.headers['webhook-id']).to.equal(receiver.received[0]!.headers['webhook-id']);
  });
});
