import type { RestResponse } from '../support/rest-client.ts';
import type { Random } from '../support/random.ts';
import type { Clone, Held, State } from './clone.ts';

/** A part of a record that an operation changes. `*` is all of it; parts with a `+` can be changed by several without a conflict. */
export type Touch = readonly [id: string, part: string];

/** The changed parts, for work that must avoid them. */
export class Touched {
  readonly #parts = new Map<string, Set<string>>();

  get ids(): ReadonlySet<string> {
    return new Set(this.#parts.keys());
  }

  add(touches: readonly Touch[]): void {
    for (const [id, part] of touches) this.#parts.set(id, (this.#parts.get(id) ?? new Set()).add(part));
  }

  meets(touches: readonly Touch[]): boolean {
    return touches.some(([id, part]) => {
      const parts = this.#parts.get(id);
      if (parts === undefined) return false;
      return part === '*' || parts.has('*') || (!part.startsWith('+') && parts.has(part));
    });
  }
}

/** The parts that others changed: to avoid them, or to work on the same records. */
export interface Others {
  readonly avoid?: Touched;
  readonly seek?: Touched;
}

interface Operation {
  readonly touches: readonly Touch[];
  readonly run: () => Promise<RestResponse>;
}

const words = ['pay', 'ship', 'index', 'cart', 'login', 'search', 'mail', 'stock', 'price', 'report', 'theme', 'cache'];

/** A text whose lines are all different. */
export function lines(random: Random, count: number): string {
  return Array.from(
    { length: count },
    (_, i) => `Line ${i} about ${random.pick(words)} ${random.integer(0, 9999)}.`,
  ).join('\n');
}

/** Random changes to a plan through one clone's service, as people and agents make them. */
export class RandomWork {
  readonly #clone: Clone;
  readonly #random: Random;
  readonly #project: string;
  readonly #others: Others;
  readonly touched = new Touched();
  #count = 0;

  constructor(clone: Clone, project: string, random: Random, others: Others = {}) {
    this.#clone = clone;
    this.#project = project;
    this.#random = random;
    this.#others = others;
  }

  /** Runs a number of operations. Returns how many were executed. */
  async run(count: number): Promise<number> {
    for (let tries = 0; this.#count < count && tries < count * 20; tries++) {
      const operation = await this.#propose();
      if (operation === undefined || this.#others.avoid?.meets(operation.touches)) continue;
      const { status, body } = await operation.run();
      if (status >= 300) throw new Error(`An operation was refused: ${JSON.stringify(body)}`);
      this.touched.add(operation.touches);
      this.#count++;
    }
    return this.#count;
  }

  async #propose(): Promise<Operation | undefined> {
    const state = await this.#clone.state(this.#project);
    const chosen = this.#random.pick(kinds);
    return this[chosen](state);
  }

  #one(state: State, ...collections: readonly string[]): Held | undefined {
    const found = [...state.values()].filter(({ collection }) => collections.includes(collection));
    const sought = this.#others.seek?.ids;
    const theirs =
      sought === undefined || this.#random.chance(0.5) ? [] : found.filter(({ record }) => sought.has(record.id));
    if (theirs.length > 0) return this.#random.pick(theirs);
    return found.length === 0 ? undefined : this.#random.pick(found);
  }

