import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collections } from '../../src/domain/records/collections.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import { startService } from '../../src/main/service.ts';
import type { Service } from '../../src/main/service.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { replaceFileAsync } from '../../src/store/files/disk/replace-file.ts';
import type { Problem } from '../../src/store/record/read-transaction.ts';
import { fullProject } from '../support/full-project.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import type { Scenario, Step, World } from './scenario.ts';
import { shownState, type ShownState } from './shown-state.ts';

/** The whole service in this process, called over HTTP. */
export class ServiceWorld implements World {
  readonly directory: string;
  readonly disk: Disk;
  #service: Service | undefined;

  constructor(directory: string, disk: Disk) {
    this.directory = directory;
    this.disk = disk;
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('The service is not running.');
    return this.#service;
  }

  get rest(): RestClient {
    return new RestClient(this.service.url);
  }

  async open(): Promise<void> {
    this.#service = await startService({
      ...{
        root: join(this.directory, '.planner'),
        host: '127.0.0.1',
        port: 0,
        owner: 'Ada',
        defaultProject: undefined,
      },
      ...{ disk: this.disk, writer: 'inline', watch: false, rescanIntervalMs: 0, segmentBytes: 16 * 1024 },
      log: () => undefined,
    });
  }

  async close(): Promise<void> {
    await this.service.close();
    this.#service = undefined;
  }

  flush(): Promise<void> {
    return this.service.store.flush();
  }

  rescan(): Promise<void> {
    return this.service.store.rescan();
  }

  async shown(): Promise<ShownState | undefined> {
    // Problems of files are noted after the call, and stays noted for a while.
    const names = serviceCollections.map(({ name }) => name).filter((name) => name !== 'known_problems');
    return this.#service && shownState(this.#service.store, collections, names);
  }

  check(): readonly Problem[] {
    return this.service.store.check();
  }

  async abandon(): Promise<void> {
    this.#service?.store.abandon();
    await this.#service?.close();
  }

  /** Sends a call; answers the body of a success and throws for anything else. */
  async send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered> {
    const answer = await this.rest.send(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body as Answered;
  }

  async project(name = 'Plan'): Promise<string> {
    const { projects } = await this.send('GET', '/projects');
    return projects!.find((project) => project.name === name)!.id;
  }

  async task(label: string): Promise<string> {
    const { tasks } = await this.send('GET', `/projects/${await this.project()}/tasks`);
    return tasks!.find((task) => task.label === label)!.id;
  }

  async file(filename: string): Promise<string> {
    const { files } = await this.send('GET', `/projects/${await this.project()}/files`);
    return files!.find((file) => file.filename === filename)!.id;
  }
}

interface Answered {
  readonly id: string;
  readonly projects?: readonly { readonly id: string; readonly name: string }[];
  readonly tasks?: readonly { readonly id: string; readonly label: string }[];
  readonly files?: readonly { readonly id: string; readonly filename: string }[];
  readonly trash?: readonly { readonly id: string }[];
}

type ServiceStep = Step<ServiceWorld>;

const open: ServiceStep = (world) => world.open();
const close: ServiceStep = (world) => world.close();
const flush: ServiceStep = (world) => world.flush();
const project: ServiceStep = (world) => world.send('POST', '/projects', { name: 'Plan' });
const create =
  (kind: 'tasks' | 'documents', body: object): ServiceStep =>
  async (world) =>
    world.send('POST', `/projects/${await world.project()}/${kind}`, body);

/** Bytes of which no block is like another. */
function bytesOf(seed: number, length: number): Buffer {
  return Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8) * 31 + seed) & 255));
}

const upload =
  (filename: string, bytes: Buffer): ServiceStep =>
  async (world) =>
    world.send('POST', `/projects/${await world.project()}/files`, {
      ...{ filename, mime: 'application/octet-stream', content_base64: bytes.toString('base64') },
    });

const uploadInParts =
  (filename: string, bytes: Buffer): ServiceStep =>
  async (world) => {
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: image/png\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    return world.send('POST', `/projects/${await world.project()}/files`, body, headers);
  };

const serviceScenario = (
  title: string,
  steps: { readonly before?: readonly ServiceStep[]; readonly steps: readonly ServiceStep[] },
): Scenario<ServiceWorld> => ({
  title,
  make: (directory, disk) => new ServiceWorld(directory, disk),
  steps: () => steps,
});

const uploads = serviceScenario('upload', {
  before: [open, project, flush, close],
  steps: [
    open,
    upload('one.bin', bytesOf(1, 3000)),
    uploadInParts('two.png', bytesOf(2, 70_000)),
    flush,
    async (world) =>
      world.send('POST', `/projects/${await world.project()}/documents`, {
        ...{ title: 'Picture', body: `![two](/api/v1/files/${await world.file('two.png')})\n` },
      }),
    upload('three.json', bytesOf(3, 600)),
    create('tasks', { label: 'late' }),
    close,
  ],
});

