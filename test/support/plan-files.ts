import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestService } from './service.ts';

const waitMsMax = 15_000;

/** The files of one project, as a person edits them. Paths are relative to the project's directory. */
export class PlanFiles {
  readonly service: TestService;
  #directory: string | undefined;

  /** The files of the project that is the only one now. */
  static async of(service: TestService): Promise<PlanFiles> {
    await service.store.flush();
    const files = new PlanFiles(service);
    files.#directory = files.directory;
    return files;
  }

  constructor(service: TestService) {
    this.service = service;
  }

  get directory(): string {
    if (this.#directory !== undefined) return this.#directory;
    const projects = join(this.service.root, 'projects');
    const names = readdirSync(projects);
    if (names.length !== 1) throw new Error(`There are ${names.length} projects with files.`);
    return join(projects, names[0]!);
  }

  /** A path as the service shows it. */
  shown(path: string): string {
    return `.planner${join(this.directory, path).slice(this.service.root.length)}`;
  }

  /** Every path, sorted. */
  paths(): string[] {
    return readdirSync(this.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.directory.length + 1))
      .sort();
  }

  /** The path of the record that says this id, once everything is written. */
  async pathOf(id: string): Promise<string> {
    await this.service.store.flush();
    const path = this.paths().find((one) => !one.startsWith('history/') && says(this.read(one), id));
    if (path === undefined) throw new Error(`No file says the id ${id}.`);
    return path;
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.directory, path)), { recursive: true });
    writeFileSync(join(this.directory, path), content);
  }

  /** Replaces a part of a record's file, which must be there; returns its path. */
  async edit(id: string, from: string | RegExp, to: string): Promise<string> {
    const path = await this.pathOf(id);
    const before = this.read(path);
    const after = before.replace(from, to);
    expect(after, path).not.to.equal(before);
    this.write(path, after);
    return path;
  }

  remove(path: string): void {
    rmSync(join(this.directory, path), { recursive: true });
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(join(this.directory, to)), { recursive: true });
    renameSync(join(this.directory, from), join(this.directory, to));
  }

  /** Resolves once the check holds: the service reads an edit a moment later. Fails with its last failure. */
  async until(check: () => Promise<unknown>): Promise<void> {
    const end = performance.now() + waitMsMax;
    for (;;) {
      await this.service.store.rescan();
      try {
        await check();
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  }
}

function says(text: string, id: string): boolean {
  return text.includes(`\nid: ${id}\n`) || text.includes(`"id": "${id}"`);
}
