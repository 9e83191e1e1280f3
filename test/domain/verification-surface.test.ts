import { expect } from 'chai';
import { itemsOf, parseSurface } from '../../src/domain/plan/verification-surface.ts';
import { errorOf } from './throws.ts';

type Items = readonly { readonly id: string; readonly criterion: string }[];

function itemsFrom(input: unknown, former: Parameters<typeof parseSurface>[1] = null): Items {
  const surface = parseSurface(input, former);
  return surface?.kind === 'acceptance_checklist' ? (surface.items as Items) : [];
}

const checklist = (...items: object[]): object => ({ kind: 'acceptance_checklist', items });

describe('A verification surface', () => {
  it('is accepted as an object and as its JSON text [D4.surface]', () => {
    const surfaces = [{ kind: 'gate_command', command: 'npm test' }, { kind: 'human_sign_off' }];
    for (const surface of surfaces) {
      expect(parseSurface(surface, null)).to.deep.equal(surface);
      expect(parseSurface(JSON.stringify(surface), null)).to.deep.equal(surface);
    }
    expect(itemsFrom(JSON.stringify(checklist({ criterion: 'Fast' }))).map(({ criterion }) => criterion)).to.deep.equal(
      ['Fast'],
    );
    expect(parseSurface(null, null)).to.equal(null);
    expect(parseSurface('null', null)).to.equal(null);
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['text that is not JSON', 'npm test', 'verification_surface'],
    ['a list', [], 'verification_surface'],
    ['a number in JSON text', '5', 'verification_surface'],
    ['no kind', {}, 'verification_surface.kind'],
    ['an unknown kind', { kind: 'vibes' }, 'verification_surface.kind'],
    ['a gate without a command', { kind: 'gate_command' }, 'verification_surface.command'],
    ['a blank command', { kind: 'gate_command', command: ' ' }, 'verification_surface.command'],
    ['an unknown member', { kind: 'human_sign_off', who: 'Ann' }, 'verification_surface.who'],
    ['a checklist without items', { kind: 'acceptance_checklist' }, 'verification_surface.items'],
    ['an empty checklist', checklist(), 'verification_surface.items'],
    ['an item that is a text', { kind: 'acceptance_checklist', items: ['Fast'] }, 'verification_surface.items[0]'],
    ['an item without a criterion', checklist({ criterion: 'Fast' }, {}), 'verification_surface.items[1].criterion'],
    ['a blank criterion', checklist({ criterion: '\n' }), 'verification_surface.items[0].criterion'],
    [
      'an unknown member of an item',
      checklist({ criterion: 'Fast', done: true }),
      'verification_surface.items[0].done',
    ],
    [
      'one criterion twice',
      checklist({ criterion: 'Fast' }, { criterion: 'Fast' }),
      'verification_surface.items[1].criterion',
    ],
    [
      'one item id twice',
      checklist({ id: 'a', criterion: 'A' }, { id: 'a', criterion: 'B' }),
      'verification_surface.items[1].id',
    ],
    ['an id with a space', checklist({ id: 'a b', criterion: 'A' }), 'verification_surface.items[0].id'],
  ];
  for (const [what, input, field] of wrong) {
    it(`is rejected with ${what}, naming the member [D4.surface]`, () => {
      expect(errorOf(() => parseSurface(input, null))).to.include({ error: 'invalid_argument', field });
    });
  }

  it('gives each item its own id, derived from the criterion [D4.item-ids]', () => {
    const [fast, safe] = itemsFrom(checklist({ criterion: 'Fast' }, { criterion: 'Safe' }));
    expect(fast?.id).to.match(/^chk_[0-9a-f]{10}$/);
    expect(fast?.id).to.not.equal(safe?.id);
    expect(itemsFrom(checklist({ criterion: 'Fast' }))[0]?.id).to.equal(fast?.id);
    expect(itemsOf([{ criterion: 'Fast' }])[0]?.id).to.equal(fast?.id);
  });

  it('keeps an id when the criterion is reworded under it [D4.item-ids]', () => {
    const former = parseSurface(checklist({ criterion: 'Fast' }), null);
    const [fast] = itemsFrom(former);
    const [reworded, added] = itemsFrom(
      checklist({ id: fast?.id, criterion: 'Very fast' }, { criterion: 'Fast' }),
      former,
    );
    expect(reworded).to.deep.equal({ id: fast?.id, criterion: 'Very fast' });
    expect(added?.id).to.be.a('string').and.not.equal(fast?.id);
  });

  it('keeps an id by equal criterion when no id is given [D4.item-ids]', () => {
    const former = parseSurface(checklist({ id: 'mine', criterion: 'Fast' }, { criterion: 'Safe' }), null);
    const [safe, fast] = itemsFrom(checklist({ criterion: 'Safe' }, { criterion: 'Fast' }), former);
    expect(fast?.id).to.equal('mine');
    expect(safe?.id).to.equal(itemsFrom(former)[1]?.id);
  });
});
