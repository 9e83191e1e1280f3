import { expect } from 'chai';
import type { Random } from '../support/random.ts';
import type { Transport, Outcome, RestTransport } from './transports.ts';
import type { Model, ModelDocument, ModelTask } from './model.ts';

const statuses = ['todo', 'in_progress', 'done', 'scope', 'backlog'];
const priorities = ['urgent', 'high', 'medium', 'low', null];
const tags = ['water', 'soil', 'seed', 'größe', '種'];
const edgeLabels = ['depends_on', null, 'then', 'relates to'];
/** Texts that files and responses must keep unchanged. */
const texts = [
  '',
  'plain',
  '---\nnot: front matter\n---\n',
  '# Heading\n\n- a\n- b\n',
  'ends with blanks   ',
  '\n\nbegins with lines',
  'quotes " and \' and \\ and : and #',
  'tab\tand\u00a0space',
  '種 größe 🌱',
  'true',
  '2026-01-01',
  '~',
];

/** One random step, executed over a random transport and on the model. */
export class Steps {
  readonly #random: Random;
  readonly #model: Model;
  #count = 0;

  constructor(random: Random, model: Model) {
    this.#random = random;
    this.#model = model;
  }

  async step(transports: readonly Transport[], rest: RestTransport): Promise<void> {
    this.#count++;
    const transport = this.#random.pick(transports);
    const { tasks, edges, documents } = this.#model;
    const roll = this.#random.next();
    if (tasks.size < 2 || roll < 0.25) return this.#createTask(transport);
    if (roll < 0.55) return this.#updateTask(transport);
    if (roll < 0.7) return this.#createEdge(transport);
    if (roll < 0.75 && edges.size > 0) return this.#deleteEdge(transport);
    if (roll < 0.82) return this.#createDocument(transport);
    if (roll < 0.88 && documents.size > 0) return this.#updateDocument(transport);
    if (roll < 0.92) return this.#deleteTask(rest);
    if (roll < 0.94 && documents.size > 0) return this.#deleteDocument(rest);
    return this.#refused(transport);
  }

  async #createTask(transport: Transport): Promise<void> {
    const task = this.#task();
    this.#model.tasks.set(idOf(await transport.createTask(task)), task);
  }

  async #updateTask(transport: Transport): Promise<void> {
    const id = this.#random.pick([...this.#model.tasks.keys()]);
    const whole = this.#task();
    const fields = (Object.keys(whole) as (keyof ModelTask)[]).filter(() => this.#random.chance(0.4));
    const change = Object.fromEntries(fields.map((field) => [field, whole[field]])) as Partial<ModelTask>;
    if (fields.length === 0) return;
    expect(idOf(await transport.updateTask(id, change))).to.equal(id);
    this.#model.tasks.set(id, { ...this.#model.tasks.get(id)!, ...change });
  }

  async #createEdge(transport: Transport): Promise<void> {
    const ids = [...this.#model.tasks.keys()];
    const edge = { from: this.#random.pick(ids), to: this.#random.pick(ids), label: this.#random.pick(edgeLabels) };
    const outcome = await transport.createEdge(edge);
    if (edge.from === edge.to) return expectError(outcome, 'invalid_argument');
    const id = idOf(outcome);
    const known = this.#model.edgeLike(edge);
    if (known !== undefined) expect(id, 'the id of an edge that is there').to.equal(known);
    this.#model.edges.set(id, edge);
  }

  async #deleteEdge(transport: Transport): Promise<void> {
    const id = this.#random.pick([...this.#model.edges.keys()]);
    idOf(await transport.deleteEdge(id));
    this.#model.edges.delete(id);
  }

  async #createDocument(transport: Transport): Promise<void> {
    const document = this.#document();
    this.#model.documents.set(idOf(await transport.createDocument(document)), document);
  }

  async #updateDocument(transport: Transport): Promise<void> {
    const id = this.#random.pick([...this.#model.documents.keys()]);
    const { title, body, status } = this.#document();
    const change = this.#random.pick<Partial<ModelDocument>>([
      { title },
      { body },
      { status },
      { title, body, status },
    ]);
    expect(idOf(await transport.updateDocument(id, change))).to.equal(id);
    this.#model.documents.set(id, { ...this.#model.documents.get(id)!, ...change });
  }

  async #deleteTask(rest: RestTransport): Promise<void> {
    const id = this.#random.pick([...this.#model.tasks.keys()]);
    idOf(await rest.deleteTask(id));
    this.#model.deleteTask(id);
  }

  async #deleteDocument(rest: RestTransport): Promise<void> {
    const id = this.#random.pick([...this.#model.documents.keys()]);
    idOf(await rest.deleteDocument(id));
    this.#model.documents.delete(id);
  }

  /** Calls that must not change anything. */
  async #refused(transport: Transport): Promise<void> {
    const id = this.#random.pick([...this.#model.tasks.keys()]);
    expectError(await transport.updateTask(id, { label: 'x', status: 'finished' }), 'invalid_argument');
    expectError(await transport.updateTask('tsk_nowhere000000000', { label: 'x' }), 'not_found');
    expectError(await transport.createTask({ ...this.#task(), label: '   ' }), 'invalid_argument');
  }

  #task(): ModelTask {
    return {
      label: `${this.#count} ${this.#random.pick(texts).replaceAll('\n', ' ')}`.trimEnd(),
      status: this.#random.pick(statuses),
      priority: this.#random.pick(priorities),
      description: this.#random.pick(texts),
      tags: tags.filter(() => this.#random.chance(0.3)),
    };
  }

  #document(): ModelDocument {
    return {
      title: this.#random.pick(['Notes', 'notes', `Notes ${this.#count}`, 'a/b: c?', 'CON', '種']),
      body: this.#random.pick(texts),
      status: this.#random.pick(['draft', 'agreed', null]),
    };
  }
}

function idOf(outcome: Outcome): string {
  if ('error' in outcome) throw new Error(`The service refused with ${outcome.error}.`);
  return outcome.id;
}

function expectError(outcome: Outcome, code: string): void {
  expect(outcome).to.deep.equal({ error: code });
}
