import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import { MemberCount, rejectDuplicates } from '../../src/http/json-members.ts';
import { limits } from '../../src/base/limits.ts';
import { atOnce } from '../../src/base/slices.ts';

const count = (text: string): number => {
  const counted = new MemberCount();
  counted.write(Buffer.from(text));
  return counted.members;
};

const refusal = (run: () => unknown): PlannerError | undefined => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof PlannerError) return thrown;
    throw thrown;
  }
  return undefined;
};

describe('The members of a JSON text', () => {
  it('are counted without those inside strings [A.hostile.wide]', () => {
    const counts: Record<string, number> = {
      '1': 0,
      '{}': 0,
      '[{"a":1},{"b":{"c":2}}]': 3,
      '{"a:b":"{c:d,"}': 1,
      '{"a\\"::b":1}': 1,
      '{"a\\\\":1,"b":"\\\\\\"::\\\\"}': 2,
      '{"a":"::': 1,
    };
    for (const [text, members] of Object.entries(counts)) expect(count(text), text).to.equal(members);
  });

  it('are rejected exactly above their limits [A.hostile.wide]', () => {
    const { objectMembersMax: members, bodyValuesMax: values } = limits;
    const wide = (first: string, count: number): string => `{"x":${first}${',"y":1'.repeat(count - 1)}}`;
    const refused = (text: string, limit: object): void => {
      const error = refusal(() => count(text));
      expect([error?.code, error?.details]).to.deep.equal(['payload_too_large', limit]);
    };
    for (const first of ['1', '{}', '[]', '{"y":1}']) {
      const inner = first.includes('y') ? 1 : 0;
      expect(count(wide(first, members))).to.equal(members + inner);
      refused(wide(first, members + 1), { members_max: members });
    }
    const fitting = wide('1', members);
    expect(count(`[${fitting},${fitting}]`)).to.equal(2 * members);
    // The list itself is a value, and so is the whole text.
    const list = (item: string, count: number): string => `[${item}${`,${item}`.repeat(count - 1)}]`;
    expect(count(list('1', values - 1))).to.equal(0);
    refused(list('1', values), { values_max: values });
    for (const item of ['[]', '{}']) {
      expect(count(list(item, values / 2 - 1))).to.equal(0);
      refused(list(item, values / 2), { values_max: values });
    }
  });
});

describe('The count of members', () => {
  const { bodyMembersMax: members_max, memberNameBytesMax: name_bytes_max } = limits;
  /** The error that ends the count, and the number of bytes until then; in pieces of so many bytes. */
  const refusedAt = (text: string, pieceBytes: number): [details: object | undefined, bytes: number] => {
    const counting = new MemberCount();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const error = refusal(() => counting.write(bytes.subarray(at, at + pieceBytes)));
      if (error !== undefined) return [error.details, Math.min(at + pieceBytes, bytes.length)];
    }
    return [undefined, bytes.length];
  };
  /** As many objects of 9,900 members each. */
  const objects = (of: number): string =>
    `[${Array.from({ length: of }, () => `{"a":1${',"a":1'.repeat(9899)}}`).join(',')}]`;

  it('is the same in whatever pieces the bytes arrive [A.hostile.wide]', () => {
    const text = JSON.stringify([
      { 'a:b': ['\\', '\\"', '{"x":1}'], 'ü"\\': { c: '\\\\"' } },
      { d: 1, e: [{ f: {} }] },
    ]);
    for (let piece = 1; piece <= text.length; piece++) {
      const counting = new MemberCount();
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += piece) counting.write(bytes.subarray(at, at + piece));
      expect(counting.members, `pieces of ${piece}`).to.equal(6);
    }
  });

  it('ends with the first chunk beyond a limit: of members of the body, and of the length of a name [A.hostile.wide]', () => {
    const chunk = 64 * 1024;
    const [details, bytes] = refusedAt(objects(99), chunk);
    expect(details).to.deep.equal({ members_max });
    expect(bytes).to.be.below(Buffer.byteLength(objects(22)));
    expect(refusedAt(objects(20), chunk)[0]).to.equal(undefined);
    const named = (length: number): string => `{"${'n'.repeat(length)}":1}`;
    for (const piece of [7, chunk]) {
      expect(refusedAt(named(name_bytes_max), piece)[0]).to.equal(undefined);
      expect(refusedAt(named(name_bytes_max + 1), piece)[0]).to.deep.equal({ name_bytes_max });
    }
    // A value may be as long as the body.
    expect(refusedAt(`{"a":"${'n'.repeat(100_000)}"}`, chunk)[0]).to.equal(undefined);
  });
});

describe('A duplicate member', () => {
  const duplicateIn = (text: string): string | undefined => {
    const error = refusal(() => atOnce(rejectDuplicates(text, JSON.parse(text), count(text))));
    if (error !== undefined) expect(error.code).to.equal('invalid_argument');
    return error?.field;
  };

  it('is rejected with the path of the first one [A.hostile.duplicates]', () => {
    const paths: Record<string, string> = {
      '{"a":1,"a":2}': 'a',
      '{"a":1,"b":{"c":2,"c":3},"a":4}': 'b.c',
      '[{"a":1},{"a":[null,{"b":1,"b":2}]}]': '[1].a[1].b',
      '[[{"a":1,"a":1}]]': '[0][0].a',
    };
    for (const [text, path] of Object.entries(paths)) expect(duplicateIn(text), text).to.equal(path);
  });

  it('is rejected without its path if it is nested too deeply for the parser [A.hostile.duplicates]', () => {
    const depth = 100_000;
    expect(duplicateIn(`${'['.repeat(depth)}{"a":1,"a":2}${']'.repeat(depth)}`)).to.equal('A member');
  });

  it('of a long text is rejected without its path, and looked for in steps [A.hostile.duplicates, A.loop.turns]', () => {
    const long = 'x'.repeat(limits.searchedBodyCharactersMax);
    expect(duplicateIn(`{"a":1,"a":2,"b":"${long}"}`)).to.equal('A member');
    const text = `[${Array.from({ length: 20 }, () => `{${Array.from({ length: 900 }, (_, at) => `"m${at}":1`).join(',')}}`).join(',')}]`;
    expect([...rejectDuplicates(text, JSON.parse(text), count(text))]).to.have.length(10);
  });

  it('is not reported if each object has its own [A.hostile.duplicates]', () => {
    for (const text of ['null', '1', '"abc"', '[1,null,"abc",true]', '[{"a":null},{"a":"abc","b":{"a":[1,"x"]}}]'])
      expect(duplicateIn(text), text).to.equal(undefined);
  });
});
