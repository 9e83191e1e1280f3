import { expect } from 'chai';
import { PlannerError } from '../../src/errors.ts';
import { countMembers, rejectDuplicates } from '../../src/http/json-members.ts';
import { limits } from '../../src/limits.ts';

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
    for (const [text, count] of Object.entries(counts)) expect(countMembers(text), text).to.equal(count);
  });

  it('are rejected exactly above their limits [A.hostile.wide]', () => {
    const { objectMembersMax: members, bodyValuesMax: values } = limits;
    const wide = (first: string, count: number): string => `{"x":${first}${',"y":1'.repeat(count - 1)}}`;
    const refused = (text: string, limit: object): void => {
      const error = refusal(() => countMembers(text));
      expect([error?.code, error?.details]).to.deep.equal(['payload_too_large', limit]);
    };
    for (const first of ['1', '{}', '[]', '{"y":1}']) {
      const inner = first.includes('y') ? 1 : 0;
      expect(countMembers(wide(first, members))).to.equal(members + inner);
      refused(wide(first, members + 1), { members_max: members });
    }
    const fitting = wide('1', members);
    expect(countMembers(`[${fitting},${fitting}]`)).to.equal(2 * members);
    // The list itself is a value, and so is the whole text.
    const list = (item: string, count: number): string => `[${item}${`,${item}`.repeat(count - 1)}]`;
    expect(countMembers(list('1', values - 1))).to.equal(0);
    refused(list('1', values), { values_max: values });
    for (const item of ['[]', '{}']) {
      expect(countMembers(list(item, values / 2 - 1))).to.equal(0);
      refused(list(item, values / 2), { values_max: values });
    }
  });
});

describe('A duplicate member', () => {
  const duplicateIn = (text: string): string | undefined => {
    const error = refusal(() => rejectDuplicates(text, JSON.parse(text), countMembers(text)));
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

  it('is not reported if each object has its own [A.hostile.duplicates]', () => {
    for (const text of ['null', '1', '"abc"', '[1,null,"abc",true]', '[{"a":null},{"a":"abc","b":{"a":[1,"x"]}}]'])
      expect(duplicateIn(text), text).to.equal(undefined);
  });
});
