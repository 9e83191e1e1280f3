import { expect } from 'chai';
import { toolList, toolOrder } from '../../src/mcp/tool-list.ts';
import { catalogue, schemas } from '../support/items.ts';

describe('the list of tools', () => {
  const schemaOf = (definition: string): Record<string, unknown> => schemas[definition]!;

  it('has a place for each of the 64 tools of the specification', () => {
    expect(toolOrder).to.have.length(64);
    expect(new Set(toolOrder).size).to.equal(64);
    expect(toolOrder.slice(-3)).to.deep.equal(['sync_pull', 'list_submissions', 'triage_submission']);
  });

  it('refuses a tool that the specification does not have', () => {
    const extra = { ...catalogue.find(({ name }) => name === 'get_task')!, name: 'drop_everything' };
    expect(() => toolList([extra], schemaOf)).to.throw('drop_everything');
  });

  it('refuses an input that is no object', () => {
    const one = catalogue.filter(({ name }) => name === 'get_task');
    expect(() => toolList(one, () => ({ oneOf: [] }))).to.throw('get_task');
  });
});
