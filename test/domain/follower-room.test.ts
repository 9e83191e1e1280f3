import { expect } from 'chai';
import { FollowerRoom } from '../../src/domain/feed/follower-room.ts';
import type { FollowingCaller } from '../../src/domain/feed/follower-room.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';

describe('The room for followers [A.feed.room]', () => {
  const owner = (id: string): FollowingCaller => ({ id, kind: 'owner' });
  const agent = (id: string, boundTo: string): FollowingCaller => ({ id, kind: 'agent', boundTo });

  /** Enters as these callers, one after the other, each until it is rejected. */
  function fill(room: FollowerRoom, callers: readonly FollowingCaller[]): (() => void)[] {
    return callers.flatMap((caller) => {
      const ends: (() => void)[] = [];
      for (let isFull = false; !isFull;)
        try {
          ends.push(room.enter(caller));
        } catch (thrown) {
          expect((thrown as PlannerError).toJSON()).to.include({ error: 'rate_limited', message: 'Full.' });
          isFull = true;
        }
      return ends;
    });
  }
  const keys = (project: string): FollowingCaller[] =>
    Array.from({ length: 8 }, (_, at) => agent(`key-${project}-${at}`, project));

  it('is bounded for a caller, for the agents of a project, and for agents; the rest is for owners', () => {
    const room = new FollowerRoom('Full.');
    expect(fill(room, [owner('ada')])).to.have.length(limits.followersPerCallerMax);
    expect(fill(room, keys('prj_1'))).to.have.length(limits.agentFollowersPerProjectMax);
    const others = fill(room, [...keys('prj_2'), ...keys('prj_3')]);
    expect(others).to.have.length(limits.agentFollowersMax - limits.agentFollowersPerProjectMax);
    expect(() => room.enter(agent('late', 'prj_4'))).to.throw(PlannerError);
    const owners = Array.from({ length: 9 }, (_, at) => owner(`owner-${at}`));
    const reserved = limits.followersMax - limits.agentFollowersMax;
    expect(fill(room, owners)).to.have.length(reserved - limits.followersPerCallerMax);
    others[0]!();
    others[0]!();
    room.enter(agent('late', 'prj_4'));
    expect(() => room.enter(agent('late', 'prj_4'))).to.throw(PlannerError);
  });
});
