import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Problem } from '../../src/store/record/read-transaction.ts';
import { TestService, watched } from '../support/service.ts';
import type { TestServiceOptions } from '../support/service.ts';

/** How long an edit may take to be served on a busy machine. */
const waitMsMax = 45_000;

/** A record as parsed from its file, without any of the service's own code. */
interface FileRecord {
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A record as returned by REST. */
interface Answered {
  readonly id: string;
  readonly label?: string;
  readonly title?: string;
  readonly status?: string | null;
  readonly description?: string;
  readonly body?: string;
}

/** Edits the files of a running service. Periodic rescans are disabled, so only the watcher can find the edits. */
export class FileEditor {
  readonly service: TestService;
  readonly project: string;

  static async start(options: TestServiceOptions = {}): Promise<FileEditor> {
    const service = await TestService.start({ ...watched, rescanIntervalMs: 0, ...options });
    const project = await service.project('Garden');
    await service.store.flush();
    await service.store.watching();
    return new FileEditor(service, project);
  }

  private constructor(service: TestService, project: string) {
    this.service = service;
    this.project = project;
  }

  /** The present directory of this project. */
  get directory(): string {
    return join(this.service.root, 'projects', this.#directoryName());
  }

  #directoryName(): string {
    const projects = join(this.service.root, 'projects');
    const name = readdirSync(projects).find((one) => {
      try {
        return (
          (JSON.parse(readFileSync(join(projects, one, 'project.json'), 'utf8')) as { id: string }).id === this.project
        );
      } catch {
        return false;
      }
    });
    if (name === undefined) throw new Error(`No directory holds ${this.project}.`);
    return name;
  }

  path(relative: string): string {
    return join(this.directory, relative);
  }

  read(relative: string): string {
    return readFileSync(this.path(relative), 'utf8');
  }

  /** Creates a task over REST; returns its id and its file, after it was written. */
  async task(fields: Readonly<Record<string, unknown>>): Promise<{ readonly id: string; readonly path: string }> {
    return this.#made('tasks', fields);
  }

  async document(fields: Readonly<Record<string, unknown>>): Promise<{ readonly id: string; readonly path: string }> {
    return this.#made('documents', fields);
  }

