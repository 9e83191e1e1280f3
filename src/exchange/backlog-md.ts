import { fileAddress } from '../base/addresses.ts';
import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { conflictMessage, conflictOffset } from '../store/files/codec/conflict-markers.ts';
import { readForeignPage, readForeignYaml } from '../store/files/codec/foreign-page.ts';
import type { ForeignPage } from '../store/files/codec/foreign-page.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { PlanFiles, PlanTree } from './plan-files.ts';
import { decodedText } from './plan-files.ts';
import type { DirectoryFormat } from './plan-format.ts';
import { cancelled, priorityOf, statusAmong, statusOf } from './status-synonyms.ts';
import type { ReadStatus } from './status-synonyms.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A Markdown file of the plan. */
interface Page {
  readonly path: string;
  /** The tool's directory that it is in: `tasks`, `archive/tasks`; `''` for one outside of them. */
  readonly place: string;
  /** The directories below that: `epics/login`. */
  readonly folder: string;
  /** Its name without number and ending, for a file without a title. */
  readonly title: string;
  /** The id in its name: `task-12` of `task-12 - Fix.md`. */
  readonly namedId: string | undefined;
  /** Its front matter; empty without one. */
  readonly fields: Fields;
  readonly body: string;
}

/** The directories of tasks; if an id is used twice, the earlier directory takes precedence. */
const taskPlaces = ['tasks', 'completed', 'drafts', 'archive/tasks', 'archive/drafts'];
const milestonePlaces = ['milestones', 'archive/milestones'];
const documentPlaces = ['docs', 'decisions'];
const places = [...taskPlaces, ...milestonePlaces, ...documentPlaces];