  #name(): string {
    return `${this.#random.pick(words)} ${this.#random.pick(words)} ${this.#random.integer(0, 9999)}`;
  }

  get #rest(): Clone['service']['rest'] {
    return this.#clone.service.rest;
  }

  #patch(held: Held, part: string, body: object): Operation {
    return {
      touches: [[held.record.id, part]],
      run: () => this.#rest.patch(`/${held.collection}s/${held.record.id}`, body),
    };
  }

  #create(path: string, body: object, touches: readonly Touch[] = []): Operation {
    return { touches, run: () => this.#rest.post(`/projects/${this.#project}/${path}`, body) };
  }

  taskField(state: State): Operation | undefined {
    const task = this.#one(state, 'task');
    const values: Record<string, readonly (string | null)[]> = {
      status: ['todo', 'in_progress', 'done', 'backlog', 'scope'],
      priority: ['urgent', 'high', 'medium', 'low', null],
      kind: ['build', 'decision'],
      lane: ['auto', 'approve', 'full', null],
      severity: ['low', 'medium', 'high', null],
      assignee: ['ada', 'bo', 'agent-1', 'agent-2', null],
      due_date: ['2030-01-01', '2030-02-02', '2030-03-03', null],
    };
    const field = this.#random.pick(Object.keys(values));
    return task && this.#patch(task, field, { [field]: this.#random.pick(values[field]!) });
  }

  rename(state: State): Operation | undefined {
    const held = this.#one(state, 'task', 'document', 'note', 'artifact', 'goal');
    if (held === undefined) return undefined;
    const field = { task: 'label', goal: 'name' }[held.collection] ?? 'title';
    return this.#patch(held, field, { [field]: this.#name() });
  }

  line(state: State): Operation | undefined {
    const held = this.#one(state, 'task', 'document', 'note', 'artifact', 'goal');
    if (held === undefined) return undefined;
    const field = { task: 'description', goal: 'objective', artifact: 'content' }[held.collection] ?? 'body';
    const text = String(held.record[field]).split('\n');
    const at = this.#random.integer(0, text.length - 1);
    text[at] = `Line ${at} is now about ${this.#name()}.`;
    return this.#patch(held, `line ${at}`, { [field]: text.join('\n') });
  }

  documentStatus(state: State): Operation | undefined {
    const held = this.#one(state, 'document');
    return held && this.#patch(held, 'status', { status: this.#random.pick(['draft', 'in review', 'done', null]) });
  }

  constraints(state: State): Operation | undefined {
    const held = this.#one(state, 'goal');
    return held && this.#patch(held, 'constraints', { constraints: lines(this.#random, 3) });
  }

  addTag(state: State): Operation | undefined {
    const held = this.#one(state, 'task');
    if (held === undefined) return undefined;
    const tag = this.#random.pick(words);
    const tags = held.record['tags'] as readonly string[];
    return this.#patch(held, `tag ${tag}`, { tags: [...new Set([...tags, tag])] });
  }

  removeTag(state: State): Operation | undefined {
    const held = this.#one(state, 'task');
    const tags = (held?.record['tags'] ?? []) as readonly string[];
    if (held === undefined || tags.length === 0) return undefined;
    const tag = this.#random.pick(tags);
    return this.#patch(held, `tag ${tag}`, { tags: tags.filter((one) => one !== tag) });
  }

  colourTag(state: State): Operation | undefined {
    const held = this.#one(state, 'tag');
    return held && this.#patch(held, 'color', { color: `#${this.#random.integer(100000, 999999)}` });
  }

  goalOfTask(state: State): Operation | undefined {
    const [task, goal] = [this.#one(state, 'task'), this.#one(state, 'goal')];
    return task && goal && this.#patch(task, 'goal', { goal_id: goal.record.id });
  }

  position(state: State): Operation | undefined {
    const task = this.#one(state, 'task', 'document');
    if (task === undefined) return undefined;
    const { id } = task.record;
    const node = { id, x: this.#random.integer(-500, 500), y: this.#random.integer(-500, 500) };
    return {
      touches: [[id, 'position']],
      run: () => this.#rest.put(`/projects/${this.#project}/canvas`, { nodes: [node] }),
    };
  }

  layout(state: State): Operation | undefined {
    const held = [...state.values()].find(({ collection }) => collection === 'canvas');
    const member = `m${this.#random.integer(0, 9)}`;
    const layout = { ...(held?.record['layout'] as object | undefined), [member]: this.#name() };
    return {
      touches: [['canvas', member]],
      run: () => this.#rest.put(`/projects/${this.#project}/canvas`, { layout }),
    };
  }

  projectDescription(state: State): Operation | undefined {
    const held = this.#one(state, 'project');
    return held && this.#patch(held, 'description', { description: this.#name() });
  }

  move(state: State): Operation | undefined {
    const [document, folder] = [this.#one(state, 'document'), this.#one(state, 'folder')];
    if (document === undefined || folder === undefined) return undefined;
    const target = this.#random.chance(0.2) ? null : folder.record.id;
    const operation = this.#patch(document, 'folder', { folder_id: target });
    return { ...operation, touches: [...operation.touches, [folder.record.id, '+filled']] };
  }

  renameFolder(state: State): Operation | undefined {
    const held = this.#random.chance(0.1) ? this.#one(state, 'folder') : undefined;
    return held && this.#patch(held, 'name', { name: this.#name() });
  }

  create(state: State): Operation | undefined {
    const folder = this.#random.chance(0.5) ? this.#one(state, 'folder') : undefined;
    const [name, text] = [this.#name(), lines(this.#random, 8)];
    const inFolder = folder === undefined ? {} : { folder_id: folder.record.id };
    const filled: readonly Touch[] = folder === undefined ? [] : [[folder.record.id, '+filled']];
    return this.#random.pick([
      this.#create('tasks', { label: name, description: text, tags: [this.#random.pick(words)] }),
      this.#create('tasks', { label: name }),
      this.#create('documents', { title: name, body: text, ...inFolder }, filled),
      this.#create('notes', { title: name, body: text }),
      this.#create('goals', { name, objective: text }),
      this.#create('artifacts', { title: name, kind: this.#random.pick(['markdown', 'html']), content: text }),
      this.#create('views', { name, config: { filter: name } }),
      this.#create('folders', { name }),
    ]);
  }

  edge(state: State): Operation | undefined {
    const [from, to] = [this.#one(state, 'task', 'document'), this.#one(state, 'task', 'document')];
    if (from === undefined || to === undefined || from === to) return undefined;
    const label = this.#random.pick(['depends_on', 'relates', 'supports']);
    const ends = { from_type: from.collection, from_id: from.record.id, to_type: to.collection, to_id: to.record.id };
    return this.#create('edges', { ...ends, label }, [
      [from.record.id, `link ${to.record.id} ${label}`],
      [to.record.id, '+linked'],
    ]);
  }

  removeEdge(state: State): Operation | undefined {
    // A link to a record that a merge deleted remains in its file, and is not an edge.
    const linked = [...state.values()].flatMap(({ record }) =>
      (record.links ?? []).filter(({ to }) => state.has(to)).map((link) => ({ record, link })),
    );
    if (linked.length === 0) return undefined;
    const { record, link } = this.#random.pick(linked);
    return {
      touches: [[record.id, `link ${link.to} ${link.label ?? ''}`]],
      run: () => this.#rest.delete(`/projects/${this.#project}/edges/${link.id}`),
    };
  }

  comment(state: State): Operation | undefined {
    const held = this.#one(state, 'task', 'document', 'note');
    if (held === undefined) return undefined;
    const target = { target_type: held.collection, target_id: held.record.id };
    return this.#create('comments', { ...target, body: this.#name() }, [[held.record.id, '+commented']]);
  }

  changeComment(state: State): Operation | undefined {
    const held = this.#one(state, 'comment');
    if (held === undefined) return undefined;
    return this.#random.chance(0.5)
      ? this.#patch(held, 'body', { body: this.#name() })
      : this.#patch(held, 'resolved', { resolved: held.record['resolved'] !== true });
  }

  remove(state: State): Operation | undefined {
    const held = this.#one(state, 'task', 'document', 'note');
    if (held === undefined) return undefined;
    const { id } = held.record;
    const touches: Touch[] = [[id, '*']];
    for (const { collection, record } of state.values()) {
      for (const link of record.links ?? [])
        if (link.to === id) touches.push([record.id, `link ${id} ${link.label ?? ''}`]);
      if (collection === 'comment' && record['target_id'] === id) touches.push([record.id, '*']);
    }
    return { touches, run: () => this.#rest.delete(`/${held.collection}s/${id}`) };
  }
}

/** Changes to existing records are more frequent than creates and deletes. */
const kinds = [
  ...['taskField', 'taskField', 'taskField', 'taskField', 'rename', 'rename', 'line', 'line', 'line', 'documentStatus'],
  ...[
    'constraints',
    'addTag',
    'addTag',
    'removeTag',
    'colourTag',
    'goalOfTask',
    'position',
    'position',
    'layout',
    'move',
  ],
  ...['projectDescription', 'renameFolder', 'create', 'create', 'create', 'edge', 'edge', 'removeEdge', 'comment'],
  ...['changeComment', 'remove'],
] as const satisfies readonly (keyof RandomWork)[];
