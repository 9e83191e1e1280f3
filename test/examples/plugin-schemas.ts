/**
 * The requirements of published formats for the files that we write, in the members that we use; other members are
 * rejected.
 *
 * - MCP registry: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json
 * - Agent Plugins 1.0.0: https://agent-plugins.org/schemas/1.0.0/plugin.schema.json and mcp.schema.json
 * - Claude Code: https://www.schemastore.org/claude-code-plugin-manifest.json and claude-code-marketplace.json
 * - MCP bundles 0.3: mcpb-manifest-v0.3.schema.json of the package @anthropic-ai/mcpb; the long test runs its validator
 */

const string = { type: 'string', minLength: 1 };
const strings = { type: 'array', items: { type: 'string' } };
const https = { type: 'string', pattern: '^https://[^\\s]+$' };
const semver = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?$' };
const kebab = { type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 64 };

/** An object with these members alone. */
function object(required: Record<string, object>, optional: Record<string, object> = {}): object {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

const input = { description: string, format: { enum: ['string', 'number', 'boolean', 'filepath'] } };

export const registryEntry = object(
  {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: semver,
    packages: {
      type: 'array',
      minItems: 1,
      items: object(
        {
          registryType: { enum: ['npm', 'pypi', 'oci', 'nuget', 'mcpb'] },
          identifier: string,
          // A range or `latest` is rejected.
          version: semver,
          transport: object({ type: { const: 'stdio' } }),
        },
        {
          registryBaseUrl: https,
          runtimeHint: string,
          packageArguments: { type: 'array', items: object({ type: { const: 'positional' }, value: string }) },
          environmentVariables: {
            type: 'array',
            items: object(
              { name: string },
              { ...input, isRequired: { type: 'boolean' }, isSecret: { type: 'boolean' } },
            ),
          },
        },
      ),
    },
  },
  {
    title: { type: 'string', minLength: 1, maxLength: 100 },
    websiteUrl: https,
    repository: object({ url: https, source: string }, { subfolder: string }),
  },
);

const about = {
  version: semver,
  description: string,
  author: object({ name: string }, { email: string, url: https }),
  homepage: https,
  repository: https,
  license: string,
  keywords: strings,
};

export const claudePlugin = object({ name: kebab }, about);

export const claudeMarketplace = object({
  name: kebab,
  owner: object({ name: string }),
  plugins: {
    type: 'array',
    minItems: 1,
    items: object({ name: kebab, source: { type: 'string', pattern: '^\\./' } }, { description: string }),
  },
});

const program = { command: string, args: strings };

export const claudeServers = object({ mcpServers: { type: 'object', additionalProperties: object(program) } });

export const agentPlugin = object(
  { $schema: { const: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json' }, name: kebab },
  about,
);

export const agentPluginServers = object({
  $schema: { const: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json' },
  mcpServers: { type: 'object', additionalProperties: object({ type: { const: 'stdio' }, ...program }) },
});

export const bundle = object(
  {
    manifest_version: { const: '0.3' },
    name: kebab,
    version: semver,
    description: string,
    author: about.author,
    server: object({
      type: { enum: ['python', 'node', 'binary'] },
      entry_point: string,
      mcp_config: object(program),
    }),
  },
  {
    display_name: string,
    repository: object({ type: string, url: https }),
    homepage: https,
    license: string,
    keywords: strings,
    tools_generated: { type: 'boolean' },
    compatibility: object(
      {},
      {
        platforms: { type: 'array', items: { enum: ['darwin', 'win32', 'linux'] } },
        runtimes: object({ node: string }),
      },
    ),
    user_config: {
      type: 'object',
      additionalProperties: object(
        {
          type: { enum: ['string', 'number', 'boolean', 'directory', 'file'] },
          title: string,
          description: string,
        },
        { required: { type: 'boolean' } },
      ),
    },
  },
);
