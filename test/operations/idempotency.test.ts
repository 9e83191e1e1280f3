import { expect } from 'chai';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import { idempotencyCollection, KeyedCall, sha256Of } from '../../src/operations/pipeline/idempotency.ts';
import type { About, StoredResponse, FirstResponse } from '../../src/operations/pipeline/idempotency.ts';
import { Seal } from '../../src/operations/pipeline/seal.ts';
import { ItemWorld } from '../support/items.ts';

const meta = { author: 'system', source: 'system' } as const;
const now = '2030-01-01T00:00:00.000Z';
const later = (ms: number): string => new Date(Date.parse(now) + ms).toISOString();
const day = 24 * 3_600_000;

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('A call with an idempotency key [D1.idempotency]', () => {
  let world: ItemWorld;

  before(async () => void (world = await new ItemWorld().open()));
  after(async () => {
    await world.close();
    world.remove();
  });

  let keys = 0;
  let key: string;
  beforeEach(() => void (key = `key-${keys++}`));

  const call = (input: unknown = {}, { by = 'key_1', operation = 'make', secret = false } = {}): KeyedCall =>
    new KeyedCall(by, key, operation, input, secret);
  const keep = (of: KeyedCall, value: unknown, etag?: string, about?: About): Promise<void> =>
    world.store.updateService(meta, (tx) => of.keep(tx, now, value, etag, about));
  const find = (of: KeyedCall, at = now): Promise<FirstResponse | undefined> =>
    world.store.readService((service) => of.find(service, at));
  const refusal = async (of: KeyedCall): Promise<PlannerError> =>
    find(of).then(
      () => expect.fail('It was not refused.'),
      (thrown: unknown) => thrown as PlannerError,
    );
  const records = (): Promise<StoredResponse[]> =>
    world.store.readService((service) => [...service.list<StoredResponse>(idempotencyCollection.name)]);

  it('accepts 1 to 255 visible characters as the key', () => {
    for (const good of ['!', '~', 'a'.repeat(255)]) expect(() => new KeyedCall('c', good, 'o', {})).not.to.throw();
    for (const bad of ['', 'a'.repeat(256), 'a b', ' a', 'a ', 'a\n', 'a\u007f', 'é'])
      expect(() => new KeyedCall('c', bad, 'o', {}), JSON.stringify(bad))
        .to.throw()
        .which.includes({ code: 'invalid_argument', field: 'Idempotency-Key' });
  });

  it('finds its first response for 24 hours', async () => {
    expect(await find(call())).to.equal(undefined);
    await keep(call(), { task: { id: 'tsk_1' } }, '"tag"');
    const first = { value: { task: { id: 'tsk_1' } }, etag: '"tag"' };
    expect(await find(call())).to.deep.equal(first);
    expect(await find(call(), later(day - 1))).to.deep.equal(first);
    expect(await find(call(), later(day))).to.equal(undefined);
    expect(await find(call({}, { by: 'key_2' }))).to.equal(undefined);
    const before = key;
    key = 'another';
    expect(await find(call())).to.equal(undefined);
    key = before;
    await keep(call(), null);
    expect(await find(call())).to.deep.equal({ value: null, etag: undefined });
    await keep(call(), undefined);
    expect(await find(call())).to.deep.equal({ value: undefined, etag: undefined });
  });

  it('is the same call if its input is equivalent, and a conflict if not', async () => {
    await keep(call({ a: 1, b: [{ c: null, d: 2 }, 3], e: 'x' }), 1);
    expect(await find(call({ e: 'x', b: [{ d: 2, c: null }, 3], a: 1 }))).to.include({ value: 1 });
    for (const other of [
      { a: 1, b: [3, { c: null, d: 2 }], e: 'x' },
      { a: 1, b: { 0: { c: null, d: 2 }, 1: 3 }, e: 'x' },
      { a: 1, b: [{ c: null, d: 2 }, 3] },
      null,
    ]) {
      const error = await refusal(call(other));
      expect([error.code, error.details]).to.deep.equal(['conflict', { operation: 'make' }]);
      expect(error.message).to.include('was used before for another input of make.');
    }
    const error = await refusal(call({ a: 1, b: [{ c: null, d: 2 }, 3], e: 'x' }, { operation: 'change' }));
    expect(error.message).to.include('was used before for make.');
  });

  it('includes the upload in its input, in any chunks', async () => {
    const uploaded = call({}, { operation: 'upload' });
    const taken: string[] = [];
    for await (const piece of uploaded.including(pieces('ab', 'c'))) taken.push(Buffer.from(piece).toString());
    expect(taken).to.deep.equal(['ab', 'c']);
    await keep(uploaded, 1);
    const { digest } = (await records()).findLast(({ operation }) => operation === 'upload')!;
    expect(digest).to.equal(hash('sha256', `${hash('sha256', '{}', 'hex')}\0${hash('sha256', 'abc', 'hex')}`, 'hex'));
    const again = call({}, { operation: 'upload' });
    again.includingHash(hash('sha256', 'abc', 'hex'));
    expect(await find(again)).to.include({ value: 1 });
    again.includingHash(hash('sha256', 'abd', 'hex'));
    for (const other of [again, call({}, { operation: 'upload' })])
      expect((await refusal(other)).code).to.equal('conflict');
  });

  it('encrypts a secret response with its key', async () => {
    await keep(call({}, { operation: 'seal', secret: true }), { secret: 'pln_owner_x' });
    const [kept] = (await records()).filter(({ operation }) => operation === 'seal');
    expect(JSON.stringify(kept)).not.to.include('pln_owner_x');
    expect(new Seal(`key_1\0${key}`).open(kept!.answer!)).to.equal('{"secret":"pln_owner_x"}');
    expect(await find(call({}, { operation: 'seal', secret: true }))).to.deep.include({
      value: { secret: 'pln_owner_x' },
    });
    await keep(call({}, { operation: 'seal', secret: true }), undefined);
    expect(await find(call({}, { operation: 'seal', secret: true }))).to.include({ value: undefined });
  });

  it('stores the digest of a large response, to check whether it can be rebuilt', async () => {
    const most = 'x'.repeat(limits.idempotencyAnswerBytesMax - '""'.length);
    await keep(call(), most, '"tag"', { project: 'prj_1', resource: 'tsk_1' });
    expect(await find(call())).to.deep.equal({ value: most, etag: '"tag"' });
    await keep(call(), `${most}x`, '"tag"', { project: 'prj_1', resource: 'tsk_1' });
    const sha256 = hash('sha256', JSON.stringify(`${most}x`), 'base64url');
    const over = 'y'.repeat(limits.idempotencyAnswerBytesMax);
    await keep(call(), over);
    const files = readdirSync(world.directory, { recursive: true, encoding: 'utf8' }).map((path) =>
      join(world.directory, path),
    );
    const texts = files.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, 'latin1'));
    expect(
      texts.some((text) => text.includes('x'.repeat(1000))),
      'the journal has what is kept',
    ).to.equal(true);
    expect(
      texts.some((text) => text.includes('y'.repeat(1000))),
      'and nothing else',
    ).to.equal(false);
    await keep(call(), `${most}x`, '"tag"', { project: 'prj_1', resource: 'tsk_1' });
    expect(await find(call())).to.deep.equal({
      ...{ value: undefined, etag: '"tag"' },
      unkept: { sha256, project: 'prj_1', resource: 'tsk_1' },
    });
    await keep(call(), `${most}x`);
    expect(await find(call())).to.deep.equal({
      ...{ value: undefined, etag: undefined },
      unkept: { sha256, project: undefined, resource: undefined },
    });
  });

  it('is stored by credential, with all fields of a record', async () => {
    await keep(call({}, { by: 'key_9' }), { task: 1 }, undefined, { project: 'prj_1', resource: 'tsk_1' });
    const record = (await records()).find(({ credential }) => credential === 'key_9')!;
    const { id, digest, ...others } = record;
    expect(id).to.equal(hash('sha256', `key_9\0${key}`, 'hex'));
    expect(digest).to.equal(hash('sha256', '{}', 'hex'));
    expect(others).to.deep.equal({
      ...{ created_at: now, updated_at: now, credential: 'key_9', operation: 'make', answer: '{"task":1}', etag: null },
      ...{ answer_sha256: sha256Of('{"task":1}'), project: 'prj_1', resource: 'tsk_1', drop_at: later(day) },
    });
    await keep(call({}, { by: 'key_8' }), undefined);
    const without = (await records()).find(({ credential }) => credential === 'key_8')!;
    expect(without).not.to.have.any.keys('answer_sha256', 'project', 'resource');
    expect(without.answer).to.equal(null);
    await keep(new KeyedCall('key_7', key, 'make', {}), 1);
    expect((await records()).find(({ credential }) => credential === 'key_7')!.answer).to.equal('1');
  });
});

