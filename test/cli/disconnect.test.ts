import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner disconnect', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(() => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
  });

  const at = (path: string): string => join(shell.directory, path);
  const read = (path: string): string => readFileSync(at(path), 'utf8');
  const names = ['claude', 'cursor', 'vscode', 'codex', 'gemini', 'zed', 'opencode', 'windsurf'];
  const clients = names.flatMap((name) => ['--client', name]);

  it('removes what connect made, revokes its key and keeps the plan', async () => {
    const before = [git(shell.directory, 'config', '--list', '--local'), git(shell.directory, 'status', '--short')];
    await shell.ok(['connect', ...clients]);
    await shell.ok(['task', 'add', 'Dig']);
    const windsurf = join(shell.home, '.codeium/windsurf/mcp_config.json');
    expect(existsSync(windsurf)).to.equal(true);
    const { files, settings, notes } = await shell.json(['disconnect']);
    expect(files.map(({ path, what }: { path: string; what: string }) => `${path} ${what}`)).to.deep.equal([
      '.planner/token removed',
      '.planner/config.json changed',
      '.mcp.json removed',
      '.cursor/mcp.json removed',
      '.vscode/mcp.json removed',
      '.codex/config.toml removed',
      '.gemini/settings.json removed',
      '.zed/settings.json removed',
      'opencode.json removed',
      '~/.codeium/windsurf/mcp_config.json removed',
      '.planner/AGENTS.md removed',
      'AGENTS.md removed',
    ]);
    expect(settings).to.include('merge.planner.driver').and.include('planner.root');
    expect(notes).to.deep.equal([]);
    expect(git(shell.directory, 'config', '--list', '--local')).to.equal(before[0]);
    expect(git(shell.directory, 'status', '--short')).to.equal(`${before[1]}?? .planner/\n`);
    expect(existsSync(at('.cursor'))).to.equal(false);
    expect((await shell.json(['keys'])).keys).to.deep.equal([]);
    expect(JSON.parse(read('.planner/config.json'))).to.deep.equal({ format: 2, planner: '0.2.0' });
    expect(await shell.ok(['task', 'list'])).to.include('Dig');
    expect(await shell.ok(['disconnect'])).to.include('is not connected');
    await shell.ok(['connect']);
    expect(read('.planner/token')).to.match(/^pln_agent_/);
  });

  it('keeps text by a person byte by byte, and entries that are their own', async () => {
    const mine: Readonly<Record<string, string>> = {
      '.mcp.json':
        '{\n  // ours\n  "mcpServers": {\n    "other": { "command": "x", "args": ["y"] }, // keep\n  },\n}\n',
      '.vscode/mcp.json':
        '{\n\t"servers": {\n\t\t"other": { "url": "http://127.0.0.1:1" } /* mine */\n\t},\n\t"inputs": []\n}\n',
      '.codex/config.toml': '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y" # keep\n',
      '.gemini/settings.json': '// settings\n{\n    "theme": "dark"\n}\n',
      'opencode.json': '{"mcp": {"other": {"type": "local", "command": ["x"]}}}\n',
      '.zed/settings.json': '\ufeff{\r\n  "theme": "One",\r\n  "tabs": 2\r\n}\r\n',
      'AGENTS.md': '# Ours\r\n\r\nBe kind.\r\n',
      '.cursor/mcp.json': '{"mcpServers": {"planner": {"type": "http", "url": "http://127.0.0.1:4321/mcp"}}}',
    };
    for (const [path, text] of Object.entries(mine)) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    }
    await shell.ok(['connect', ...clients]);
    expect(read('.gemini/settings.json')).not.to.equal(mine['.gemini/settings.json']);
    expect(await shell.ok(['disconnect']))
      .to.include('AGENTS.md: changed')
      .and.include('its plan is still in .planner');
    for (const [path, text] of Object.entries(mine)) expect(read(path), path).to.equal(text);
  });
});
