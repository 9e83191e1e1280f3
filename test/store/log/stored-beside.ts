import { hash } from 'node:crypto';
import { expect } from 'chai';
import {
  type Append,
  type Appended,
  emptyHead,
  type Head,
  type Log,
  type StoredText,
} from '../../../src/store/record/log.ts';
import type { Revision } from '../../../src/store/record/record.ts';

/** The stored data of entries, and nodes that append to it. */
interface Storage {
  readonly another: () => Promise<Log>;
  readonly revision: (project: string, id: string) => Promise<Revision | undefined>;
  readonly text: (sha256: string) => Promise<string | undefined>;
  readonly cut: (log: Log, when: 'before' | 'during' | 'after') => void;
}

const storedText = (text: string): StoredText => ({ text, sha256: hash('sha256', text, 'hex') });
const lost = storedText('lost');

function headOf(appended: Appended): Head {
  expect(appended.is).to.equal('ok');
  return (appended as Extract<Appended, { is: 'ok' }>).head;
}

/** Revisions with any text and time are as they were made; of two with the same id the first stays. */
export async function expectStoredRevisions(
  log: Log,
  { revision: stored, cut }: Pick<Storage, 'revision' | 'cut'>,
  made: { readonly next: (project: string, after: Head) => Append; readonly revision: (id: string) => Revision },
): Promise<void> {
  const { next, revision } = made;
  const texts = ['plain', 'Größe\n\u2028\u0000"\\ 🜁', 'x'.repeat(300_000)];
  const years = ['2026-03-01T10:00:00.000Z', '0000-01-01T00:00:00.000Z', '+012026-03-01T10:00:00.000Z'];
  let head = emptyHead;
  for (const [at, text] of texts.entries()) {
    const revisions = [`one ${at}`, `two ${at}`].map((id) => ({
      ...revision(id),
      ...{ at: years[at]!, author: `human:${text.slice(0, 30)}`, before: { text } },
    }));
    cut(log, (['before', 'during', 'after'] as const)[at]!);
    const appends = [{ ...next('a', head), beside: { revisions }, large: at === 2 }, next('b', emptyHead)];
    head = headOf((await Promise.all(appends.map((append) => log.append(append))))[0]!);
    for (const one of revisions) expect(await stored('a', one.id)).to.deep.equal(one);
  }
  // The first of two with the same id stays.
  const again = { ...revision('one 0'), author: 'human:another' };
  expect((await log.append({ ...next('a', head), beside: { revisions: [again, again] } })).is).to.equal('ok');
  expect((await stored('a', 'one 0'))?.author).to.equal('human:plain');
  expect((await log.append({ ...next('d', emptyHead), beside: { revisions: [again] } })).is).to.equal('ok');
  expect(await stored('d', 'one 0')).to.deep.equal(again);
}

/**
 * Texts of the entries of two concurrent nodes, whose connections are cut, are there if and only if the entries are.
 */
export async function expectStoredTexts(
  log: Log,
  { another, text: stored, cut }: Pick<Storage, 'another' | 'text' | 'cut'>,
  next: (project: string, after: Head) => Append,
): Promise<void> {
  const nearPart = `${'ü'.repeat(512 * 1024 - 1)}ab`;
  const texts = ['plain', 'Größe\n\u2028\u0000"\\ 🜁', nearPart, 'x'.repeat(2 * 1024 * 1024)].map(storedText);
  const other = await another();
  let [head, ofOther] = [emptyHead, emptyHead];
  for (const [at, one] of texts.entries()) {
    cut(log, (['before', 'during', 'after'] as const)[at % 3]!);
    const beside = { texts: [one, texts[0]!] };
    const [own, notAppended, others] = await Promise.all([
      log.append({ ...next('a', head), beside, version: 2, large: at === 2 }),
      log.append({ ...next('b', { seq: 7, id: 'evt_lost' }), beside: { texts: [lost] } }),
      other.append({ ...next('c', ofOther), beside }),
    ]);
    [head, ofOther] = [headOf(own), headOf(others)];
    expect(notAppended.is).to.equal('conflict');
    for (const { sha256, text } of texts.slice(0, at + 1)) expect(await stored(sha256)).to.equal(text);
  }
  expect(await stored(lost.sha256)).to.equal(undefined);
  await other.close();
}