export const backlogMd: DirectoryFormat = {
  kind: 'directory',
  name: 'backlog-md',
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

/** Names as the tool makes them: `task-12 - Title.md`. */
const numberedName = /(?:^|\/)([a-z]+-\d+(?:\.\d+)*) - ([^/]*)\.md$/i;

/** The tool writes a readme into each of its directories. */
const ownReadme = /^(?:(?:milestones|drafts|decisions|tasks|completed|archive(?:\/[a-z]+)?)\/)?readme\.md$/i;

/** The number of files from which the format is detected. */
const detectedFiles = 50;

function hasTask(files: PlanFiles): boolean {
  const pages = files.paths.filter((path) => path.endsWith('.md'));
  if (pages.some((path) => numberedName.test(path))) return true;
  return pages.slice(0, detectedFiles).some((path) => {
    const { id, title, status } = readForeignPage(decodedText(files.bytes(path)).text).fields;
    return id !== undefined && title !== undefined && status !== undefined;
  });
}

/** A `config.yml` is the tool's if it has its members: many tools have a file of this name. */
function isConfig(tree: PlanTree, path: string): boolean {
  if (tree.kindOf(path) !== 'file') return false;
  const config = configOf(decodedText(tree.bytes(path)).text);
  return 'project_name' in config && ['statuses', 'task_prefix', 'default_status'].some((name) => name in config);
}

function configOf(text: string): Fields {
  return readForeignYaml(text)?.fields ?? {};
}

/**
 * Reads the directory of Backlog.md (`backlog/`). Tasks, drafts, completed and archived tasks become tasks, milestones
 * goals, documents and decisions documents, dependencies and parents edges that order. Markdown elsewhere becomes
 * documents; omitted files are reported.
 */
export function readBacklogMd(files: PlanFiles, name: string): ImportedPlan {
  const { project_name: called } = files.paths.includes('config.yml') ? configOf(files.text('config.yml')) : {};
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
    this.#addPictures();
    const pages = this.#files.paths.map((path) => this.#page(path)).filter((page) => page !== undefined);
    const at = (chosen: readonly string[]): Page[] =>
      chosen.flatMap((place) => pages.filter((page) => page.place === place));
    for (const page of at(milestonePlaces)) this.#addMilestone(page);
    for (const page of at([...documentPlaces, ''])) this.#addDocument(page);
    const tasks = at(taskPlaces).map((page) => this.#addTask(page));
    for (const join of tasks) join();
    return this.#plan.finish();
  }

  #page(path: string): Page | undefined {
    if (path === 'config.yml') return undefined;
    this.#plan.countSource('file');
    if (this.#pictures.has(path)) return undefined;
    if (mimeOf(path) !== undefined) return this.#leftOut(`it is larger than ${limits.uploadBytesMax} bytes`, path);
    if (!path.endsWith('.md')) return this.#leftOut('it is neither Markdown nor of a known type', path);
    let text: string;
    try {
      text = this.#files.text(path);
    } catch (error) {
      if (!(error instanceof PlannerError)) throw error;
      return this.#leftOut(error.message, path);
    }
    const conflict = conflictOf(text);
    if (conflict !== undefined) return this.#leftOut(conflict, path);
    const page = readForeignPage(text);
    if (!page.hasFields && ownReadme.test(path)) return this.#leftOut("it is the tool's own readme", path, true);
    const place = places.find((one) => path.startsWith(`${one}/`)) ?? '';
    const within = path.slice(place === '' ? 0 : place.length + 1);
    const [, namedId, title] = numberedName.exec(path) ?? [];
    this.#report(page, path);
    const fields = { ...page.fields, ...(page.unread.length > 0 && { 'front matter': page.unread.join('\n') }) };
    return {
      ...{ path, place, folder: within.split('/').slice(0, -1).join('/'), namedId },
      title: title ?? within.slice(within.lastIndexOf('/') + 1, -'.md'.length),
      ...{ fields, body: page.body.replace(/^\n+|(?<!\n)\n+$/g, '') },
    };
  }

  /** Front matter that is not YAML is read as far as possible: a person should look at it. */
  #report({ hasFields, repairs }: ForeignPage, path: string): void {
    const what = hasFields
      ? 'A line of front matter that is not YAML: it was read as text.'
      : 'Front matter that cannot be read: it is in the text.';
    for (const { line, reason } of repairs) this.#plan.remarks.add(what, `${path}:${line} ${reason}`);
  }

  #leftOut(reason: string, path: string, expected = false): undefined {
    this.#plan.leftOut({ of: 'file', reason, where: path, expected });
  }

  #addMilestone({ path, place, title, namedId, fields, body }: Page): void {
    const members = this.#plan.members(fields, path);
    const id = members.text('id') ?? namedId ?? path;
    const name = nonEmpty(members.text('title')) ?? title;
    const archived = place.startsWith('archive/');
    const kept = { id, ...(archived && { archived: true }), ...members.rest() };
    // A paused goal offers no tasks.
    const goal = this.#plan.goal({ name, objective: this.#text(body), status: archived ? 'paused' : 'active', kept });
    for (const key of [id, name, title].map(foldName)) if (!this.#goals.has(key)) this.#goals.set(key, goal);
  }

  /** A task names its milestone by the id, by the title, or by both (`M3 - GUI`). */
  #goalOf(milestone: string): string {
    const [, number, rest = ''] = /^m?-?0*(\d+)(?: *[-:] *(.*))?$/i.exec(milestone.trim()) ?? [];
    const names = [milestone, rest, ...(number === undefined ? [] : [`m-${number}`])].filter((name) => name !== '');
    const known = names.map((name) => this.#goals.get(foldName(name))).find((goal) => goal !== undefined);
    if (known !== undefined) return known;
    const goal = this.#plan.goal({ name: milestone, objective: '', kept: {}, foreignId: milestone });
    this.#goals.set(foldName(milestone), goal);
    this.#plan.remarks.add('A milestone without a file: it became a goal of its name.', milestone);
    return goal;
  }

  #addDocument({ path, place, folder, title, namedId, fields, body }: Page): void {
    const members = this.#plan.members(fields, path);
    const id = members.text('id') ?? namedId ?? path;
    const created = members.text('created_date') ?? members.text('date');
    const above = { docs: ['Docs'], decisions: ['Decisions'] }[place] ?? [];
    const document = this.#plan.document({
      ...{
        title: nonEmpty(members.text('title')) ?? title,
        body: this.#text(body),
        status: members.text('status') ?? null,
      },
      folder: [...above, ...folder.split('/').filter((name) => name !== '')],
      created: { name: 'created_date', text: created },
      kept: { id, ...members.rest() },
    });
    this.#ids.add(id, document);
  }

  /** Returns a function that adds the task's edges once all tasks exist. */
  #addTask({ path, place, folder, title, namedId, fields, body }: Page): () => void {
    const members = this.#plan.members(fields, path);
    const id = members.text('id') ?? namedId ?? path;
    const word = members.text('status') ?? (place === 'completed' ? 'Done' : 'To Do');
    const { status, exact } = this.#status(word, place);
    const priority = members.text('priority');
    const [named = null, ...others] = members.texts('assignee');
    const assignee = named?.replace(/^@(?=.)/, '') ?? null;
    const created = members.text('created_date');
    const milestone = members.text('milestone');
    const goal = nonEmpty(milestone) === undefined ? undefined : this.#goalOf(milestone!);
    const type = members.text('type');
    const [dependencies, parents] = [members.texts('dependencies'), members.texts('parent_task_id')];
    const task = this.#plan.task({
      ...{ label: nonEmpty(members.text('title')) ?? title, status, assignee, goal, description: this.#text(body) },
      ...{ priority: priorityOf(priority) ?? null, created: { name: 'created_date', text: created } },
      tags: [
        ...members.texts('labels'),
        ...(type === undefined ? [] : [type]),
        ...(place.startsWith('archive/') ? ['archived'] : []),
      ],
      kept: {
        id,
        ...(exact ? undefined : { status: word }),
        ...(priority !== undefined && priorityOf(priority) === undefined && { priority }),
        ...(others.length > 0 && { 'other assignees': others }),
        ...(folder !== '' && { folder }),
        ...members.rest(),
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

  /**
   * The directory counts more than the status: drafts are `scope`, completed tasks are done, archived ones cancelled.
   */
  #status(word: string, place: string): ReadStatus {
    const own = statusOf(word);
    if (place === 'drafts') return { status: 'scope', exact: word === 'Draft' || own.status === 'todo' };
    if (place === 'completed') return statusAmong(word, 'done');
    if (place.startsWith('archive/') && own.status !== 'done')
      return { status: cancelled, exact: own.status === 'todo' };
    return own;
  }

  #addPictures(): void {
    for (const path of this.#files.paths) {
      const mime = mimeOf(path);
      if (mime === undefined) continue;
      const content = this.#files.bytes(path);
      if (content.length > limits.uploadBytesMax) continue;
      const filename = path.slice(path.lastIndexOf('/') + 1);
      this.#pictures.set(path, this.#plan.file({ filename, mime, content }));
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

function mimeOf(path: string): string | undefined {
  return mimes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Names that differ only in case, spaces and hyphens are the same: a file is named `cli-kanban` after `CLI Kanban`. */
function foldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '-');
}

/** The problem of a page with a git conflict; a block of code may show conflict markers. */
function conflictOf(text: string): string | undefined {
  const before = text.slice(0, Math.max(conflictOffset(text), 0));
  const isCode = (before.match(/^ {0,3}(?:```|~~~)/gm) ?? []).length % 2 === 1;
  return isCode ? undefined : conflictMessage(text);
}

/** A pattern that matches a text literally. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
