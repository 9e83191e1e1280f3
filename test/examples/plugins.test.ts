import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import matter from 'gray-matter';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import { repository } from '../support/server-process.ts';
import * as schemas from './plugin-schemas.ts';

const text = (path: string): string => readFileSync(join(repository, path), 'utf8');
const json = (path: string): Record<string, unknown> => JSON.parse(text(path)) as Record<string, unknown>;
const plugin = 'examples/plugins/planner';

describe('The plugins', () => {
  const { name, version, mcpName } = json('package.json') as Record<'name' | 'version' | 'mcpName', string>;
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });

  for (const [path, schema] of [
    ['server.json', schemas.registryEntry],
    [`${plugin}/plugin.json`, schemas.agentPlugin],
    [`${plugin}/mcp.json`, schemas.agentPluginServers],
    [`${plugin}/.claude-plugin/plugin.json`, schemas.claudePlugin],
    [`${plugin}/.mcp.json`, schemas.claudeServers],
    ['examples/plugins/.claude-plugin/marketplace.json', schemas.claudeMarketplace],
    ['examples/plugins/mcpb/manifest.json', schemas.bundle],
  ] as const)
    it(`${path} is as its format requires [D11.plugins]`, () => {
      const validate = ajv.compile(schema);
      validate(json(path));
      expect(validate.errors ?? []).to.deep.equal([]);
      expect(validate({ ...json(path), name: 'Not a name!' }), 'a wrong name').to.equal(false);
      expect(validate({}), 'an empty file').to.equal(false);
    });

  it('name the package and its version [D11.plugins]', () => {
    const entry = json('server.json') as { readonly name: string; readonly packages: readonly object[] };
    expect(entry.name).to.equal(mcpName);
    expect(entry.packages).to.have.length(1);
    expect(entry.packages[0]).to.include({ identifier: name, version });
    for (const path of [
      'server.json',
      `${plugin}/plugin.json`,
      `${plugin}/.claude-plugin/plugin.json`,
      'examples/plugins/mcpb/manifest.json',
    ])
      expect(json(path)['version'], path).to.equal(version);
  });

  it('start the installed program, and fetch no package whose scope anybody could reserve [D11.plugins]', () => {
    const program = { command: 'planner', args: ['mcp'] };
    expect(json(`${plugin}/.mcp.json`)['mcpServers']).to.deep.equal({ planner: program });
    expect(json(`${plugin}/mcp.json`)['mcpServers']).to.deep.equal({ planner: { type: 'stdio', ...program } });
  });

  it('have skills that name tools of the catalogue, and no others [D11.plugins]', () => {
    const tools = new Set(catalogue.map((operation) => operation.name));
    const paths = globSync(`${plugin}/skills/*/SKILL.md`, { cwd: repository });
    expect(paths.map((path) => basename(dirname(path))).sort()).to.deep.equal([
      'import-plan',
      'plan-work',
      'review-results',
      'work-next-task',
    ]);
    expect(readdirSync(join(repository, plugin, 'skills'))).to.have.length(paths.length);
    for (const path of paths) {
      const { data, content } = matter(text(path));
      expect(Object.keys(data), path).to.have.members(['name', 'description']);
      expect(data['name']).to.equal(basename(dirname(path)));
      expect(String(data['description']).length).to.be.within(40, 1024);
      const spans = [...content.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, span]) => span!);
      const named = spans.filter((span) => !inputMembers.has(span));
      expect(named.length, path).to.be.greaterThan(3);
      for (const span of named) expect(tools.has(span), `${path}: ${span}`).to.equal(true);
    }
  });
});

/** Members of inputs and of recordsthat the skills name, besides tools. */
const inputMembers = new Set(['agent_ref', 'commit_refs', 'depends_on', 'lease_seconds', 'verification_surface']);
