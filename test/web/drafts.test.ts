import { expect } from 'chai';
import { isDisputed, textOf } from '../../src/base/merge-text.ts';
import { findQuote, lettersOf, quoteIn, quoteOf } from '../../src/web/anchors/text-quote.ts';
import { DraftKeeper } from '../../src/web/drafts/draft-keeper.ts';
import type { Draft, DraftStorage, Known } from '../../src/web/drafts/draft-keeper.ts';
import { replacement } from '../../src/web/ui/markdown/replacement.ts';
import { Random } from '../support/random.ts';
import { textMerges } from '../support/text-merges.ts';

type Fields = { readonly title: string; readonly body: string };

/** A service with one record, which rejects saves against another state. */
class OneRecord {
  fields: Fields = { title: 'Soil', body: 'one\ntwo\nthree\n' };
  version = 1;
  readonly saves: Partial<Fields>[] = [];
  isThere = true;

  get known(): Known<Fields> {
    return { fields: this.fields, tag: `"${this.version}.0"` };
  }

  change(fields: Partial<Fields>): void {
    this.fields = { ...this.fields, ...fields };
    this.version++;
  }

  async load(): Promise<Known<Fields>> {
    return this.known;
  }

  async save(changed: Partial<Fields>, tag: string): Promise<Known<Fields>> {
    if (!this.isThere) throw Object.assign(new Error('offline'), { code: 'offline' });
    if (tag !== this.known.tag) throw Object.assign(new Error('changed'), { code: 'precondition_failed' });
    this.saves.push(changed);
    this.change(changed);
    return this.known;
  }
}

class Storage implements DraftStorage {
  readonly items: Map<string, string>;
  constructor(items = new Map<string, string>()) {
    this.items = items;
  }
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }
  removeItem(key: string): void {
    this.items.delete(key);
  }
}

/** Saves only on request. */
function keeperOf(
  record: OneRecord,
  storage: Storage,
  drafts: Draft<Fields>[] = [],
  known = record.known,
): DraftKeeper<Fields> {
  const never = 2 ** 30;
  return new DraftKeeper<Fields>({
    ...{ source: record, storage, key: 'draft', known, idleMs: never, retryMs: never },
    onDraft: (draft) => drafts.push(draft),
  });
}

