import { expect } from 'chai';
import { readJsonCanvas } from '../../src/exchange/json-canvas.ts';
import { edgesOf, named, remarksOf } from './support.ts';

const box = (x: number, y: number): object => ({ x, y, width: 100, height: 50 });

const canvas = {
  nodes: [
    { id: 'g', type: 'group', label: 'Spring', x: -10, y: -10, width: 500, height: 200 },
    { id: 'e', type: 'group', label: 'Nothing', x: 9000, y: 0, width: 1, height: 1 },
    { id: 'a', type: 'text', text: '# Dig\n\nDeep.\n- [ ] a box', color: '4', ...box(0, 0) },
    { id: 'b', type: 'text', text: '- [x] Sow', color: '#ff0000', ...box(200.5, 0) },
    { id: 'c', type: 'file', file: 'notes/What we know.md', subpath: '#soil', ...box(1000, 0) },
    { id: 'd', type: 'link', url: 'https://example.org/', ...box(1000, 300) },
    { id: 'f', type: 'text', text: '', ...box(1000, 600) },
  ],
  edges: [
    { id: '1', fromNode: 'a', toNode: 'b', fromSide: 'right', toSide: 'left', label: 'then' },
    { id: '2', fromNode: 'b', toNode: 'c', fromEnd: 'arrow', color: '1' },
    { id: '3', fromNode: 'g', toNode: 'c' },
  ],
};

describe('Importing from JSON Canvas', () => {
  const plan = readJsonCanvas(canvas, 'Board');
  const tasks = named(plan, 'tasks');

  it('imports texts as tasks, files and links as documents, groups as tags, edges as edges [D9.moving.canvas]', () => {
    expect(plan.report.counts).to.deep.equal({ tasks: 3, documents: 2, tags: 1, edges: 2 });
    expect(tasks['Dig']).to.deep.include({
      ...{ description: 'Deep.\n- [ ] a box', status: 'done', tags: ['Spring'], position: { x: 0, y: 0 } },
      size: { width: 100, height: 50 },
    });
    expect(tasks['Sow']).to.deep.include({ status: 'done', position: { x: 200.5, y: 0 } });
    expect(tasks['(untitled)']).to.include({ status: 'todo' });
    const documents = named(plan, 'documents');
    expect(documents['notes/What we know.md'].body).to.equal('[notes/What we know.md](notes/What%20we%20know.md#soil)');
    expect(documents['https://example.org/']).to.deep.include({
      body: '<https://example.org/>',
      position: { x: 1000, y: 300 },
    });
    expect(edgesOf(plan)).to.deep.equal(['Dig -then-> Sow', 'Sow --> notes/What we know.md']);
    expect(tasks['Sow'].links[0]).to.include({ arrow_direction: 'both', type: 'document' });
  });

  it('keeps values without a field in the description, and reports what was left out [D9.moving.kept]', () => {
    expect(tasks['Sow'].description).to.contain('- color: #ff0000');
    expect(remarksOf(plan)).to.deep.equal([
      '1 × A task without a name: it is called (untitled).',
      '1 × A group with nothing in it: it was left out.',
      '1 × The color of an edge has no field: it was left out.',
      '1 × An edge of a group or of a missing node: it was left out.',
    ]);
  });
});
