import { fileAddress } from '../base/addresses.ts';
import { limits } from '../base/limits.ts';
import { csvHeader, csvRows } from './csv-rows.ts';
import type { CsvRow } from './csv-rows.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { PlanFiles } from './plan-files.ts';
import type { DirectoryFormat } from './plan-format.ts';
import { priorityOf, statusAmong } from './status-synonyms.ts';
import { decodeText } from './text-encoding.ts';
import { TaskReferences } from './task-references.ts';

/** The number of bytes that contain the header of the issues. */
const headBytes = 4096;

export const vibeKanban: DirectoryFormat = {
  kind: 'directory',
  name: 'vibe-kanban',
  places: ['vibe-kanban-export'],
  detects: (tree, directory) => {
    const path = directory === '' ? 'issues.csv' : `${directory}/issues.csv`;
    if (tree.kindOf(path) !== 'file') return false;
    const header = csvHeader(decodeText(tree.head(path, headBytes)).text);
    return ['Issue ID', 'Title', 'Assignee(s)', 'Parent Issue'].every((name) => header.includes(name));
  },
  read: (files, { name }) => readVibeKanban(files, name),
};

/**
 * Reads an unpacked export of Vibe Kanban: `issues.csv`, with `relationships.csv`, `comments.csv`, `pull_requests.csv`
 * and `attachments.csv` with its files. Issues become tasks, projects goals. Other files are left out and listed.
 */
export function readVibeKanban(files: PlanFiles, name: string): ImportedPlan {
  return new Board(files, name).read();
}

class Board {
  readonly #plan: PlanBuilder;
  readonly #files: PlanFiles;
  readonly #references: TaskReferences;
  /** The paths that were read. */
  readonly #read = new Set<string>();

  constructor(files: PlanFiles, name: string) {
    this.#files = files;
    this.#plan = new PlanBuilder('Vibe Kanban', name);
    this.#references = new TaskReferences(this.#plan);
  }

  read(): ImportedPlan {
    for (const row of this.#rows('issues.csv')) this.#addIssue(row);
    for (const row of this.#rows('relationships.csv')) this.#addRelationship(row);
    this.#references.join();
    for (const row of this.#rows('comments.csv')) this.#addComment(row);
    for (const row of this.#rows('pull_requests.csv')) {
      for (const id of row.items('Issue ID(s)')) this.#keep(id, 'pull request', Object.values(row.rest()).join(' '));
    }
    for (const row of this.#rows('attachments.csv')) this.#addAttachment(row);
    // They repeat the issues.
    for (const path of ['projects.csv', 'tags.csv', 'users.csv']) this.#read.add(path);
    for (const path of this.#files.paths) {
      this.#plan.countSource('file');
      if (!this.#read.has(path))
        this.#plan.leftOut({ of: 'file', reason: 'no table of the export names it', where: path });
    }
    return this.#plan.finish();
  }

  #rows(path: string): CsvRow[] {
    if (!this.#files.paths.includes(path)) return [];
    this.#read.add(path);
    return csvRows(this.#files.text(path));
  }

  #addIssue(row: CsvRow): void {
    this.#plan.countSource('issue');
    const id = row.text('Issue ID') ?? '';
    const word = row.text('Status') ?? '';
    const completed = row.text('Completed');
    const { status, exact } = statusAmong(word, completed === undefined ? undefined : 'done');
    const priority = row.text('Priority');
    const [assignee = null, ...others] = row.items('Assignee(s)');
    for (const to of row.all('Parent Issue')) this.#references.refer('part', id, to, 'Parent Issue');
    const task = this.#plan.task({
      ...{ label: row.text('Title') ?? '', status, description: row.text('Description') ?? '', assignee },
      priority: priorityOf(priority) ?? null,
      due: { name: 'Due Date', text: row.text('Due Date') },
      created: { name: 'Created', text: row.text('Created') },
      ...{ tags: row.items('Labels'), goal: this.#plan.goalNamed(row.text('Project')) },
      kept: {
        id,
        ...(exact ? undefined : { Status: word }),
        ...(priorityOf(priority) === undefined && { Priority: priority }),
        ...(others.length > 0 && { 'other assignees': others }),
        Completed: completed,
        ...row.rest(),
      },
    });
    this.#references.add(id, task);
  }

  #addRelationship(row: CsvRow): void {
    const [from, to, type] = [row.text('Issue ID') ?? '', row.text('Related Issue ID') ?? '', row.text('Type') ?? ''];
    // The issue blocks the related one.
    if (/^block/i.test(type)) this.#references.refer('depends', to, from, type);
    else if (/duplicate/i.test(type)) this.#references.refer('duplicates', to, from, type);
    else this.#references.refer('relates', from, to, type);
  }

  #addComment(row: CsvRow): void {
    const id = row.text('Issue ID') ?? '';
    const task = this.#references.get(id);
    if (task === undefined)
      return this.#plan.leftOut({ of: 'comment', reason: 'its issue is not in the export', where: id });
    const [body, author] = [row.text('Message') ?? '', row.text('Author') ?? ''];
    this.#plan.comment(task, { body, author, created: { name: 'Created', text: row.text('Created') } });
  }

  #addAttachment(row: CsvRow): void {
    const path = row.text('File Path in ZIP') ?? '';
    this.#read.add(path);
    const filename = row.text('Filename') ?? path;
    const content = this.#files.paths.includes(path) ? this.#files.bytes(path) : undefined;
    if (content === undefined || content.length > limits.uploadBytesMax) {
      const reason = content === undefined ? 'its file is missing' : `it is larger than ${limits.uploadBytesMax} bytes`;
      return this.#plan.leftOut({ of: 'attachment', reason, where: path });
    }
    const mime = row.text('Content Type') ?? 'application/octet-stream';
    const file = this.#plan.file({ filename, mime, content });
    this.#keep(row.text('Issue ID') ?? '', 'attachment', `[${filename}](${fileAddress(file)})`);
  }

  #keep(id: string, name: string, value: string): void {
    const task = this.#references.get(id);
    if (task !== undefined) this.#plan.keep(task, { [name]: value });
    else this.#plan.remarks.add(`A ${name} of no issue in the export: it has no task.`, `${id} ${value}`);
  }
}