  async #made(
    what: string,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly path: string }> {
    const { status, body } = await this.service.rest.post(`/projects/${this.project}/${what}`, fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    await this.service.store.flush();
    const id = body.id as string;
    return { id, path: this.pathOf(id) };
  }

  /** The path of the file that contains this id, relative to the project's directory. */
  pathOf(id: string): string {
    const found = this.recordsInFiles(id).find(({ fields }) => fields['id'] === id);
    if (found === undefined) throw new Error(`No file says the id ${id}.`);
    return found.path;
  }

  /** Every Markdown record file, or the files that contain a text. Files without valid front matter are left out. */
  recordsInFiles(part = ''): FileRecord[] {
    const found: FileRecord[] = [];
    const { directory } = this;
    for (const top of ['tasks', 'documents', 'notes']) {
      for (const path of filesBelow(join(directory, top))) {
        const text = readFileSync(join(directory, top, path), 'utf8');
        const record = text.includes(part) ? readMarkdown(text) : undefined;
        if (record !== undefined) found.push({ path: `${top}/${path}`, ...record });
      }
    }
    return found;
  }

  /** Every file of the project's directory except its history, with a hash of its bytes. */
  bytes(): Readonly<Record<string, string>> {
    const files = filesBelow(this.directory, /^history\//, /.*/);
    return Object.fromEntries(
      files.map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(this.directory, path)))
          .digest('hex'),
      ]),
    );
  }

  async problems(): Promise<readonly Problem[]> {
    return (await this.service.rest.get(`/projects/${this.project}/problems`)).body.problems as readonly Problem[];
  }

  async tasks(): Promise<readonly Answered[]> {
    return (await this.service.rest.get(`/projects/${this.project}/tasks`)).body.tasks as readonly Answered[];
  }

  async documents(): Promise<readonly Answered[]> {
    const { documents, folders } = (await this.service.rest.get(`/projects/${this.project}/documents`)).body as Tree;
    return [...documents, ...folders.flatMap(documentsOf)];
  }

  /** Retries until this holds, since edits are served a moment later. Fails with the last failure. */
  async until<T>(check: () => T | Promise<T>, waitMs = waitMsMax): Promise<T> {
    const end = performance.now() + waitMs;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    }
  }

  /**
   * Resolves once files and REST responses are equal, the files are the given ones, the listed problems have these
   * kinds, and the check finds nothing else. Returns the problems.
   */
  async settled(kinds: readonly string[] = [], left?: Readonly<Record<string, string>>): Promise<readonly Problem[]> {
    return this.until(async () => {
      const problems = await this.problems();
      expect(problems.map(({ kind }) => kind).sort(), JSON.stringify(problems)).to.deep.equal([...kinds].sort());
      const apart = new Set(problems.map(({ path }) => path.split('/').slice(3).join('/')));
      const records = this.recordsInFiles().filter(({ path }) => !apart.has(path));
      const apartIds = new Set(problems.map(({ id }) => id));
      compare(records, 'tasks', await this.tasks(), apartIds);
      compare(records, 'documents', await this.documents(), apartIds);
      if (left !== undefined) expect(this.bytes()).to.deep.equal(left);
      const found = this.service.store.check();
      expect(found.map(({ kind }) => kind).sort(), JSON.stringify(found)).to.deep.equal([...kinds].sort());
      return problems;
    });
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

interface Tree {
  readonly documents: readonly Answered[];
  readonly folders: readonly Tree[];
}

function documentsOf({ documents, folders }: Tree): readonly Answered[] {
  return [...documents, ...folders.flatMap(documentsOf)];
}

/** Files below a directory, without names that begin with a dot. */
function filesBelow(directory: string, without = /^$/, like = /\.md$/): string[] {
  let entries;
  try {
    entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => like.test(path) && !without.test(path) && !path.split('/').some((part) => part.startsWith('.')))
    .sort();
}

/**
 * The front matter and the exact body below it, without one final newline; undefined if the front matter is invalid.
 */
function readMarkdown(text: string): Omit<FileRecord, 'path'> | undefined {
  const whole = text.replace(/^\ufeff/, '');
  const fenced = /^---\r?\n([^]*?\r?\n)?---(?:\r?\n|$)/.exec(whole);
  const body = (fenced === null ? whole : whole.slice(fenced[0].length)).replace(/\r?\n$/, '');
  try {
    const fields = fenced === null ? {} : (parse(fenced[1] ?? '', { schema: 'core' }) as FileRecord['fields'] | null);
    return { fields: fields ?? {}, body };
  } catch {
    return undefined;
  }
}

/** Compares the records of files and responses. `apart`: ids whose problem is listed. */
function compare(
  records: readonly FileRecord[],
  what: 'tasks' | 'documents',
  answered: readonly Answered[],
  apart: ReadonlySet<unknown>,
): void {
  const titleKey = what === 'tasks' ? 'label' : 'title';
  const files = records.filter(({ path }) => path.startsWith(`${what}/`));
  const known = answered.filter(({ id }) => !apart.has(id));
  const named = new Map(files.map((file) => [file.fields['id'], file]));
  const others = files.filter(({ fields }) => fields['id'] === undefined);
  expect(known.length, `${what} in files and over REST`).to.equal(
    files.filter(({ fields }) => !apart.has(fields['id'])).length,
  );
  for (const record of known) {
    const title = record.label ?? record.title;
    const file = named.get(record.id) ?? others.find(({ path, fields }) => titleOf(titleKey, path, fields) === title);
    if (file === undefined) throw new Error(`No file is ${record.id}, ${title}.`);
    expect(title, file.path).to.equal(titleOf(titleKey, file.path, file.fields));
    if (file.fields['status'] !== undefined) expect(record.status, file.path).to.equal(file.fields['status']);
    expect(record.description ?? record.body, file.path).to.equal(file.body);
  }
}

function titleOf(key: string, path: string, fields: FileRecord['fields']): unknown {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  return fields[key] ?? name.normalize('NFC');
}
