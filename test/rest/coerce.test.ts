import { expect } from 'chai';
import { coercionOf } from '../../src/rest/coerce.ts';

describe('a query member', () => {
  it('of type integer or number is the number in its text', () => {
    const coerce = coercionOf({ type: 'integer' });
    expect(coerce(['12'])).to.equal(12);
    expect(coerce(['-3.5'])).to.equal(-3.5);
    for (const text of ['', ' 1', '1e3', '0x10', 'ten']) expect(coerce([text])).to.equal(text);
  });

  it('of type boolean is true or false, and no other word', () => {
    const coerce = coercionOf({ type: 'boolean' });
    expect([coerce(['true']), coerce(['false']), coerce(['1']), coerce(['TRUE'])]).to.deep.equal([
      true,
      false,
      '1',
      'TRUE',
    ]);
  });

  it('of type string remains a string, whatever it looks like', () => {
    expect(coercionOf({ type: 'string' })(['12'])).to.equal('12');
  });

  it('that accepts an array is one, given once or repeatedly', () => {
    const coerce = coercionOf({ type: 'array', items: { type: 'integer' } });
    expect([coerce(['1']), coerce(['1', '2'])]).to.deep.equal([[1], [1, 2]]);
  });

  it('that accepts one or many is the given value', () => {
    const coerce = coercionOf({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] });
    expect([coerce(['a']), coerce(['a', 'b'])]).to.deep.equal(['a', ['a', 'b']]);
  });

  it('that accepts one value is passed as a list if it is repeated, and rejected later', () => {
    expect(coercionOf({ type: 'string' })(['a', 'b'])).to.deep.equal(['a', 'b']);
  });

  it('is read by the types of all its alternatives and values', () => {
    const cases: readonly (readonly [Parameters<typeof coercionOf>[0], string, unknown])[] = [
      [{ type: 'number' }, '1.5', 1.5],
      [{ const: 5 }, '5', 5],
      [{ const: 'a' }, '5', '5'],
      [{ enum: [1, 'a'] }, '1', 1],
      [{ enum: [1, 'a'] }, '', ''],
      // The type says more than the values do.
      [{ type: 'string', enum: [1] }, '1', '1'],
      [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, '1', 1],
      [{ oneOf: [{ const: true }, { type: 'null' }] }, 'true', true],
      [{ oneOf: [{ const: true }, { type: 'null' }] }, '', null],
      [{ type: 'string' }, 'true', 'true'],
      [{ type: ['integer', 'null'] }, '5', 5],
      [{ type: 'null' }, '', null],
      [{ type: ['array', 'number'] }, '1', 1],
      [{ type: ['array', 'integer'] }, '1', 1],
      [{ type: ['array', 'boolean'] }, 'true', true],
      [{ type: ['array', 'null'] }, 'a', ['a']],
    ];
    for (const [schema, text, value] of cases)
      expect([schema, text, coercionOf(schema)([text])]).to.deep.equal([schema, text, value]);
    expect(coercionOf({ type: 'integer' })(['1', '2'])).to.deep.equal(['1', '2']);
  });

  it('that is nullable is null when empty', () => {
    expect(coercionOf({ type: ['string', 'null'] })([''])).to.equal(null);
    expect(coercionOf({ type: 'string' })([''])).to.equal('');
    expect(coercionOf({ enum: ['a', null] })([''])).to.equal(null);
  });
});
