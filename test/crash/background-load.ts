import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../support/random.ts';
import { lastLine } from './ledger.ts';
import { RestClient } from '../support/rest-client.ts';

/**
 * Load beside the writers of tasks: uploads, imports, exports and external edits, until the service no longer answers.
 */
export class BackgroundLoad {
  readonly #random: Random;
  readonly #root: string;
  readonly #project: string;
  /** Hashes of the bytes by the ids of files that were acknowledged. */
  readonly #files = new Map<string, string>();
  /** Names of imported projects that were acknowledged. */
  readonly #imported = new Set<string>();
  /** Titles of documents that were saved. */
  readonly #saved = new Set<string>();
  #count = 0;

  constructor(random: Random, root: string, project: string) {
    this.#random = random;
    this.#root = root;
    this.#project = project;
  }

  async run(url: string): Promise<void> {
    const client = new RestClient(url);
    await Promise.all([
      untilGone(() => this.#upload(client)),
      untilGone(() => this.#import(client)),
      untilGone(() => this.#export(client)),
      untilGone(() => this.#save(client)),
    ]);
  }

  /** Inconsistencies, one line each. */
  async faults(url: string): Promise<string[]> {
    const client = new RestClient(url);
    return [
      ...(await this.#missingFiles(client)),
      ...(await this.#halfImports(client)),
      ...(await this.#missingDocuments(client)),
    ];
  }

  async #upload(client: RestClient): Promise<void> {
    const bytes = Buffer.from(
      Uint8Array.from({ length: this.#random.integer(1, 60_000) }, () => this.#random.integer(0, 255)),
    );
    const { status, body } = await client.post(`/projects/${this.#project}/files`, {
      ...{ filename: `${this.#count++}.bin`, mime: 'application/octet-stream' },
      content_base64: bytes.toString('base64'),
    });
    expectStatus(status, 201, body);
    this.#files.set((body as { id: string }).id, sha256(bytes));
  }

  /** A plan with as many tasks as its name says. */
  async #import(client: RestClient): Promise<void> {
    const size = this.#random.integer(1, 12);
    const name = `Import ${this.#count++} of ${size}`;
    const tasks = Array.from({ length: size }, (_, at) => ({
      id: `t${at}`,
      label: `Task ${at}`,
      description: lastLine,
    }));
    const { status, body } = await client.post('/projects/import', {
      ...{ format: 'planner-export-v1', project: { name }, tasks },
    });
    expectStatus(status, 201, body);
    this.#imported.add(name);
  }

  async #export(client: RestClient): Promise<void> {
    const { status, body } = await client.get(`/projects/${this.#project}/export`);
    expectStatus(status, 200, body);
  }

  /** Saves like an editor: a temporary file, then a rename. */
  async #save(client: RestClient): Promise<void> {
    const title = `By hand ${this.#count++}`;
    const documents = join(this.#root, '.planner/projects', this.#directory(), 'documents');
    if (existsSync(documents)) {
      const path = join(documents, `${title}.md`);
      writeFileSync(`${path}~`, `# ${title}\n\nSaved by a person.\n`);
      renameSync(`${path}~`, path);
      this.#saved.add(title);
    } else {
      const { status, body } = await client.post(`/projects/${this.#project}/documents`, { title: 'First', body: '' });
      expectStatus(status, 201, body);
    }
    // Saves the next one only while the service is still running.
    expectStatus((await client.get('/health')).status, 200, undefined);
  }

  #directory(): string {
    const code = this.#project.slice(4, 10);
    return readdirSync(join(this.#root, '.planner/projects')).find((name) => name.endsWith(`-${code}`))!;
  }

  async #missingFiles(client: RestClient): Promise<string[]> {
    const faults: string[] = [];
    for (const [id, hash] of this.#files) {
      const response = await fetch(`${client.url}/api/v1/files/${id}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200 || sha256(bytes) !== hash) faults.push(`file ${id} answered ${response.status}`);
      // Verified items stay verified; later rounds check new ones.
      else this.#files.delete(id);
    }
    return faults;
  }

  async #halfImports(client: RestClient): Promise<string[]> {
    const faults: string[] = [];
    const { projects } = (await client.get('/projects')).body as { projects: { id: string; name: string }[] };
    for (const { id, name } of projects) {
      const size = / of (\d+)$/.exec(name)?.[1];
      if (size === undefined) continue;
      this.#imported.delete(name);
      const { tasks } = (await client.get(`/projects/${id}/tasks`)).body as { tasks: unknown[] };
      if (tasks.length !== Number(size)) faults.push(`"${name}" has ${tasks.length} tasks`);
      await client.delete(`/projects/${id}`);
    }
    return [...faults, ...[...this.#imported].map((name) => `"${name}" is not there`)];
  }

  async #missingDocuments(client: RestClient): Promise<string[]> {
    const text = JSON.stringify((await client.get(`/projects/${this.#project}/documents`)).body);
    return [...this.#saved].filter((title) => !text.includes(`"${title}"`)).map((title) => `"${title}" is not there`);
  }
}

/** Repeats until there is no response. Throws for an error response. */
async function untilGone(call: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await call();
    } catch (error) {
      if (error instanceof Refused) throw error;
      return;
    }
  }
}

class Refused extends Error {}

function expectStatus(status: number, expected: number, body: unknown): void {
  if (status !== expected) throw new Refused(`The service answered ${status}: ${JSON.stringify(body)}`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
