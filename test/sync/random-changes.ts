import { expect } from 'chai';
import type { Random } from '../support/random.ts';
import type { RestClient } from '../support/rest-client.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const lists = ['tasks', 'documents', 'notes', 'folders', 'goals'] as const;
type List = (typeof lists)[number];

/** The field with the text of each kind, and the one with its name. */
const texts: Readonly<Partial<Record<List, string>>> = {
  tasks: 'description',
  documents: 'body',
  notes: 'body',
  goals: 'objective',
};
/** The further members that a new record needs. */
const needed: Readonly<Partial<Record<List, object>>> = { documents: { body: '' }, goals: { objective: 'Apples.' } };
const names: Readonly<Record<List, string>> = {
  tasks: 'label',
  documents: 'title',
  notes: 'title',
  folders: 'name',
  goals: 'name',
};

/** Fails if a word that was acknowledged is not in an export. */
export function expectWords(words: ReadonlySet<string>, text: string, where: string): void {
  const lost = [...words].filter((word) => !text.includes(word));
  expect(lost, `${where}: acknowledged, and nowhere`).to.deep.equal([]);
}

/** Random changes of one side, as people and agents make them. */
export class RandomChanges {
  readonly #rest: RestClient;
  readonly #project: string;
  readonly #random: Random;
  /** The kinds of changes that were accepted. */
  readonly done = new Set<string>();
  /** Words that were acknowledged in values with a history: each is somewhere for ever. */
  readonly #words: Set<string>;

  constructor(rest: RestClient, project: string, random: Random, words: Set<string>) {
    this.#rest = rest;
    this.#project = project;
    this.#random = random;
    this.#words = words;
  }

  async run(count: number): Promise<void> {
    for (let made = 0; made < count; made++) await this.#one();
  }

  async #one(): Promise<void> {
    const kinds = [
      ...[() => this.#create(), () => this.#create(), () => this.#rename(), () => this.#write(), () => this.#write()],
      ...[() => this.#set(), () => this.#set(), () => this.#remove(), () => this.#comment(), () => this.#join()],
      ...[() => this.#file(), () => this.#move(), () => this.#layOut(), () => this.#tag()],
    ];
    await this.#random.pick(kinds)();
  }

  /** A word that is nowhere else, noted once it is acknowledged. */
  #word(): string {
    return `w${Math.floor(this.#random.next() * 2 ** 40).toString(36)}`;
  }

  async #send(method: string, path: string, body: object | undefined, word?: string): Promise<void> {
    const { status } = await this.#rest.send(method, path, body);
    if (status >= 500) throw new Error(`${method} ${path} was answered ${status}.`);
    if (status < 300 && word !== undefined) this.#words.add(word);
    if (status < 300) this.done.add(`${method} ${path.replace(/[a-z]{3}_[0-9a-z]{16}/g, ':')}`);
  }

  async #all(list: string): Promise<readonly Row[]> {
    return (await this.#rest.get(`/projects/${this.#project}/${list}?limit=1000`)).body[list] as readonly Row[];
  }

