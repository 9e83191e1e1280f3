import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import { routesOf } from '../../src/operations/declaration/route-binding.ts';
import { describedPaths } from '../../src/rest/service-paths.ts';
import { mcpTools } from '../requirements/mcp.ts';
import { restRoutes } from '../requirements/rest.ts';
import specifiedShapes from '../requirements/tool-shapes.json' with { type: 'json' };
import { shapeOf } from '../support/schema-shape.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';

/** The tools of the specification, in the order of its groups: the requirements list them so. */
const specified = Object.keys(mcpTools.now!).map((id) => id.slice('S.mcp.'.length));

/** A path without parameter names: the specification uses other names. */
const bare = (place: string): string => place.replace(/:\w+/g, ':');

/** The requirements of a section, built or not. */
function named(section: { readonly now?: object; readonly later?: object }, prefix: string): string[] {
  return [...Object.keys(section.now ?? {}), ...Object.keys(section.later ?? {})].map((id) => id.slice(prefix.length));
}

describe('the specified interface', () => {
  it('is 64 tools, the last three of them the collaboration tier, listed in its order of groups; others may be added [S.rule.7, S.limits.tools, A.documented-tools]', async () => {
    expect(specified).to.have.length(64);
    expect(specified.slice(-3)).to.deep.equal(['sync_pull', 'list_submissions', 'triage_submission']);
    const service = await TestService.start();
    try {
      const { tools } = await (await service.mcp()).sdk.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).to.deep.equal(catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name])));
      expect(names.filter((name) => specified.includes(name))).to.deep.equal(specified);
      const shapes = tools
        .filter(({ name }) => specified.includes(name))
        .map((tool) => [tool.name, shapeOf(tool.inputSchema)]);
      expect(Object.fromEntries(shapes)).to.deep.equal(specifiedShapes);
    } finally {
      await service.stop();
    }
  });

  it('has every row of the table of routes [A.documented-routes]', () => {
    const served = new Set([
      ...routesOf(catalogue).map(({ method, path }) => bare(`${method} ${path}`)),
      ...describedPaths.map(([method, path]) => bare(`${method} ${path}`)),
    ]);
    const rows = named(restRoutes, 'S.rest.');
    expect(rows.length).to.be.at.least(50);
    expect(rows.filter((row) => !served.has(bare(row)))).to.deep.equal([]);
  });

  it('is listed on a page that contains each tool and each route once [A.documented-routes, A.documented-tools]', () => {
    const page = readFileSync(join(repository, 'schemas/generated/INTERFACE.md'), 'utf8');
    const tools = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
    expect(tools).to.deep.equal(catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name])));
    const routes = [...page.matchAll(/^\| `([A-Z]+ \/\S*)` +\|/gm)].map(([, route]) => route);
    const declared = routesOf(catalogue).map(({ method, path }) => `${method} ${path}`);
    const ofService = describedPaths.map(([method, path]) => `${method} ${path}`);
    expect(routes).to.have.members([...declared, ...ofService]);
  });
});