/** The source of an import: an export with a record of every kind. It keeps its ids whenever it comes. */
let exported: Promise<string> | undefined;

async function makeExport(): Promise<string> {
  const service = await TestService.start({ writer: 'thread', watch: false });
  try {
    const { id } = await fullProject(service);
    const { body } = await service.rest.get(`/projects/${id}/export`);
    return JSON.stringify({ ...body, keep_ids: true });
  } finally {
    await service.stop();
  }
}

const imports = serviceScenario('import', {
  before: [
    async () => {
      exported ??= makeExport();
      await exported;
    },
    open,
    project,
    close,
  ],
  steps: [
    open,
    async (world) => world.send('POST', '/projects/import', (await exported)!),
    flush,
    async (world) => world.send('DELETE', `/projects/${await world.project('Garden & "beds"')}`),
    async (world) => world.send('POST', '/projects/import', (await exported)!),
    close,
  ],
});

const formerExport = '{"format": "a file that was there"}\n';

/** Written by the command `planner export`: the former file remains until the new file is whole. */
const exports: Scenario<ServiceWorld> = {
  ...serviceScenario('export', {
    before: [
      open,
      project,
      create('tasks', { label: 'one', description: 'A description.\n'.repeat(200) }),
      create('documents', { title: 'page', body: 'A body.\n'.repeat(200) }),
      flush,
      close,
      (world) => Promise.resolve(writeFileSync(join(world.directory, 'plan.planner.json'), formerExport)),
    ],
    steps: [
      open,
      create('tasks', { label: 'two' }),
      async (world) => {
        const url = `${world.service.url}/api/v1/projects/${await world.project()}/export`;
        const { body } = await fetch(url);
        await replaceFileAsync(world.disk, join(world.directory, 'plan.planner.json'), body!);
      },
      close,
    ],
  }),
  verify: (directory, done) => {
    const text = readFileSync(join(directory, 'plan.planner.json'), 'utf8');
    if (text === formerExport) {
      if (done >= 3) throw new Error('The export that was answered for is not there.');
      return;
    }
    const { format, tasks } = JSON.parse(text) as { format: string; tasks: { label: string }[] };
    const labels = tasks.map(({ label }) => label).sort();
    if (format !== 'planner-export-v1' || labels.join() !== 'one,two') throw new Error(`An export of ${labels.join()}`);
  },
};

/** The records outside the projects: keys, links, answers to keyed calls. */
const records = serviceScenario('service records', {
  before: [open, project, create('tasks', { label: 'one' }), flush, close],
  steps: [
    open,
    (world) => world.send('POST', '/keys', { kind: 'owner', name: 'mine' }),
    async (world) => world.send('POST', `/tasks/${await world.task('one')}/share`, {}),
    async (world) =>
      world.send('POST', `/projects/${await world.project()}/tasks`, { label: 'keyed' }, { 'Idempotency-Key': 'k1' }),
    async (world) =>
      world.send('POST', `/tasks/${await world.task('one')}/claim`, { agent_ref: 'a', lease_seconds: 600 }),
    async (world) => world.send('PATCH', `/tasks/${await world.task('keyed')}`, { label: 'keyed', tags: ['x', 'y'] }),
    close,
    open,
    async (world) => world.send('DELETE', `/tasks/${await world.task('one')}`),
    async (world) => world.send('DELETE', `/projects/${await world.project()}`),
    close,
  ],
});

/** The id of the newest deletion. */
async function newestDeletion(world: ServiceWorld): Promise<string> {
  const { trash } = await world.send('GET', `/projects/${await world.project()}/trash`);
  return trash![0]!.id;
}

/** A deletion and its entry in the trash exist together, and so do restored records. */
const deletions = serviceScenario('trash', {
  before: [
    open,
    project,
    create('tasks', { label: 'one', description: 'A description.\n'.repeat(20) }),
    create('documents', { title: 'page', body: 'A body.\n' }),
    flush,
    async (world) => world.send('POST', `/tasks/${await world.task('one')}/comments`, { body: 'a comment' }),
    flush,
    close,
  ],
  steps: [
    open,
    async (world) => world.send('DELETE', `/tasks/${await world.task('one')}`),
    flush,
    async (world) =>
      world.send('POST', `/projects/${await world.project()}/trash/${await newestDeletion(world)}/restore`),
    async (world) => world.send('PATCH', `/tasks/${await world.task('one')}`, { label: 'one', tags: ['x'] }),
    flush,
    async (world) => world.send('DELETE', `/tasks/${await world.task('one')}`),
    close,
  ],
});

export const serviceScenarios: readonly Scenario<ServiceWorld>[] = [uploads, imports, exports, records, deletions];