describe('A draft', () => {
  let record: OneRecord;
  let storage: Storage;
  const keepers: DraftKeeper<Fields>[] = [];
  const begin = (known?: Known<Fields>): DraftKeeper<Fields> => {
    const keeper = keeperOf(record, storage, [], known);
    keepers.push(keeper);
    return keeper;
  };
  beforeEach(() => {
    record = new OneRecord();
    storage = new Storage();
  });
  afterEach(async () => {
    for (const keeper of keepers.splice(0)) {
      keeper.close();
      await keeper.save();
    }
  });

  it('is kept from the first letter until the service has it [S.web.autosave]', async () => {
    const keeper = begin();
    keeper.change({ body: 'one\ntwo\nthree\nfour\n' });
    expect(keeper.draft.state.kind).to.equal('unsaved');
    const again = begin();
    expect(again.draft.fields.body).to.equal('one\ntwo\nthree\nfour\n');
    await again.save();
    expect(record.fields.body).to.equal('one\ntwo\nthree\nfour\n');
    expect([again.draft.state.kind, storage.items.size]).to.deep.equal(['saved', 0]);
  });

  it('merges a change by another user elsewhere in it [S.web.autosave]', async () => {
    const keeper = begin();
    keeper.change({ body: 'one\ntwo\nthree\nmine\n' });
    record.change({ body: 'theirs\none\ntwo\nthree\n', title: 'Earth' });
    await keeper.save();
    expect(record.fields).to.deep.equal({ title: 'Earth', body: 'theirs\none\ntwo\nthree\nmine\n' });
    expect(record.saves).to.have.length(1);
    keeper.change({ body: `${record.fields.body}more\n` });
    record.change({ title: 'Loam' });
    keeper.polled(record.known);
    expect(keeper.draft.fields).to.deep.equal({
      title: 'Loam',
      body: 'theirs\none\ntwo\nthree\nmine\nmore\n',
    });
  });

  it('merges as the service merges files [S.web.autosave, A.edit.merge]', () => {
    for (const { what, base, ours, theirs, merged } of textMerges) {
      record = new OneRecord();
      storage = new Storage();
      record.change({ body: base });
      const keeper = begin();
      keeper.change({ body: ours });
      record.change({ body: theirs });
      keeper.polled(record.known);
      const { state, fields } = keeper.draft;
      if (typeof merged === 'string') {
        expect([state.kind, fields.body], what).to.deep.equal([merged === theirs ? 'saved' : 'unsaved', merged]);
        continue;
      }
      if (state.kind !== 'conflict') throw new Error(`${what}: ${state.kind}`);
      const pieces = state.pieces['body']!;
      expect({ ours: textOf(pieces, 'ours'), theirs: textOf(pieces, 'theirs') }, what).to.deep.equal(merged);
      expect(fields.body, what).to.equal(ours);
      keeper.resolve({ body: ours });
    }
  });

  it('is not sent during a conflict, until a person has chosen [S.web.autosave]', async () => {
    const keeper = begin();
    keeper.change({ body: 'one\nmine\nthree\n' });
    record.change({ body: 'one\ntheirs\nthree\n', title: 'Earth' });
    await keeper.save();
    const { state, fields } = keeper.draft;
    if (state.kind !== 'conflict') throw new Error(state.kind);
    expect(Object.keys(state.pieces)).to.deep.equal(['body']);
    expect(state.pieces['body']!.filter(isDisputed)).to.deep.equal([
      { base: ['two'], ours: ['mine'], theirs: ['theirs'] },
    ]);
    expect([fields.title, fields.body]).to.deep.equal(['Earth', 'one\nmine\nthree\n']);
    keeper.change({ body: 'one\nmine too\nthree\n' });
    await keeper.save();
    expect(record.saves).to.deep.equal([]);
    const reloaded = begin();
    expect([reloaded.draft.state.kind, reloaded.draft.fields.body]).to.deep.equal([
      'conflict',
      'one\nmine too\nthree\n',
    ]);
    reloaded.resolve({ body: 'one\ntheirs and mine\nthree\n' });
    await reloaded.save();
    expect(record.fields).to.deep.equal({ title: 'Earth', body: 'one\ntheirs and mine\nthree\n' });
    expect(storage.items.size).to.equal(0);
  });

  it('survives a service that does not respond, and a lost response [S.web.autosave, S.web.offline]', async () => {
    const keeper = begin();
    keeper.change({ title: 'Mine' });
    record.isThere = false;
    await keeper.save();
    expect([keeper.draft.state.kind, storage.items.size]).to.deep.equal(['offline', 1]);
    record.isThere = true;
    // The change was saved, and the response was lost.
    record.change({ title: 'Mine' });
    await keeper.save();
    expect([keeper.draft.state.kind, storage.items.size, record.saves.length]).to.deep.equal(['saved', 0, 0]);
  });

  it('takes a change of another user that it receives before the response of its own [S.web.autosave, S.web.live]', async () => {
    const keeper = begin();
    const save = record.save.bind(record);
    record.save = async (changed, tag) => {
      const known = await save(changed, tag);
      record.change({ title: 'Loam' });
      keeper.polled(record.known);
      return known;
    };
    keeper.change({ body: 'one\ntwo\nthree\nfour\n' });
    await keeper.save();
    const { state, fields } = keeper.draft;
    expect([state.kind, fields]).to.deep.equal(['saved', { title: 'Loam', body: 'one\ntwo\nthree\nfour\n' }]);
  });

  it('is stored next to a closed draft of the same record that is still being saved [S.web.autosave]', async () => {
    const first = begin();
    first.change({ body: 'one\ntwo\nthree\nfour\n' });
    let respond = (): void => undefined;
    const responded = new Promise<void>((resolve) => (respond = resolve));
    const save = record.save.bind(record);
    record.save = async (changed, tag) => {
      await responded;
      return save(changed, tag);
    };
    // The person leaves the record and comes back.
    first.close();
    const second = begin();
    second.change({ body: 'zero\none\ntwo\nthree\nfour\n' });
    respond();
    await first.save();
    expect(record.version).to.equal(2);
    const reloaded = begin();
    expect(reloaded.draft.fields.body).to.equal('zero\none\ntwo\nthree\nfour\n');
    await reloaded.save();
    expect([reloaded.draft.state.kind, storage.items.size]).to.deep.equal(['saved', 0]);
  });

  it('loses nothing of two people who type at the same time, under any interleaving [S.web.autosave]', async () => {
    const random = Random.announced('drafts');
    for (let round = 0; round < 150; round++) {
      record = new OneRecord();
      record.fields = { title: 'Soil', body: Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join('') };
      const people = [new Storage(), new Storage()].map((own) => ({ own, keeper: keeperOf(record, own) }));
      const written: string[] = [];
      const ended: DraftKeeper<Fields>[] = [];
      for (let step = 0; step < 14; step++) {
        const person = people[random.integer(0, 1)]!;
        const act = random.integer(0, 4);
        if (act <= 1) {
          const lines = person.keeper.draft.fields.body.split('\n');
          const word = `w${round}x${step}`;
          lines.splice(random.integer(0, lines.length - 1), 0, word);
          written.push(word);
          person.keeper.change({ body: lines.join('\n') });
        } else if (act === 2) await person.keeper.save();
        else if (act === 3) person.keeper.polled(record.known);
        else {
          // The tab is reloaded: the former page ends, even while it saves, and stores nothing any more.
          ended.push(person.keeper);
          person.own = new Storage(new Map(person.own.items));
          person.keeper = keeperOf(record, person.own, [], record.known);
        }
        resolveBoth(person.keeper);
      }
      for (const { keeper } of [...people, ...people]) {
        await keeper.save();
        resolveBoth(keeper);
        await keeper.save();
      }
      for (const word of written) expect(record.fields.body, `round ${round}`).to.include(word);
      for (const keeper of [...ended, ...people.map((person) => person.keeper)]) keeper.close();
    }
  });
});

