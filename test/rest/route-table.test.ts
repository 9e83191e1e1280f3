import { expect } from 'chai';
import { RouteTable } from '../../src/rest/route-table.ts';

describe('the route table', () => {
  const table = new RouteTable<string>();
  table.add('GET', '/projects', 'list');
  table.add('POST', '/projects', 'create');
  table.add('POST', '/projects/import', 'import');
  table.add('GET', '/projects/:project_id', 'get');
  table.add('DELETE', '/projects/:project_id/edges/:edge_id', 'delete edge');
  table.add('GET', '/projects/import/:part', 'part');

  it('names the parameters of a path, decoded', () => {
    expect(table.find('DELETE', '/projects/p%201/edges/e')).to.deep.equal({
      target: 'delete edge',
      parameters: { project_id: 'p 1', edge_id: 'e' },
    });
  });

  it('prefers a fixed segment, and backtracks if it leads nowhere', () => {
    expect(table.find('POST', '/projects/import')).to.deep.include({ target: 'import' });
    expect(table.find('GET', '/projects/import')).to.deep.equal({ allow: ['POST'] });
    expect(table.find('DELETE', '/projects/import/edges/e')).to.deep.equal({
      target: 'delete edge',
      parameters: { project_id: 'import', edge_id: 'e' },
    });
  });

  it('serves HEAD with the target of GET', () => {
    expect(table.find('HEAD', '/projects')).to.deep.include({ target: 'list' });
    expect(table.find('HEAD', '/projects/import')).to.deep.equal({ allow: ['POST'] });
  });

  it('lists the methods that a path accepts', () => {
    expect(table.find('PUT', '/projects')).to.deep.equal({ allow: ['GET', 'HEAD', 'POST'] });
  });

  it('accepts one final slash, and no empty segment', () => {
    expect(table.find('GET', '/projects/')).to.deep.include({ target: 'list' });
    for (const path of ['/', '', '/projects//', '//projects', '/projects/p/edges', '/unknown']) {
      expect(table.find('GET', path), path).to.equal(undefined);
    }
  });

  it('removes the extension of a parameter that has one', () => {
    const links = new RouteTable<string>();
    links.add('GET', '/share/:token.md', 'markdown');
    links.add('GET', '/share/:token/files/:file_id', 'file');
    links.add('GET', '/share/:token', 'other');
    expect(links.find('GET', '/share/abc.md')).to.deep.equal({ target: 'markdown', parameters: { token: 'abc' } });
    expect(links.find('GET', '/share/a.b.md')).to.deep.equal({ target: 'markdown', parameters: { token: 'a.b' } });
    for (const token of ['abc', 'abcdef', 'abc.mdx'])
      expect(links.find('GET', `/share/${token}`)).to.deep.equal({ target: 'other', parameters: { token } });
    expect(links.find('GET', '/share/.md')).to.deep.equal({ target: 'other', parameters: { token: '.md' } });
    expect(links.find('GET', '/share/abc.md/files/f')).to.deep.equal({
      target: 'file',
      parameters: { token: 'abc.md', file_id: 'f' },
    });
  });

  it('rejects two targets for one route', () => {
    expect(() => table.add('GET', '/projects/:id', 'other')).to.throw('Two operations claim GET /projects/:id');
  });

  it('throws for a parameter that is not percent-encoded text', () => {
    expect(() => table.find('GET', '/projects/%zz')).to.throw(URIError);
  });
});
