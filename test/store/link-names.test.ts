import { expect } from 'chai';
import { collections } from '../../src/domain/records/collections.ts';
import { ProjectIndex } from '../../src/store/replica/project-index.ts';
import type { Incoming } from '../../src/store/record/read-transaction.ts';
import type { Link, StoredRecord } from '../../src/store/record/record.ts';
import { Random, roundsOf } from '../support/random.ts';

const at = '2026-01-01T00:00:00.000Z';

interface Task extends StoredRecord {
  readonly label: string;
  readonly tags: readonly string[];
}

const task = (id: string, label: string, links: readonly Link[] = []): Task => ({
  id,
  created_at: at,
  updated_at: at,
  label,
  tags: [],
  links,
});

const linksTo = (from: string, names: readonly string[]): readonly Link[] =>
  names.map((to, n) => ({ id: `${from}-${n}`, to, type: 'task' }));

class Index {
  readonly index = new ProjectIndex(collections);
  /** How often the meaning of a link was looked up by its name. */
  lookUps = 0;

  constructor() {
    const { names } = this.index;
    const meant = names.meant.bind(names);
    names.meant = (from, link) => {
      this.lookUps++;
      return meant(from, link);
    };
  }

  put(record: Task): this {
    this.index.apply({ collection: 'task', id: record.id, from: this.index.record(record.id), to: record });
    return this;
  }

  remove(id: string): void {
    const from = this.index.record(id);
    if (from !== undefined) this.index.apply({ collection: 'task', id, from, to: undefined });
  }

  /** All records are there: names are resolved from now on. */
  open(): this {
    this.index.derive('nothing', { fields: {}, changed: () => undefined });
    return this;
  }

  edges(): string[] {
    return [...this.index.edges()].map(textOf).sort();
  }

  outgoing(id: string): string[] {
    return this.index.outgoing(id).map(textOf);
  }
}

const textOf = ({ from, link }: Incoming): string => `${from} → ${JSON.stringify(link)}`;

describe('The meaning of links by names', () => {
  const count = 300;
  const ids = Array.from({ length: count }, (_, n) => `TASK-${n}`);
  const linking = task('tsk_linking', 'All of them', linksTo('tsk_linking', ids));
  const twice = 2 * count;

  it('is looked up once for each link of a record when a project is opened', () => {
    const opened = new Index().put(linking);
    for (const id of ids) opened.put(task(id, `Do ${id}`));
    opened.open();
    expect(opened.lookUps).to.be.at.most(twice);
    expect(opened.edges()).to.have.length(count);
  });

  it('is looked up for the links by the names of a record that comes, not for the others of the record that links', () => {
    const open = new Index().open().put(linking);
    open.lookUps = 0;
    for (const [n, id] of ids.entries()) open.put(task(id, `Do ${id}`)).put(task(`OTHER-${n}`, id));
    for (const id of ids) open.remove(id);
    expect(open.lookUps).to.be.at.most(twice);
    expect([...open.index.incoming('OTHER-7')].map(({ from }) => from)).to.deep.equal([linking.id]);
    expect([...open.index.dangling()]).to.deep.equal([]);
  });

  it('is after any changes as it is in a project that is opened then', () => {
    const random = Random.announced('links by names');
    const names = ['A-1', 'A-2', 'A-3', 'A-4', 'tsk_own', 'Sow', 'Reap', 'sow', 'Weed'];
    const link = (from: string): Link => ({
      id: `${from}-${random.integer(0, 5)}`,
      to: random.pick(names),
      type: 'task',
      ...(random.chance(0.2) && { in: 'related' }),
    });
    for (let round = roundsOf(40); round > 0; round--) {
      const open = new Index().open();
      const present = new Map<string, Task>();
      for (let step = 0; step < 30; step++) {
        const id = random.pick(names.slice(0, 5));
        if (random.chance(0.2)) {
          open.remove(id);
          present.delete(id);
        } else {
          const links = Array.from({ length: random.integer(0, 4) }, () => link(id));
          const byId = new Map(links.map((one) => [one.id, one]));
          const record = task(id, random.pick(names.slice(5)), [...byId.values()]);
          open.put(record);
          present.set(id, record);
        }
        const reopened = new Index();
        for (const record of present.values()) reopened.put(record);
        reopened.open();
        expect(open.edges()).to.deep.equal(reopened.edges());
        for (const one of present.keys()) expect(open.outgoing(one)).to.deep.equal(reopened.outgoing(one));
        expect([...open.index.dangling()].map(textOf).sort()).to.deep.equal(
          [...reopened.index.dangling()].map(textOf).sort(),
        );
      }
    }
  });
});