describe('Evicted responses [D1.idempotency]', () => {
  const { owner, weight, shed, ...bounds } = idempotencyCollection.retention;
  const record = { id: 'a', operation: 'make', answer: null, etag: null } as unknown as StoredResponse;

  it('are those over the limits, per credential or in all', () => {
    expect(idempotencyCollection.name).to.equal('idempotency');
    expect(bounds).to.deep.equal({
      recordsPerOwnerMax: limits.idempotencyKeysPerCredentialMax,
      recordsMax: limits.idempotencyKeysMax,
      recordBytesMax: limits.idempotencyAnswerBytesMax,
      bytesPerOwnerMax: limits.idempotencyAnswersPerCredentialBytesMax,
      bytesMax: limits.idempotencyAnswersBytesMax,
    });
    expect([owner(record), owner({ ...record, credential: 'key_1' } as StoredResponse)]).to.deep.equal(['', 'key_1']);
    expect([weight(record), weight({ ...record, answer: 'abc' } as StoredResponse)]).to.deep.equal([0, 3]);
  });

  it('leave their digest and the id of their resource', () => {
    const of = (answer: string | null, more: Partial<StoredResponse> = {}): unknown => {
      const { answer: left, answer_sha256: sha256, resource } = shed({ ...record, answer, ...more });
      return [left, sha256, resource];
    };
    const answer = '{"task":{"id":"tsk_1","label":"x"}}';
    expect(of(answer)).to.deep.equal([null, sha256Of(answer), 'tsk_1']);
    expect(of(answer, { answer_sha256: 'known', resource: 'tsk_2' })).to.deep.equal([null, 'known', 'tsk_2']);
    for (const other of [` ${answer}`, '{"tasks":[{"id":"tsk_1"}]}', `{"task":{"id":"${'x'.repeat(65)}"}}`])
      expect(of(other), other).to.deep.equal([null, sha256Of(other), undefined]);
    expect(shed({ ...record, ...{ answer: 'x' } })).not.to.have.property('resource');
    expect(of(null)).to.deep.equal([null, sha256Of(''), undefined]);
  });
});
