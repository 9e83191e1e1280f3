import { expect } from 'chai';
import { toolList } from '../../src/mcp/tool-list.ts';
import { catalogue, schemas } from '../support/items.ts';

describe('the list of tools', () => {
  const schemaOf = (definition: string): Record<string, unknown> => schemas[definition]!;

  it('contains the operations that are tools, in the order of the catalogue', () => {
    const listed = toolList(catalogue, schemaOf).map(({ name }) => name);
    expect(listed).to.deep.equal([
      'list_projects',
      'create_project',
      'get_task',
      'list_tasks',
      'create_task',
      'update_task',
    ]);
    expect(toolList([...catalogue].reverse(), schemaOf).map(({ name }) => name)).to.deep.equal(listed.reverse());
  });

  it('rejects an input that is not an object', () => {
    const one = catalogue.filter(({ name }) => name === 'get_task');
    expect(() => toolList(one, () => ({ oneOf: [] }))).to.throw('get_task');
  });
});
