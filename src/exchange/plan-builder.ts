import { commentBody, plainCommentBody } from '../domain/text/comment-body.ts';
import type { Fields } from '../domain/exchange/draft.ts';
import type { Graph } from '../domain/graph/graph-shape.ts';
import { shapeOf } from '../domain/graph/graph-shape.ts';
import { layOut } from '../domain/scaffold/plan-layout.ts';
import { limits } from '../base/limits.ts';
import { DateColumns, isDate } from './dates.ts';
import type { Dated } from './dates.ts';
import { Members, Omissions, Remarks, withKept } from './imported-plan.ts';
import type { ImportedPlan, Kept, OmittedPart } from './imported-plan.ts';
import { given } from './members.ts';
import { cancelled } from './status-synonyms.ts';

/**
 * A task as input of a reader; missing members get their defaults. `foreignId` is its identifier in the tool, by
 * default `kept.id`: it has to be the same at the next import of the plan.
 */
export interface NewTask {
  readonly label: string;
  /** A status of Planner's, or `cancelled`. */
  readonly status: string;
  readonly description: string;
  readonly priority?: string | null;
  readonly severity?: string | null;
  readonly assignee?: string | null;
  /** The due time; a time of day besides the day is kept. */
  readonly due?: Dated;
  readonly created?: Dated;
  readonly tags?: readonly string[];
  readonly goal?: string | undefined;
  readonly position?: Fields;
  readonly size?: Fields;
  readonly kept: Kept;
  readonly foreignId?: string;
}

export interface NewComment {
  readonly body: string;
  /** `plain`: the body is neither Markdown nor HTML. */
  readonly plain?: boolean;
  readonly author: string;
  readonly created?: Dated;
  readonly resolved?: boolean;
  readonly passage?: string;
}

/** A date of a record that is read when all of its column are there. */
interface PendingDate {
  readonly record: Record<string, unknown>;
  readonly field: 'due_date' | 'created_at';
  readonly date: Dated;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  label: string;
  readonly part: boolean;
  readonly where: string;
  readonly more: Fields;
}

/** The order of tasks without edges on the canvas, by status. */
const blockOrder = ['in_progress', 'todo', 'scope', 'backlog', 'done'];

/** The field that contains the kept members of a record. */
const textFields: Readonly<Record<string, string>> = { tasks: 'description', goals: 'objective', documents: 'body' };

/** Leaves room for a number. */
const foreignIdCharactersMax = limits.nameCharactersMax - 10;

/**
 * The label of an edge from a part to its whole. The edge orders the parts before the whole, which is done when they
 * are.
 */
const partLabel = 'part_of';

/**
 * Builds the draft of a project for readers of other tools' plans. It handles limits, tags, names of goals, positions
 * on the canvas and values without a field, so that a reader only passes the values.
 */
export class PlanBuilder {
  readonly remarks = new Remarks();
  readonly #omissions = new Omissions();
  readonly #tool: string;
  /** The name of the format, which foreign ids begin with. */
  readonly #format: string;
  readonly #foreignIds = new Set<string>();
  /** The number of the last record with the same id. */
  readonly #lastNumbers = new Map<string, number>();
  readonly #project: { name: string; description: string | null };
  readonly #dates = new DateColumns();
  readonly #pendingDates: PendingDate[] = [];
  readonly #pendingComments: { readonly target: string; readonly comment: NewComment }[] = [];
  readonly #lists = new Map<string, Record<string, unknown>[]>();
  readonly #edges: Edge[] = [];
  readonly #joined = new Set<string>();
  readonly #byId = new Map<string, Record<string, unknown>>();
  readonly #tags = new Map<string, string>();
  readonly #goalNames = new Set<string>();
  readonly #namedGoals = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  readonly #kept = new Map<string, Record<string, unknown>>();

  /** `tool`: its name, as people call it. */
  constructor(tool: string, project: string) {
    this.#tool = tool;
    this.#format = tool.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    this.#project = { name: this.#line(project, 'the name').toWellFormed(), description: null };
  }

  /** Counts a part of the plan (`file`, `issue`), imported or not: reports say how many of how many were left out. */
  countSource(of: string): void {
    this.#omissions.count(of);
  }

  /** Reports a part of the plan of which nothing is imported. `where`: its path, id or line. */
  leftOut(part: OmittedPart): void {
    this.#omissions.add(part);
  }

  /** Members of a record of the plan. `where`: its id, for reports about them. */
  members(fields: Fields, where: string): Members {
    return new Members(fields, (what, member) => this.remarks.add(what, `${where} ${member}`));
  }

