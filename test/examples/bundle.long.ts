import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';

const run = promisify(execFile);

describe('The bundle for desktop clients', function () {
  const scratch = scratchDirectory();

  it('is valid for the tool that packs it, and serves its tools [D11.plugins]', async () => {
    const [bundle, unpacked, root] = ['planner.mcpb', 'unpacked', 'root'].map((name) => join(scratch.path, name));
    await run(process.execPath, ['examples/plugins/mcpb/build.ts', bundle!], { cwd: repository });
    await run('npx', ['--yes', '@anthropic-ai/mcpb@2.1.2', 'unpack', bundle!, unpacked!], { cwd: repository });
    const { server } = JSON.parse(readFileSync(join(unpacked!, 'manifest.json'), 'utf8')) as {
      readonly server: { readonly mcp_config: { readonly args: readonly string[] } };
    };
    mkdirSync(root!);
    await run(process.execPath, [join(unpacked!, 'dist/main.js'), 'init'], { cwd: root! });
    const args = server.mcp_config.args.map((arg) =>
      arg.replace('${__dirname}', unpacked!).replace('${user_config.root}', root!),
    );
    const client = new Client({ name: 'test', version: '1' });
    // The home directory that `init` had, because it signs `local/` with a secret of the user.
    const env = process.env as Record<string, string>;
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: scratch.path }));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).to.include.members(['get_next_task', 'complete_goal']);
    } finally {
      await client.close();
    }
  });
});
