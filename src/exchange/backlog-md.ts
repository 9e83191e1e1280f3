import { fileAddress } from '../addresses.ts';
import { findFences } from '../store/files/codec/front-matter.ts';
import { parseYaml } from '../store/files/codec/yaml-read.ts';
import { Members, type ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { PlanFiles, PlanTree } from './plan-files.ts';
import { textOf } from './plan-files.ts';
import type { DirectoryFormat } from './plan-format.ts';
import { priorityOf, statusOf, timeOf } from './status-synonyms.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A Markdown file of the plan. */
interface Page {
  readonly path: string;
  /** Its directory: `tasks`, `archive/tasks`. */
  readonly place: string;
  /** Its front matter. */
  readonly fields: Fields;
  readonly body: string;
}

/** The directories of tasks; if an id is used twice, the earlier directory takes precedence. */
const taskPlaces = ['tasks', 'completed', 'drafts', 'archive/tasks', 'archive/drafts'];

export const backlogMd: DirectoryFormat = {
  kind: 'directory',
  name: 'backlog-md',
  offered: 'a Backlog.md directory',
  places: ['backlog', '.backlog'],
  detects: (tree, directory) => {
    const at = (path: string): string => (directory === '' ? path : `${directory}/${path}`);
    return (
      isConfig(tree, at('config.yml')) ||
      taskPlaces.some((place) => tree.kindOf(at(place)) === 'directory' && hasTask(tree.below(at(place))))
    );
  },
  read: (files, { name }) => readBacklogMd(files, name),
};

/** Files as the tool names them: `task-12 - Title.md`. */
const taskFile = /(^|\/)[a-z]+-\d+(\.\d+)* - [^/]*\.md$/i;

/** The number of files from which the format is detected. */
const detectedFiles = 50;

function hasTask(files: PlanFiles): boolean {
  const pages = files.paths.filter((path) => path.endsWith('.md'));
  if (pages.some((path) => taskFile.test(path))) return true;
  return pages.slice(0, detectedFiles).some((path) => {
    const { id, title, status } = split(files.text(path))?.fields ?? {};
    return id !== undefined && title !== undefined && status !== undefined;
  });
}

/** A `config.yml` is the tool's if it has its members: many tools have a file of this name. */
function isConfig(tree: PlanTree, path: string): boolean {
  if (tree.kindOf(path) !== 'file') return false;
  try {
    const config = yamlOf(textOf(tree.bytes(path)));
    return 'project_name' in config && ['statuses', 'task_prefix', 'default_status'].some((name) => name in config);
  } catch {
    return false;
  }
}

/**
 * Reads the directory of Backlog.md (`backlog/`). Tasks, drafts, completed and archived tasks become tasks, milestones goals, documents and
 * decisions documents, dependencies and parents edges that order. A file that is none of these is reported.
 */
export function readBacklogMd(files: PlanFiles, name: string): ImportedPlan {
  const config = files.paths.includes('config.yml') ? yamlOf(files.text('config.yml')) : {};
  const { project_name: called } = config;
  return new Ledger(files, typeof called === 'string' && called.trim() !== '' ? called : name).read();
}

class Ledger {
  readonly #plan: PlanBuilder;
  readonly #files: PlanFiles;
  /** Tasks and documents by the ids that the tool gives them. */
  readonly #ids = new References();
  readonly #goals = new Map<string, string>();
  readonly #pictures = new Map<string, string>();

  constructor(files: PlanFiles, name: string) {
    this.#files = files;
    this.#plan = new PlanBuilder('Backlog.md', name);
  }

  read(): ImportedPlan {
    const pages = this.#files.paths.map((path) => this.#page(path)).filter((page) => page !== undefined);
    const at = (place: string): Page[] => pages.filter((page) => page.place === place);
    this.#addPictures();
    for (const page of [...at('milestones'), ...at('archive/milestones')]) this.#addMilestone(page);
    for (const page of pages.filter(({ place }) => /^(docs|decisions)(\/|$)/.test(place))) this.#addDocument(page);
    const tasks = taskPlaces.flatMap((place) => at(place)).map((page) => this.#addTask(page));
    for (const join of tasks) join();
    return this.#plan.finish();
  }

  #page(path: string): Page | undefined {
    const place = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    if (place.startsWith('assets') || path === 'config.yml') return undefined;
    if (!path.endsWith('.md')) return this.#leftOut('A file that is not Markdown: it was left out.', path);
    const text = this.#files.text(path);
    const page = split(text);
    if (page === undefined) {
      const readme = /(^|\/)readme\.md$/i.test(path);
      if (!readme) return this.#leftOut('A file without readable front matter: it was left out.', path);
      return this.#leftOut("The tool's own readme: it was left out.", path);
    }
    return { path, place, ...page };
  }

  #leftOut(what: string, path: string): undefined {
    this.#plan.remarks.add(what, path);
  }

  #addMilestone({ path, place, fields, body }: Page): void {
    const said = new Members(fields);
    const id = said.text('id') ?? path;
    const name = said.text('title') ?? id;
    const archived = place.startsWith('archive/');
    const kept = { id, ...(archived && { archived: true }), ...said.rest() };
    // A paused goal offers no tasks.
    const goal = this.#plan.goal({ name, objective: this.#text(body), status: archived ? 'paused' : 'active', kept });
    for (const key of [id, name]) if (!this.#goals.has(key.toLowerCase())) this.#goals.set(key.toLowerCase(), goal);
  }

  #addDocument({ path, place, fields, body }: Page): void {
    const said = new Members(fields);
    const id = said.text('id') ?? path;
    const created = said.text('created_date') ?? said.text('date');
    const folder = place
      .split('/')
      .map((name, at) => (at === 0 ? { docs: 'Docs', decisions: 'Decisions' }[name]! : name));
    const document = this.#plan.document({
      ...{ title: said.text('title') ?? path, body: this.#text(body), folder, status: said.text('status') ?? null },
      created_at: timeOf(created),
      kept: {
        id,
        ...said.rest(),
        ...(created !== undefined && timeOf(created) === undefined && { created_date: created }),
      },
    });
    this.#ids.add(id, document);
  }

  /** Returns a function that adds the task's edges once all tasks exist. */
  #addTask({ path, place, fields, body }: Page): () => void {
    const said = new Members(fields);
    const id = said.text('id') ?? path;
    const word = said.text('status') ?? 'To Do';
    const { status, exact } = this.#status(word, place);
    const priority = said.text('priority');
    const [assignee = null, ...others] = said.texts('assignee');
    const created = said.text('created_date');
    const milestone = said.text('milestone');
    const goal = milestone === undefined || milestone === '' ? undefined : this.#goals.get(milestone.toLowerCase());
    const type = said.text('type');
    const [dependencies, parents] = [said.texts('dependencies'), said.texts('parent_task_id')];
    const task = this.#plan.task({
      ...{ label: said.text('title') ?? id, status, assignee, goal, description: this.#text(body) },
      ...{ priority: priorityOf(priority) ?? null, created_at: timeOf(created) },
      tags: [
        ...said.texts('labels'),
        ...(type === undefined ? [] : [type]),
        ...(place.startsWith('archive/') ? ['archived'] : []),
      ],
      kept: {
        id,
        ...(exact ? undefined : { status: word }),
        ...(priority !== undefined && priorityOf(priority) === undefined && { priority }),
        ...(others.length > 0 && { 'other assignees': others }),
        ...(goal === undefined && { milestone }),
        ...(timeOf(created) === undefined && { created_date: created }),
        ...said.rest(),
      },
    });
    if (!this.#ids.add(id, task))
      this.#plan.remarks.add('An id of several tasks: dependencies use the first one.', `${id} ${path}`);
    return () => this.#join(task, id, dependencies, parents);
  }

  #join(task: string, id: string, dependencies: readonly string[], parents: readonly string[]): void {
    const found = (member: string, reference: string): string | undefined => {
      const target = this.#ids.find(reference);
      if (target !== undefined && target.startsWith('tasks-')) return target;
      this.#plan.keep(task, { [member]: reference });
      this.#plan.remarks.add(
        'A task that references a missing one: the reference is in the description.',
        `${id} ${member} ${reference}`,
      );
      return undefined;
    };
    for (const reference of dependencies) {
      const target = found('dependencies', reference);
      if (target !== undefined) this.#plan.depends(task, target, `${id} after ${reference}`);
    }
    for (const reference of parents) {
      const target = found('parent_task_id', reference);
      if (target !== undefined) this.#plan.part(task, target, `${id} in ${reference}`);
    }
  }

  /** Drafts are not released and archived tasks are not wanted, whatever the status in the file. */
  #status(word: string, place: string): { readonly status: string; readonly exact: boolean } {
    const own = statusOf(word);
    if (place === 'drafts') return { status: 'scope', exact: word === 'Draft' || own.status === 'todo' };
    if (place.startsWith('archive/') && own.status !== 'done')
      return { status: 'backlog', exact: own.status === 'todo' };
    return own;
  }

  #addPictures(): void {
    for (const path of this.#files.paths.filter((one) => one.startsWith('assets/'))) {
      const mime = mimes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
      if (mime === undefined) this.#leftOut('An asset of an unknown type: it was left out.', path);
      else {
        const filename = path.slice(path.lastIndexOf('/') + 1);
        this.#pictures.set(path, this.#plan.file({ filename, mime, content: this.#files.bytes(path) }));
      }
    }
  }

  /** A body with the URLs of the plan's own pictures replaced. */
  #text(body: string): string {
    let text = body;
    for (const [path, file] of this.#pictures) {
      if (text.includes(path))
        text = text.replaceAll(new RegExp(`(?:\\.{0,2}/)*${escaped(path)}`, 'g'), fileAddress(file));
    }
    return text;
  }
}

