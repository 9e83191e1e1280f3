import { expect } from 'chai';
import { PresenceRegister, presenceMs, streamGraceMs } from '../../src/domain/feed/presence.ts';
import type { PresenceChange } from '../../src/schema/types.ts';
import { limits } from '../../src/base/limits.ts';
import { ManualClock } from '../support/manual-clock.ts';

const ada = { id: 'ada', kind: 'owner', author: 'human:Ada' } as const;
const eve = { id: 'eve', kind: 'owner', author: 'human:Eve' } as const;
const at = (id: string, project = 'prj_1'): Parameters<PresenceRegister['enter']>[2] => ({
  ...{ project_id: project, resource: { type: 'task', id }, editing: false },
});

describe('the register of sessions that are present', () => {
  let clock: ManualClock;
  let register: PresenceRegister;
  beforeEach(() => {
    clock = new ManualClock();
    register = new PresenceRegister(clock);
  });

  const sessions = (): string[] => register.in('prj_1').map(({ session }) => session);
  const watch = (session: string, send: (change: PresenceChange) => void = () => undefined): (() => void) =>
    register.watch({ project: 'prj_1', caller: 'ada', session, send }).end;

  it('ends the presence of a session without a stream after its last call [A.feed.presence]', () => {
    register.enter('one', ada, at('tsk_1'));
    clock.advance(presenceMs - 1);
    register.enter('one', ada, at('tsk_1'));
    clock.advance(presenceMs - 1);
    expect(sessions()).to.deep.equal(['one']);
    clock.advance(1);
    expect(sessions()).to.deep.equal([]);
  });

  it('keeps a session while one of its streams is open, and for the time of a reconnect [A.feed.presence]', () => {
    const first = watch('one');
    register.enter('one', ada, at('tsk_1'));
    const second = watch('one');
    clock.advance(presenceMs * 10);
    first();
    clock.advance(presenceMs);
    expect(sessions(), 'a stream is open').to.deep.equal(['one']);
    second();
    second();
    clock.advance(streamGraceMs - 1);
    const third = watch('one');
    clock.advance(presenceMs);
    expect(sessions(), 'it connected again').to.deep.equal(['one']);
    third();
    clock.advance(streamGraceMs);
    expect(sessions()).to.deep.equal([]);
  });

  it('says since when a session is where it is', () => {
    register.enter('one', ada, at('tsk_1'));
    const since = register.in('prj_1')[0]!.at;
    clock.advance(1000);
    register.enter('one', ada, at('tsk_1'));
    expect(register.in('prj_1')[0]!.at).to.equal(since);
    register.enter('one', ada, { ...at('tsk_1'), editing: true });
    expect(register.in('prj_1')[0]!.at).to.not.equal(since);
  });

  it('sends changes of a short time together, one object for all streams of a project', () => {
    const [one, two]: [PresenceChange[], PresenceChange[]] = [[], []];
    watch('one', (change) => one.push(change));
    watch('two', (change) => two.push(change));
    register.enter('one', ada, at('tsk_1'));
    register.enter('one', ada, at('tsk_2'));
    register.enter('three', eve, at('tsk_1', 'prj_2'));
    clock.advance(1000);
    expect(one).to.have.length(1);
    expect(one[0]!.present.map(({ resource }) => resource.id)).to.deep.equal(['tsk_2']);
    expect(two[0]).to.equal(one[0]);
  });

  it('does not send an end that was taken back, nor a change of another project', () => {
    const seen: PresenceChange[] = [];
    register.enter('one', ada, at('tsk_1'));
    watch('two', (change) => seen.push(change));
    register.leave({ project: 'prj_1', session: 'one' }, 'ada');
    register.enter('one', ada, at('tsk_1'));
    register.enter('three', eve, at('tsk_1', 'prj_2'));
    clock.advance(1000);
    expect(seen.map(({ whole, gone }) => [whole, gone])).to.deep.equal([[false, []]]);
    register.enter('three', eve, at('tsk_9', 'prj_2'));
    clock.advance(1000);
    expect(seen).to.have.length(1);
  });

  it('rejects the session of another credential, and too many sessions', () => {
    register.enter('one', ada, at('tsk_1'));
    expect(() => register.enter('one', eve, at('tsk_1')))
      .to.throw()
      .with.property('code', 'conflict');
    expect(() => register.leave({ project: 'prj_1', session: 'one' }, 'eve'))
      .to.throw()
      .with.property('code', 'conflict');
    for (let count = 1; count < limits.followersPerCallerMax; count++) register.enter(`s-${count}`, ada, at('tsk_1'));
    expect(() => register.enter('more', ada, at('tsk_1')))
      .to.throw()
      .with.property('code', 'rate_limited');
    register.enter('more', eve, at('tsk_1'));
    register.leave({ project: 'prj_1', session: 's-1' }, 'ada');
    register.enter('again', ada, at('tsk_1'));
  });

  it('separates the names of each project, and a session at one record [A.feed.presence-names]', () => {
    const seen: PresenceChange[] = [];
    register.watch({ project: undefined, caller: 'ada', session: 'all', send: (change) => seen.push(change) });
    register.enter('one', ada, at('tsk_1'));
    register.enter('one', eve, at('tsk_2', 'prj_2'));
    expect(register.in('prj_2').map(({ author }) => author)).to.deep.equal(['human:Eve']);
    expect(() => register.enter('one', ada, at('tsk_2', 'prj_2')))
      .to.throw()
      .with.property('code', 'conflict');
    clock.advance(1000);
    register.enter('one', ada, at('tsk_3', 'prj_3'));
    expect(sessions()).to.deep.equal([]);
    clock.advance(1000);
    expect(seen.map(({ present, gone }) => [present.map(({ project_id: id }) => id), gone])).to.deep.equal([
      [['prj_1', 'prj_2'], []],
      [['prj_3'], []],
    ]);
  });
});
