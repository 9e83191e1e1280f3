import { expect } from 'chai';
import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import { inviteParticipants } from '../../src/domain/sharing/shares.ts';
import type { Minted } from '../../src/domain/sharing/shares.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import { Admission } from '../../src/operations/access/admit.ts';
import type { LinkOptions } from '../../src/operations/declaration/operation.ts';
import type { Tx } from '../../src/store/record/read-transaction.ts';
import { planner } from './planner.ts';

describe('Admitting guests by a link [S.auth.3, D8.guests]', () => {
  const world = planner();
  let project: string;
  let minted: Minted;
  let admission: Admission<PlannerCollections>;

  beforeEach(async () => {
    project = await world.it.project();
    minted = await world.it.store.update(
      project,
      { author: 'system', source: 'system' },
      (tx: Tx<PlannerCollections>) => inviteParticipants(tx, null, '1h'),
    );
    admission = new Admission(world.it.store);
  });

  const admit = (
    token: unknown,
    { address = '192.0.2.1', ...transport }: Partial<LinkOptions> & { readonly address?: string } = {},
  ): ReturnType<Admission<PlannerCollections>['admit']> =>
    admission.admit({ kind: 'participants', ...transport }, token, address, () => minted.share.created_at);
  const codeOf = (attempt: Promise<unknown>): Promise<string> =>
    attempt.then(
      () => 'admitted',
      (thrown: unknown) => (thrown as PlannerError).code,
    );

  it('makes them guests of its project, under the name of the link', async () => {
    const { id } = minted.share;
    expect(await admit(minted.token)).to.deep.equal({
      link: minted.share,
      caller: { kind: 'guest', id, author: `guest:${id}`, boundTo: project },
    });
  });

  it('accepts only its token, for its own kind', async () => {
    for (const token of ['', `${minted.token}x`, undefined, 7, [minted.token], { token: minted.token }])
      expect(await codeOf(admit(token)), JSON.stringify(token)).to.equal('not_found');
    expect(await codeOf(admit(minted.token, { kind: 'resource' }))).to.equal('not_found');
  });

  it('ends with its project', async () => {
    await world.it.store.update(project, { author: 'system', source: 'system' }, ({ service }) => {
      service.put('shares', { ...minted.share, project: 'prj_gone' } as never);
    });
    const error: unknown = await admit(minted.token).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'gone', message: 'The project of this link was deleted.' });
  });

  it('counts the calls of a link and an address if they are limited', async () => {
    const bounded = { perMinuteMax: 2 };
    for (let times = 0; times < 5; times++) expect(await codeOf(admit(minted.token))).to.equal('admitted');
    for (const code of ['admitted', 'admitted', 'rate_limited'])
      expect(await codeOf(admit(minted.token, bounded))).to.equal(code);
    expect(await codeOf(admit(minted.token, { ...bounded, address: '192.0.2.2' }))).to.equal('admitted');
    expect(await codeOf(admit('unknown', bounded))).to.equal('not_found');
  });
});