/** A person who keeps both. */
function resolveBoth(keeper: DraftKeeper<Fields>): void {
  const { state } = keeper.draft;
  if (state.kind !== 'conflict') return;
  const both = (name: string): string =>
    (state.pieces[name] ?? [])
      .flatMap((piece) => (isDisputed(piece) ? [...piece.theirs, ...piece.ours] : piece))
      .join('\n');
  keeper.resolve(Object.fromEntries(Object.keys(state.pieces).map((name) => [name, both(name)])));
}

describe('A change of a text', () => {
  it('is shown as the shortest change', () => {
    expect(replacement('abcd', 'abXcd')).to.deep.equal({ from: 2, to: 2, insert: 'X' });
    expect(replacement('aaa', 'aa')).to.deep.equal({ from: 2, to: 3, insert: '' });
    expect(replacement('a', 'a')).to.equal(undefined);
  });
});

describe('A quote', () => {
  const text =
    '# Beds\n\nThe beds dry out in **July**. A [drip line](planner://task/tsk_1) costs 140.\n\nThe beds again.\n';
  const quote = (exact: string, from = text): NonNullable<ReturnType<typeof quoteOf>> =>
    quoteOf(from, { from: from.indexOf(exact), to: from.indexOf(exact) + exact.length })!;
  const found = (now: string, exact: ReturnType<typeof quote>): string | undefined => {
    const place = findQuote(lettersOf(now), exact);
    return place && now.slice(place.from, place.to);
  };

  it('is a W3C selector that is found in the source and in the rendered text [S.web.anchors]', () => {
    expect(quote('dry out')).to.deep.equal({
      ...{ type: 'TextQuoteSelector', exact: 'dry out' },
      prefix: '# Beds\n\nThe beds ',
      suffix: ' in **July**. A [drip line](planner://task/tsk_1',
    });
    const read = 'BedsThe beds dry out in July. A drip line costs 140.The beds again.';
    expect(found(read, quote('in **July**. A [drip line](planner://task/tsk_1) costs'))).to.equal(
      'in July. A drip line costs',
    );
    expect(found(text, quote('July. A drip line', read))).to.equal('July**. A [drip line');
  });

  it('is distinguished from equal ones by its context, and follows it [S.web.anchors]', () => {
    const second = quoteOf(text, { from: text.lastIndexOf('The beds'), to: text.lastIndexOf('The beds') + 8 })!;
    const now = `The beds.\n\n${text}`;
    expect(findQuote(lettersOf(now), second)!.from).to.equal(now.lastIndexOf('The beds'));
    expect(found(`New words before.\n${text}`, quote('costs 140'))).to.equal('costs 140');
  });

  it('is found if its words were changed, and not found if it was deleted [S.web.anchors]', () => {
    expect(found(text.replace('dry out', 'are parched'), quote('The beds dry out in **July**'))).to.equal(
      'The beds are parched in **July',
    );
    const long = 'Water in the early morning and never at noon, since the sun burns wet leaves.';
    const body = `First of all we agree on this. ${long} Second comes something quite different.`;
    const kept = quote('never at noon', body);
    expect(found(body.replace('never at noon', 'not around midday'), kept)).to.equal('not around midday');
    expect(found(body.replace(long, ''), quote(long, body))).to.equal(undefined);
    expect(found('Nothing of it.', kept)).to.equal(undefined);
    expect(quoteIn(null, 'drip line')).to.deep.include({ exact: 'drip line' });
    expect(quoteIn({ type: 'CssSelector', value: 'p' }, null)).to.equal(undefined);
  });
});