  describe(description: string, kept: Kept = {}): void {
    const text = withKept(description, this.#tool, kept);
    if (text !== '') this.#project.description = text.toWellFormed();
  }

  goal(goal: {
    readonly name: string;
    readonly objective: string;
    readonly status?: string;
    readonly kept?: Kept;
    readonly foreignId?: string;
    readonly created?: Dated;
  }): string {
    const { objective, status = 'active', kept = {}, foreignId, created } = goal;
    let name = this.#line(goal.name, 'a goal');
    for (let n = 2; this.#goalNames.has(name); n++) name = `${this.#line(goal.name, 'a goal')} (${n})`;
    this.#goalNames.add(name);
    const id = this.#add('goals', {
      ...{ name, objective, status },
      ...given({ imported_from: this.#foreign('goal', foreignId, kept) }),
    });
    this.#date(id, 'created_at', created);
    this.keep(id, { ...(goal.name.length > limits.nameCharactersMax && { name: goal.name }), ...kept });
    return id;
  }

  /** The goal that tasks name: made when it is named first. */
  goalNamed(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    const goal = this.#namedGoals.get(name) ?? this.goal({ name, objective: '', foreignId: name });
    this.#namedGoals.set(name, goal);
    return goal;
  }

  task(task: NewTask): string {
    const { kept, foreignId, label, description, tags = [], status, due, created, assignee, ...more } = task;
    const isCancelled = status === cancelled;
    const names = isCancelled ? [cancelled, ...tags] : tags;
    const taken = [...new Set(names.map((tag) => this.#tag(tag)).filter((tag) => tag !== ''))];
    const over = taken.slice(limits.tagsPerTaskMax);
    const long = label.length > limits.nameCharactersMax ? label : undefined;
    const id = this.#add('tasks', {
      // Cancelled work holds nothing up, and there is nothing to review.
      ...(isCancelled ? { status: 'done', lane: 'auto' } : { status }),
      ...given({ ...more, imported_from: this.#foreign('task', foreignId, kept) }),
      assignee: (assignee ?? '').trim() === '' ? null : assignee,
      label: this.#line(label, 'a task'),
      tags: taken.slice(0, limits.tagsPerTaskMax),
      description,
    });
    if (isCancelled)
      this.remarks.add(
        'Work that was cancelled: it is done, with the tag `cancelled`, so that nothing waits for it.',
        foreignId ?? (typeof kept['id'] === 'string' ? kept['id'] : label),
      );
    this.#date(id, 'created_at', created);
    this.#date(id, 'due_date', due);
    this.keep(id, { ...(long && { title: long }), ...kept, ...(over.length > 0 && { tags: over }) });
    return id;
  }

  /** Further members without a field, for the text of an existing task, goal or document. A name may occur several times. */
  keep(record: string, kept: Kept): void {
    const all = this.#kept.get(record) ?? {};
    this.#kept.set(record, all);
    for (const [name, value] of Object.entries(kept)) {
      let free = name;
      for (let n = 2; Object.hasOwn(all, free); n++) free = `${name} (${n})`;
      all[free] = value;
    }
  }

  /** `folder`: the names along the path of its folder. */
  document(document: {
    readonly title: string;
    readonly body: string;
    readonly status?: string | null;
    readonly folder?: readonly string[];
    readonly created?: Dated;
    readonly position?: Fields;
    readonly size?: Fields;
    readonly kept?: Kept;
    readonly foreignId?: string;
  }): string {
    const { title, body, folder = [], kept = {}, foreignId, created, ...more } = document;
    const id = this.#add('documents', {
      ...given({ ...more, imported_from: this.#foreign('document', foreignId, kept) }),
      ...{ title: this.#line(title, 'a document'), body, folder_id: this.folder(folder) },
    });
    this.#date(id, 'created_at', created);
    this.keep(id, kept);
    return id;
  }

  comment(target: string, comment: NewComment): void {
    this.countSource('comment');
    if (comment.created !== undefined) this.#dates.add(comment.created);
    this.#pendingComments.push({ target, comment });
  }

  file(file: { readonly filename: string; readonly mime: string; readonly content: Uint8Array }): string {
    const { filename, mime, content } = file;
    return this.#add('files', { filename, mime, content_base64: Buffer.from(content).toString('base64') });
  }

  /** A record with the given fields, for readers of plans whose records are like ours. */
  record(list: string, fields: Fields): string {
    return this.#add(list, { ...fields });
  }

  folder(names: readonly string[]): string | null {
    if (names.length === 0) return null;
    const key = names.join('/').toLowerCase();
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const made = this.#add('folders', { name: names.at(-1), parent_folder_id: this.folder(names.slice(0, -1)) });
    this.#folders.set(key, made);
    return made;
  }

  /** `task` waits for `prerequisite`. */
  depends(task: string, prerequisite: string, where: string, more: Fields = {}): void {
    this.#edge({ from: task, to: prerequisite, label: 'depends_on', where }, more);
  }

  /** `child` is a part of `whole`, which is done when its parts are. */
  part(child: string, whole: string, where: string, more: Fields = {}): void {
    this.#edge({ from: child, to: whole, label: partLabel, where }, more);
  }

  /** An edge that relates two records. `more`: its style and arrows. */
  relate(from: string, to: string, label: string, where: string, more: Fields = {}): void {
    this.#edge({ from, to, label, where }, more);
  }

  finish(): ImportedPlan {
    for (const pending of this.#pendingDates) this.#readDate(pending);
    for (const { target, comment } of this.#pendingComments) this.#addComment(target, comment);
    this.#untie();
    for (const { from, to, label, more } of this.#edges) {
      const source = this.#byId.get(from)!;
      const links = (source['links'] ??= []) as object[];
      links.push({
        to,
        type: to.startsWith('documents-') ? 'document' : 'task',
        ...(label === '' ? {} : { label }),
        ...more,
      });
    }
    this.#addKept();
    this.#layOut();
    this.#lists.set(
      'tags',
      [...this.#tags.values()].sort().map((name) => ({ name })),
    );
    const counts = Object.fromEntries(
      [...this.#lists].filter(([, list]) => list.length > 0).map(([name, list]) => [name, list.length]),
    );
    return {
      draft: { project: this.#project, canvas: null, lists: this.#lists },
      report: {
        from: this.#tool,
        counts: { ...counts, ...(this.#edges.length > 0 && { edges: this.#edges.length }) },
        remarks: this.remarks.all(),
        left_out: this.#omissions.all(),
      },
    };
  }

  #date(record: string, field: PendingDate['field'], date: Dated | undefined): void {
    if (date?.text === undefined || date.text.trim() === '') return;
    this.#dates.add(date);
    this.#pendingDates.push({ record: this.#byId.get(record)!, field, date });
  }

  #readDate({ record, field, date }: PendingDate): void {
    const time = this.#readTime(date, String(record['id']));
    if (time === undefined) return this.keep(String(record['id']), { [date.name]: date.text });
    record[field] = field === 'due_date' ? time.slice(0, 10) : time;
    if (field === 'due_date' && !time.endsWith('T00:00:00.000Z'))
      this.keep(String(record['id']), { [date.name]: date.text });
  }

  /** The time of a date; undefined, and reported, if it cannot be read. */
  #readTime(date: Dated | undefined, record: string): string | undefined {
    if (date?.text === undefined || date.text.trim() === '') return undefined;
    const time = this.#dates.read(date);
    if (time === undefined)
      this.remarks.add(
        isDate(date.text)
          ? 'A date in a column that does not decide whether its day or its month is first: it is in the text.'
          : 'A date that cannot be read: it is in the text.',
        `${this.#titleOf(record)}: ${date.name} ${date.text}`,
      );
    return time;
  }

  #titleOf(id: string): string {
    const record = this.#byId.get(id) ?? {};
    return [record['label'], record['title'], record['name']].find((title) => typeof title === 'string') ?? id;
  }

  #addComment(target: string, comment: NewComment): void {
    const { body, plain = false, author, created, ...more } = comment;
    const time = this.#readTime(created, target);
    const unread = time === undefined && (created?.text ?? '').trim() !== '';
    const text = unread ? `${body}\n\n${created!.name}: ${created!.text}` : body;
    const rendered = plain ? undefined : commentBody(text);
    // A text that renders to nothing as Markdown is shown as it was written.
    const read = rendered !== undefined && 'html' in rendered ? rendered : plainCommentBody(text);
    const where = [this.#titleOf(target), author, time].filter((part) => (part ?? '') !== '').join(', ');
    if ('html' in read) {
      // Ids of the draft begin with the name of their list.
      const target_type = target.slice(0, target.indexOf('s-'));
      this.#add('comments', {
        ...{ target_type, target_id: target, ...given({ ...more, created_at: time }) },
        ...{ body: read.html, author: author.trim() || this.#tool, ...(read.html !== body && { source: body }) },
      });
    } else if (read.refused === 'blank') this.leftOut({ of: 'comment', reason: 'it is empty', where, expected: true });
    else {
      this.keep(target, { [`comment of ${where}`]: text });
      this.remarks.add('A comment that is too large: it is in the description.', where);
    }
  }

  /** Appends their kept members to the texts of records. */
  #addKept(): void {
    for (const [list, field] of Object.entries(textFields)) {
      for (const record of this.#lists.get(list) ?? []) {
        const text = withKept(String(record[field]), this.#tool, this.#kept.get(String(record['id'])) ?? {});
        record[field] = list === 'goals' && text.trim() === '' ? record['name'] : text.toWellFormed();
      }
    }
  }

  #edge({ from, to, label, where }: Omit<Edge, 'part' | 'more'>, more: Fields = {}): void {
    this.countSource('edge');
    if (from === to) return this.leftOut({ of: 'edge', reason: 'it leads from a record to itself', where });
    const key = `${from}\0${to}\0${label}`;
    if (this.#joined.has(key)) return;
    this.#joined.add(key);
    this.#edges.push({ from, to, label, part: label === partLabel, where, more });
  }

  /** Dependencies take precedence over the order of parts: a part edge in a cycle becomes `relates`. */
  #untie(): void {
    for (;;) {
      const cyclic = new Set(shapeOf(this.#graph()).cycles.flat());
      const tied = this.#edges.filter(
        ({ part, label, from, to }) => part && label === partLabel && cyclic.has(from) && cyclic.has(to),
      );
      if (tied.length === 0) return this.#sayCycles(cyclic);
      for (const edge of tied) {
        edge.label = 'relates';
        this.remarks.add('A part that depends on its whole: the edge became `relates` and orders nothing.', edge.where);
      }
    }
  }

  #sayCycles(cyclic: ReadonlySet<string>): void {
    for (const id of cyclic) {
      this.remarks.add('Tasks that form a cycle: none of them can be started.', String(this.#byId.get(id)?.['label']));
    }
  }

  #graph(): Graph {
    const graph = new Map<string, string[]>((this.#lists.get('tasks') ?? []).map(({ id }) => [id as string, []]));
    for (const { from, to, label } of this.#edges) {
      if (label === 'depends_on') graph.get(from)?.push(to);
      else if (label === partLabel) graph.get(to)?.push(from);
    }
    return graph;
  }

  #layOut(): void {
    const tasks = this.#lists.get('tasks') ?? [];
    if (tasks.some(({ position }) => position !== undefined)) return;
    const places = layOut(this.#graph(), 0, (ids) => this.#blocks(ids));
    for (const task of tasks) task['position'] = places.get(task['id'] as string) ?? null;
  }

  /** Tasks by status, with the tasks of one goal together and open tasks above done ones. */
  #blocks(ids: readonly string[]): string[][] {
    const byStatus = Map.groupBy(ids, (id) => this.#byId.get(id)!['status']);
    const goals = new Map((this.#lists.get('goals') ?? []).map(({ id }, at) => [id, at]));
    const goalOf = (id: string): number => goals.get(this.#byId.get(id)!['goal']) ?? goals.size;
    return blockOrder.flatMap((status) => {
      const block = byStatus.get(status);
      return block === undefined ? [] : [block.toSorted((a, b) => goalOf(a) - goalOf(b))];
    });
  }

  #add(list: string, fields: Record<string, unknown>): string {
    const records = this.#lists.get(list) ?? [];
    this.#lists.set(list, records);
    const id = `${list}-${records.length + 1}`;
    // JSON may have halves of characters, which no file has.
    const entries = Object.entries(fields).map(([name, value]) => {
      return [name, typeof value === 'string' ? value.toWellFormed() : value] as const;
    });
    const record = { id, ...Object.fromEntries(entries) };
    records.push(record);
    this.#byId.set(id, record);
    return id;
  }

  /** The foreign id of a record, by which a further import finds it. Of several records with the same id, later ones get a number. */
  #foreign(kind: string, foreignId: string | undefined, { id }: Kept = {}): string | undefined {
    const stated = foreignId ?? (typeof id === 'string' || typeof id === 'number' ? String(id) : '');
    const line = stated.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
    if (line === '') return undefined;
    const whole = this.#cut(`${this.#format}:${line}`);
    let free = whole;
    let n = this.#lastNumbers.get(`${kind} ${whole}`) ?? 1;
    while (this.#foreignIds.has(`${kind} ${free}`)) free = `${whole.slice(0, foreignIdCharactersMax)} (${++n})`;
    if (n > 1) this.#lastNumbers.set(`${kind} ${whole}`, n);
    this.#foreignIds.add(`${kind} ${free}`);
    return free;
  }

  /** The name of a tag: names that differ only in case are one. */
  #tag(name: string): string {
    const short = this.#cut(name.trim()).toWellFormed();
    const key = short.toLowerCase();
    if (key === '') return '';
    const known = this.#tags.get(key);
    if (known !== undefined) return known;
    this.#tags.set(key, short);
    return short;
  }

  #line(text: string, what: string): string {
    const line = text.replace(/\s+/g, ' ').trim();
    if (line === '') {
      this.remarks.add(
        `${what} without a name: it is called (untitled).`.replace(/^./, (first) => first.toUpperCase()),
        this.#tool,
      );
      return '(untitled)';
    }
    return this.#cut(line);
  }

  #cut(text: string): string {
    return text.length <= limits.nameCharactersMax
      ? text
      : `${text.slice(0, limits.nameCharactersMax - 1).toWellFormed()}…`;
  }
}