const mimes: Readonly<Record<string, string>> = {
  ...{
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    svg: 'image/svg+xml',
  },
  ...{ pdf: 'application/pdf', txt: 'text/plain', mp4: 'video/mp4', avif: 'image/avif' },
};

/** Compares ids as the tool does: ignoring case, a changed prefix (`task-12` for `BACK-12`) and leading zeros. */
class References {
  readonly #exact = new Map<string, string>();
  readonly #byNumber = new Map<string, string>();

  /** Returns false if the id is another record's already, which keeps it. */
  add(id: string, record: string): boolean {
    const key = id.toLowerCase();
    if (this.#exact.has(key)) return false;
    this.#exact.set(key, record);
    const number = numberOf(key);
    if (number !== undefined && !this.#byNumber.has(number)) this.#byNumber.set(number, record);
    return true;
  }

  find(reference: string): string | undefined {
    const key = reference.trim().toLowerCase();
    const number = numberOf(key);
    return this.#exact.get(key) ?? (number === undefined ? undefined : this.#byNumber.get(number));
  }
}

/** The number of a task's id; documents, decisions, drafts and milestones count for themselves. */
function numberOf(id: string): string | undefined {
  const [, prefix = '', number] = /^(?:([a-z]+)-)?(\d+(?:\.\d+)*)$/.exec(id) ?? [];
  if (number === undefined || ['doc', 'decision', 'draft', 'm'].includes(prefix)) return undefined;
  return number.split('.').map(Number).join('.');
}

function split(text: string): { readonly fields: Fields; readonly body: string } | undefined {
  try {
    const fences = findFences(text);
    if (fences === undefined) return undefined;
    return {
      fields: yamlOf(text.slice(fences.from, fences.to)),
      body: text.slice(fences.bodyStart).replace(/^\n+|(?<!\n)\n+$/g, ''),
    };
  } catch {
    return undefined;
  }
}

/** The mapping of a YAML text. Throws for any other value and for invalid YAML. */
function yamlOf(text: string): Fields {
  let value: unknown;
  try {
    value = parseYaml(text).toJS({ maxAliasCount: 10 });
  } catch {
    // The tool writes names like @ada without the quotes that YAML requires.
    value = parseYaml(text.replace(/([:[,-] *)(@[^\s,\]]+)/g, '$1"$2"')).toJS({ maxAliasCount: 10 });
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A pattern that matches a text literally. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
