import { expect } from 'chai';
import { orderingOf } from '../../src/domain/graph/work-order.ts';

const link = (label: string | undefined, type = 'task', to = 'b'): Parameters<typeof orderingOf>[1] => ({
  to,
  type,
  id: 'edg_1',
  ...(label === undefined ? {} : { label }),
});

describe('The order of work of an edge', () => {
  it('with depends_on puts the target first [D3.depends_on]', () => {
    expect(orderingOf('a', link('depends_on'))).to.deep.equal({ first: 'b', then: 'a' });
  });

  it('with any other label, or none, puts the source first [D3.depends_on]', () => {
    for (const label of [undefined, '', 'blocks', 'then', 'depends', 'unblocks it']) {
      expect(orderingOf('a', link(label)), String(label)).to.deep.equal({ first: 'a', then: 'b' });
    }
  });

  it('does not exist for the labels of relations [D3.not-ordering]', () => {
    for (const label of ['relates', 'relates_to', 'references', 'duplicates', 'supersedes', 'clarifies', 'supports']) {
      expect(orderingOf('a', link(label)), label).to.equal(undefined);
    }
  });

  it('compares labels without case, with space, hyphen and underscore alike [D3.labels-alike]', () => {
    for (const label of ['Depends On', 'DEPENDS-ON', 'depends_on', ' depends  on ']) {
      expect(orderingOf('a', link(label)), label).to.deep.equal({ first: 'b', then: 'a' });
    }
    for (const label of ['Relates To', 'relates-to', 'SUPPORTS'])
      expect(orderingOf('a', link(label)), label).to.equal(undefined);
  });

  it('exists between different tasks only [D3.prerequisites]', () => {
    expect(orderingOf('a', link('depends_on', 'document'))).to.equal(undefined);
    expect(orderingOf('a', link(undefined, 'artifact'))).to.equal(undefined);
    expect(orderingOf('a', link('depends_on', 'task', 'a'))).to.equal(undefined);
  });
});