  async #any(list: string): Promise<Row | undefined> {
    const rows = await this.#all(list);
    return rows.length === 0 ? undefined : this.#random.pick(rows);
  }

  async #create(): Promise<void> {
    const list = this.#random.pick(lists);
    const word = this.#word();
    const folder = list === 'documents' && this.#random.chance(0.5) ? await this.#any('folders') : undefined;
    const goal = list === 'tasks' && this.#random.chance(0.3) ? await this.#any('goals') : undefined;
    // Sometimes both sides give one name.
    const name = list === 'folders' ? `Folder ${this.#random.integer(1, 4)}` : word;
    const body = {
      ...needed[list],
      [names[list]]: name,
      ...(folder && { folder_id: folder.id }),
      ...(goal && { goal_id: goal.id }),
    };
    await this.#send('POST', `/projects/${this.#project}/${list}`, body, list === 'folders' ? undefined : word);
  }

  async #rename(): Promise<void> {
    const list = this.#random.pick(lists);
    const row = await this.#any(list);
    const word = this.#word();
    if (row === undefined) return;
    await this.#send('PATCH', `/${list}/${row.id}`, { [names[list]]: word }, list === 'folders' ? undefined : word);
  }

  /** Adds a line to a text, or replaces one. */
  async #write(): Promise<void> {
    const list = this.#random.pick(['tasks', 'documents', 'notes', 'goals'] as const);
    const row = await this.#any(list);
    if (row === undefined) return;
    const { body } = await this.#rest.get(`/${list}/${row.id}`);
    const field = texts[list]!;
    const rows = String(body?.[field] ?? '').split('\n');
    const word = this.#word();
    rows.splice(this.#random.integer(0, rows.length), this.#random.integer(0, 1), word);
    await this.#send('PATCH', `/${list}/${row.id}`, { [field]: rows.join('\n') }, word);
  }

  async #set(): Promise<void> {
    const task = await this.#any('tasks');
    if (task === undefined) return;
    const word = this.#word();
    const [fields, noted] = this.#random.pick([
      [{ priority: this.#random.pick(['urgent', 'high', 'medium', 'low']) }, undefined],
      [{ status: this.#random.pick(['todo', 'in_progress', 'done', 'backlog']) }, undefined],
      [{ assignee: word }, word],
      [{ tags: [this.#random.pick(['soil', 'Spring', 'water']), this.#random.pick(['a', 'b', 'c'])] }, undefined],
    ] as const);
    await this.#send('PATCH', `/tasks/${task.id}`, fields, noted);
  }

  async #remove(): Promise<void> {
    const list = this.#random.pick(['tasks', 'documents', 'notes', 'folders', 'comments', 'views']);
    const row = await this.#any(list);
    if (row !== undefined) await this.#send('DELETE', `/${list}/${row.id}`, undefined);
  }

  async #comment(): Promise<void> {
    const task = await this.#any('tasks');
    if (task === undefined) return;
    const body = { target_type: 'task', target_id: task.id, body: this.#word() };
    await this.#send('POST', `/projects/${this.#project}/comments`, body);
  }

  async #join(): Promise<void> {
    const [from, to] = [await this.#any('tasks'), await this.#any('tasks')];
    if (from === undefined || to === undefined) return;
    const label = this.#random.pick(['blocks', 'relates']);
    const body = { from_type: 'task', from_id: from.id, to_type: 'task', to_id: to.id, label };
    await this.#send('POST', `/projects/${this.#project}/edges`, body);
  }

  async #file(): Promise<void> {
    const content = Buffer.from(this.#word()).toString('base64');
    const body = { filename: 'a.txt', mime: 'text/plain', content_base64: content };
    await this.#send('POST', `/projects/${this.#project}/files`, body);
  }

  async #move(): Promise<void> {
    const [list, member] = this.#random.chance(0.5)
      ? (['documents', 'folder_id'] as const)
      : (['folders', 'parent_folder_id'] as const);
    const [row, folder] = [await this.#any(list), await this.#any('folders')];
    if (row === undefined) return;
    await this.#send('PATCH', `/${list}/${row.id}`, {
      [member]: this.#random.chance(0.3) ? null : (folder?.id ?? null),
    });
  }

  async #layOut(): Promise<void> {
    const task = await this.#any('tasks');
    if (task === undefined) return;
    const position = { x: this.#random.integer(0, 900), y: this.#random.integer(0, 900) };
    await this.#send('PATCH', `/tasks/${task.id}`, { position });
  }

  async #tag(): Promise<void> {
    const tag = await this.#any('tags');
    if (tag !== undefined) await this.#send('PATCH', `/tags/${tag.id}`, { color: '#a0522d' });
    const body = {
      name: `View ${this.#random.integer(1, 9)}`,
      config: { [this.#random.pick(['a', 'b'])]: this.#word() },
    };
    await this.#send('POST', `/projects/${this.#project}/views`, body);
  }
}
