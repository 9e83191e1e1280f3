import { expect } from 'chai';
import { hash } from 'node:crypto';
import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import * as shares from '../../src/domain/sharing/shares.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import type { Tx } from '../../src/store/record/read-transaction.ts';
import { planner } from '../operations/planner.ts';

const meta = { author: 'system', source: 'system' } as const;

describe('Links to a resource', () => {
  const world = planner();
  let project: string;
  let task: string;

  const write = <T>(fn: (tx: Tx<PlannerCollections>) => T, of = project): Promise<T> =>
    world.it.store.update(of, meta, fn);
  const share = (type: shares.ShareTarget, id: string, expires?: string): Promise<shares.Minted> =>
    write((tx) => shares.shareResource(tx, type, id, expires));
  const list = (of = project): Promise<shares.ShareRecord[]> => world.it.store.read(of, shares.sharesOf);
  const refusal = (attempt: Promise<unknown>): Promise<PlannerError> =>
    attempt.then(
      () => expect.fail('It was not refused.'),
      (thrown: unknown) => thrown as PlannerError,
    );
  const open = (token: string, now: string): Promise<shares.ShareRecord> =>
    world.it.store.readService((service) => shares.openLink(service, 'resource', token, now));

  beforeEach(async () => {
    project = await world.it.project();
    task = (await world.it.call('create_task', { project_id: project, label: 'Dig' })).task.id as string;
  });

  it('are stored by the digest of their token, in the order of creation [D8.token, D8.shares]', async () => {
    const { share: first, token } = await share('task', task);
    expect(first.id).to.match(/^shr_/);
    expect(first.token_sha256).to.equal(hash('sha256', token, 'hex'));
    const ids = [first.id];
    for (let count = 0; count < 6; count++) ids.push((await share('task', task)).share.id);
    const listed = await list();
    expect(listed.map(({ id }) => id)).to.have.members(ids);
    const keys = listed.map(({ created_at: created, id }) => `${created} ${id}`);
    expect(keys).to.deep.equal(keys.toSorted());
    // One that is older comes first, whatever its id is.
    await write(({ service }) => {
      service.put('shares', { ...first, id: 'shr_zzzz', created_at: '2020-01-01T00:00:00.000Z' } as never);
    });
    expect((await list())[0]!.id).to.equal('shr_zzzz');
  });

  it('report the permitted expiry [D8.expires]', async () => {
    for (const expires of ['', '0h', '721h']) {
      const error = await refusal(share('task', task, expires));
      expect(error.message).to.equal('expires must be <n>h or <n>d, from 1h to 30d (default 24h): every link ends.');
    }
  });

  it('end with their resource, with the reason [A.hostile.restored-links, S.state.share]', async () => {
    const [ended, left] = [await share('task', task), await share('task', task)];
    await write((tx) => shares.revokeShare(tx, left.share.id));
    const elsewhere = await world.it.project('Other');
    const foreign = { ...ended.share, id: 'shr_foreign', project: elsewhere, token_sha256: 'x' };
    await write(({ service }) => {
      service.put('shares', foreign as never);
    });
    const before = (await list()).find(({ id }) => id === left.share.id);
    await write((tx) => shares.revokeSharesOf(tx, task));
    const [record, other] = [ended, left].map(({ share: { id } }) => id);
    const after = new Map((await list()).map((one) => [one.id, one]));
    expect(after.get(record!)).to.include({ target_deleted: true });
    expect(shares.stateOf(after.get(record!)!, ended.share.created_at)).to.equal('revoked');
    expect(shares.stateOf(ended.share, ended.share.created_at)).to.equal('live');
    expect(shares.stateOf(ended.share, ended.share.expires_at)).to.equal('expired');
    expect(after.get(other!)).to.deep.equal(before);
    expect((await list(elsewhere)).map(({ revoked_at: revoked }) => revoked)).to.deep.equal([null]);
    const now = ended.share.created_at;
    expect(await refusal(open(ended.token, now))).to.include({
      ...{ code: 'gone', message: 'The task of this link was deleted.' },
    });
    expect(await refusal(open(left.token, now))).to.include({
      ...{ code: 'gone', message: 'This link was revoked. Ask for a new one.' },
    });
  });

  it('are revoked by their id [D8.shares]', async () => {
    const error = await refusal(write((tx) => shares.revokeShare(tx, 'shr_none')));
    expect([error.code, error.details]).to.deep.equal(['not_found', { resource: 'share', id: 'shr_none' }]);
  });

  it('have the title of their resource while it exists', async () => {
    const { id: document } = (await world.it.call('create_document', { project_id: project, title: 'Soil', body: '' }))
      .document;
    const prototype = await write((tx) => {
      const of = { id: tx.newId('prototype'), created_at: tx.now, name: 'Flow', links: [] };
      return tx.put('prototype', { ...of, viewport: { width: 9, height: 9 } }).id;
    });
    expect(shares.shareTargets).to.deep.equal(['task', 'document', 'prototype']);
    const titleOf = (of: shares.ShareRecord): Promise<string | undefined> =>
      world.it.store.read(project, (view) => shares.titleOfTarget(view, of)?.title);
    for (const [type, id, title] of [
      ['task', task, 'Dig'],
      ['document', document as string, 'Soil'],
      ['prototype', prototype, 'Flow'],
    ] as const) {
      const minted = await share(type, id);
      expect(minted.share).to.include({ target_type: type, target_id: id });
      expect(await titleOf(minted.share)).to.equal(title);
      expect(await titleOf({ ...minted.share, target_id: 'gone' })).to.equal(undefined);
    }
    const { share: invitation } = await write((tx) => shares.inviteParticipants(tx, 'A', undefined));
    expect([await titleOf(invitation), invitation.audience_name]).to.deep.equal([undefined, 'A']);
  });
});
