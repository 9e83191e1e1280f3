import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A person with an editor: uses the project's files and not the service. */
export class Person {
  readonly #project: string;

  private constructor(project: string) {
    this.#project = project;
  }

  /**
   * Finds the project's directory: `root` is the directory that contains `.planner`, `projectId` is in the project's own file. An
   * acknowledged change is durable at once and written to its file shortly afterwards, so this waits for a new project.
   */
  static async at(root: string, projectId: string): Promise<Person> {
    const projects = join(root, '.planner', 'projects');
    const named = await eventually(
      () =>
        readdirSync(projects).find((name) => readIfExists(join(projects, name, 'project.json')).includes(projectId)),
      `a directory in ${projects} that contains the project ${projectId}`,
    );
    return new Person(join(projects, named));
  }

  /** Replaces the value of one line of a task's front matter: `status: todo` becomes `status: done`. */
  async set(taskId: string, field: string, value: string): Promise<string> {
    return this.#edit('tasks', taskId, (text) => text.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: ${value}`));
  }

  /** Adds a line to the list of a task's tags, indented like the others. */
  async addTag(taskId: string, tag: string): Promise<string> {
    return this.#edit('tasks', taskId, (text) =>
      text.replace(/^tags:\n(\s*)- .*$/m, (found, indent: string) => `${found}\n${indent}- ${tag}`),
    );
  }

  /** Writes a paragraph at the end of a document. */
  async append(title: string, paragraph: string): Promise<string> {
    return this.#edit('documents', title, (text) => `${text}\n${paragraph}\n`);
  }

  /** Adds a Markdown file with only a heading to the tasks. */
  drop(name: string, text: string): string {
    const path = join(this.#project, 'tasks', name);
    writeFileSync(path, text);
    return path;
  }

  /** The text of a task's file as it is now. */
  read(taskId: string): string {
    return readFileSync(this.#find('tasks', taskId)!, 'utf8');
  }

  async #edit(folder: string, naming: string, change: (text: string) => string): Promise<string> {
    // A change is written to its file shortly after it was acknowledged.
    const path = await eventually(
      () => this.#find(folder, naming),
      `a file in ${folder} that is named after ${naming}`,
    );
    const text = readFileSync(path, 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error(`${path} has nothing to change:\n${text}`);
    writeFileSync(path, changed);
    return path;
  }

  #find(folder: string, naming: string): string | undefined {
    const directory = join(this.#project, folder);
    const name = readdirSync(directory).find((entry) => entry.includes(naming));
    return name === undefined ? undefined : join(directory, name);
  }
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Retries until there is a result; throws after ten seconds. */
export async function eventually<T>(ask: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
  for (const began = performance.now(); performance.now() - began < 10_000;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Timed out after ten seconds waiting for ${what}.`);
}
