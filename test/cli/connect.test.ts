import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

const secretPattern = /pln_(?:owner|agent)_/;

/** The format of new roots. */
const format = { format: 2, planner: '0.2.0' };

describe('planner connect', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(() => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
  });

  const at = (path: string): string => join(shell.directory, path);
  const read = (path: string): string => readFileSync(at(path), 'utf8');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };

  it('binds a repository to a project and mints the agent key into .planner/token [D10.connect, S.auth.bearer]', async () => {
    mkdirSync(at('src/deep'), { recursive: true });
    const { project, files } = await shell.json(['connect', '--project', 'Web shop', '--create'], {
      cwd: at('src/deep'),
    });
    expect(JSON.parse(read('.planner/config.json'))).to.deep.equal({ ...format, project_id: project.id });
    expect(statSync(at('.planner/token')).mode & 0o777).to.equal(0o600);
    expect(read('.planner/token')).to.match(/^pln_agent_[A-Za-z0-9_-]{43}\n$/);
    expect(git(shell.directory, 'status', '--short', '--untracked-files=all')).not.to.include('token');
    expect(JSON.parse(read('.mcp.json'))).to.deep.equal({
      mcpServers: { planner: { command: 'planner', args: ['mcp'] } },
    });
    expect(read('.planner/AGENTS.md')).to.include('get_next_task').and.include('claim_task').and.include(project.id);
    expect(read('AGENTS.md')).to.include('.planner/AGENTS.md');
    expect(files.map(({ what }: { what: string }) => what)).to.deep.equal(Array(5).fill('written'));
    const { keys } = await shell.json(['keys', 'list']);
    expect(keys).to.have.length(1);
    expect(keys[0]).to.include({ kind: 'agent', project_id: project.id });
  });

  it('says what comes next, which plans are there to be imported, and what git makes of it [D10.connect]', async () => {
    write('TODO.md', '- [ ] Dig\n');
    write('.gitignore', '.planner\n');
    const said = await shell.ok(['connect']);
    expect(said).to.match(/\nNext: planner task add .*planner open/);
    expect(said).to.include('planner import TODO.md --into "repository"').and.include('Git ignores .planner');
    expect(await shell.ok(['import', 'TODO.md', '--into', 'repository'])).to.include('1 task was added');
    expect(await shell.ok(['connect'])).not.to.include('planner import');
    const outside = join(scratch.path, 'outside');
    mkdirSync(outside);
    expect(await shell.ok(['connect'], { cwd: outside })).to.include('git init keeps the history of the plan');
  });

  it('changes nothing when it runs again, and mints no second key', async () => {
    const options = ['--client', 'vscode', '--client', 'codex'];
    await shell.ok(['connect', '--project', 'Web shop', '--create', ...options]);
    const before = ['.planner/token', '.mcp.json', '.vscode/mcp.json', '.codex/config.toml', 'AGENTS.md'].map(read);
    const { files } = await shell.json(['connect', ...options]);
    expect(files.map(({ what }: { what: string }) => what)).to.deep.equal(Array(files.length).fill('unchanged'));
    expect(
      ['.planner/token', '.mcp.json', '.vscode/mcp.json', '.codex/config.toml', 'AGENTS.md'].map(read),
    ).to.deep.equal(before);
    expect((await shell.json(['keys'])).keys).to.have.length(1);
    // As in a clone.
    git(shell.directory, 'config', '--remove-section', 'merge.planner');
    expect((await shell.problems()).map(({ kind, severity }) => [kind, severity])).to.deep.equal([
      ['not_connected', 'note'],
    ]);
    await shell.ok(['connect']);
    expect(await shell.problems()).to.deep.equal([]);
  });

  it('reads files that begin with a byte order mark, and keeps it [D10.connect]', async () => {
    const mark = '\ufeff';
    write('.vscode/mcp.json', `${mark}{\r\n  "servers": {}\r\n}\r\n`);
    write('AGENTS.md', `${mark}# Rules\n`);
    await shell.ok(['connect', '--project', 'Web shop', '--create', '--client', 'vscode']);
    expect(read('.vscode/mcp.json')).to.match(/^\ufeff\{\r\n {2}"servers": \{\r\n {4}"planner": /);
    expect(read('AGENTS.md')).to.match(/^\ufeff# Rules\n/);
    write('.planner/config.json', mark + read('.planner/config.json'));
    const { files } = await shell.json(['connect', '--client', 'vscode']);
    expect(files.map(({ what }: { what: string }) => what)).to.deep.equal(Array(files.length).fill('unchanged'));
  });

  it('creates a new key if the existing one was revoked, is for another project, or is readable by others', async () => {
    await shell.ok(['connect', '--project', 'Web shop', '--create']);
    const first = read('.planner/token');
    const [key] = (await shell.json(['keys'])).keys;
    await shell.ok(['keys', 'revoke', key.id]);
    await shell.ok(['connect']);
    const second = read('.planner/token');
    expect(second).not.to.equal(first);
    await shell.ok(['connect', '--project', 'Warehouse', '--create']);
    expect(read('.planner/token')).not.to.equal(second);
    const third = read('.planner/token');
    writeFileSync(at('.planner/token'), third, { mode: 0o644 });
    await shell.ok(['doctor', '--fix']);
    expect(statSync(at('.planner/token')).mode & 0o777).to.equal(0o600);
    expect(read('.planner/token')).to.equal(third);
  });

  it('configures the common clients in their own files, and keeps entries of a person', async () => {
    const mine = {
      '.mcp.json':
        '{\n  // ours\n  "mcpServers": {\n    "other": { "command": "x", "args": ["y"] }, // keep\n  },\n}\n',
      '.cursor/mcp.json':
        '{"mcpServers": {"planner": {"command": "planner", "args": ["mcp", "--old"], "env": {"A": "b"}}}}',
      '.vscode/mcp.json':
        '{\n\t"servers": {\n\t\t"other": { "url": "http://127.0.0.1:1" } /* mine */\n\t},\n\t"inputs": []\n}\n',
      '.codex/config.toml': '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y" # keep\n',
      '.gemini/settings.json': '// settings\n{\n    "theme": "dark"\n}\n',
      'AGENTS.md': '# Ours\r\n\r\nBe kind.\r\n',
    };
    for (const [path, text] of Object.entries(mine)) write(path, text);
    const names = ['claude', 'cursor', 'vscode', 'codex', 'gemini', 'zed', 'opencode', 'windsurf'];
    const options = names.flatMap((name) => ['--client', name]);
    await shell.ok(['connect', '--project', 'Web shop', '--create', ...options]);
    expect(read('.mcp.json')).to.equal(
      '{\n  // ours\n  "mcpServers": {\n    "other": { "command": "x", "args": ["y"] }, // keep\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    },\n  },\n}\n',
    );
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.planner).to.deep.equal({
      command: 'planner',
      args: ['mcp'],
      env: { A: 'b' },
    });
    expect(read('.vscode/mcp.json')).to.include(
      '"other": { "url": "http://127.0.0.1:1" }, /* mine */\n\t\t"planner": {\n\t\t\t"type": "stdio",',
    );
    expect(read('.codex/config.toml')).to.equal(
      `${mine['.codex/config.toml']}\n# planner connect: begin\n[mcp_servers.planner]\ncommand = "planner"\nargs = ["mcp"]\n# planner connect: end\n`,
    );
    expect(read('.gemini/settings.json')).to.match(/^\/\/ settings\n\{\n {4}"theme": "dark",\n {4}"mcpServers": \{/);
    expect(read('AGENTS.md').startsWith(mine['AGENTS.md'])).to.equal(true);
    expect(read('AGENTS.md')).not.to.match(/[^\r]\n/);
    expect(JSON.parse(read('.zed/settings.json')).context_servers.planner.command).to.equal('planner');
    expect(JSON.parse(read('opencode.json')).mcp.planner).to.deep.equal({ type: 'local', command: ['planner', 'mcp'] });
    const windsurf = join(shell.home, '.codeium/windsurf/mcp_config.json');
    expect(JSON.parse(readFileSync(windsurf, 'utf8')).mcpServers.planner.args).to.deep.equal([
      'mcp',
      '--root',
      shell.directory,
    ]);
    const written = [
      ...Object.keys(mine),
      '.zed/settings.json',
      'opencode.json',
      '.planner/AGENTS.md',
      '.planner/config.json',
    ];
    for (const path of written) expect(read(path), path).not.to.match(secretPattern);
    expect(readFileSync(windsurf, 'utf8')).not.to.match(secretPattern);
  });

  it('writes the file that several clients read once, also if its client is named', async () => {
    const options = ['--create', '--client', 'claude', '--client', 'claude'];
    const { files } = await shell.json(['connect', '--project', 'Web shop', ...options]);
    expect(
      files.map(({ path }: { path: string }) => path).filter((path: string) => path === '.mcp.json'),
    ).to.deep.equal(['.mcp.json']);
  });

  it("leaves a user's own entry, a symbolic link, and a file that is not JSON unchanged", async () => {
    const own = '{"mcpServers": {"planner": {"type": "http", "url": "http://127.0.0.1:4321/mcp"}}}';
    write('.mcp.json', own);
    write('.codex/config.toml', '[mcp_servers.planner]\nurl = "http://127.0.0.1:4321/mcp"\n');
    writeFileSync(join(scratch.path, 'elsewhere.md'), 'mine');
    symlinkSync(join(scratch.path, 'elsewhere.md'), at('AGENTS.md'));
    const { files } = await shell.json(['connect', '--project', 'Web shop', '--create', '--client', 'codex']);
    const left = files
      .filter(({ what }: { what: string }) => what === 'left')
      .map(({ path }: { path: string }) => path);
    expect(left).to.deep.equal(['.mcp.json', '.codex/config.toml', 'AGENTS.md']);
    expect(read('.mcp.json')).to.equal(own);
    expect(readFileSync(join(scratch.path, 'elsewhere.md'), 'utf8')).to.equal('mine');
    write('.mcp.json', '{"mcpServers": ');
    expect(await shell.refused(1, ['connect'])).to.include('.mcp.json is not valid JSON (line 1');
    expect(read('.mcp.json')).to.equal('{"mcpServers": ');
  });

  it('updates its own section of AGENTS.md and nothing else', async () => {
    await shell.ok(['connect', '--project', 'Web shop', '--create']);
    const [begin = '', end = ''] = read('AGENTS.md').split(/\n## Plan[^]*?next\.\n/);
    write('AGENTS.md', `Before\n${begin}\nold text of ours\n${end}After\n`);
    await shell.ok(['connect']);
    expect(read('AGENTS.md')).to.match(/^Before\n<!-- planner connect: begin [^]*claim_task[^]*end -->\nAfter\n$/);
    expect(read('AGENTS.md')).not.to.include('old text of ours');
  });

  it('rejects a directory in which git would commit the key, and a home or root directory [D10.connect]', async () => {
    await shell.ok(['init']);
    writeFileSync(at('.planner/.gitignore'), 'token\nlocal/\n!token\n');
    expect(await shell.refused(1, ['connect', '--project', 'Web shop', '--create'])).to.include(
      'Git does not ignore .planner/token',
    );
    expect(existsSync(at('.planner/token'))).to.equal(false);
    expect(existsSync(at('.mcp.json'))).to.equal(false);
    writeFileSync(at('.planner/.gitignore'), 'token\nlocal/\n');
    writeFileSync(at('.planner/token'), 'old');
    git(shell.directory, 'add', '--force', '.planner/token');
    expect(await shell.refused(1, ['connect', '--project', 'Web shop'])).to.include('git rm --cached .planner/token');
    expect(read('.planner/token')).to.equal('old');
    for (const directory of [shell.home, '/']) {
      const errors = await shell.refused(1, ['connect', '--project', 'x', '--create'], { cwd: directory });
      expect(errors).to.match(/is (your home directory|the root directory)/);
      expect(existsSync(join(directory, '.planner'))).to.equal(false);
    }
  });

  it('lists the existing projects and the known clients', async () => {
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name": "Web shop"}']);
    expect(await shell.refused(1, ['connect', '--project', 'Shop']))
      .to.include('(Web shop)')
      .and.include('--create');
    expect(await shell.refused(2, ['connect', '--client', 'emacs'])).to.include('claude, cursor, vscode');
    expect(await shell.refused(2, ['connect', '--create'])).to.include('--project');
    await shell.ok(['connect']);
    expect(JSON.parse(read('.planner/config.json')).project_id).to.match(/^prj_/);
  });

  it('asks nothing in a fresh repository: makes .planner and a project named after it, binds it, and says so [D10.connect]', async () => {
    const output = await shell.ok(['connect']);
    const { project_id: id } = JSON.parse(read('.planner/config.json'));
    expect(output)
      .to.include(`is bound to repository (${id}).`)
      .and.include('.planner/config.json: created')
      .and.include('project repository: created, named after this directory');
    expect((await shell.json(['task', 'add', 'First'])).task.project_id).to.equal(id);
    expect(await shell.ok(['connect'])).not.to.include('created');
    await shell.ok(['call', 'create_project', '{"name": "Warehouse"}']);
    write('.planner/config.json', '{"format": 1}');
    expect(await shell.refused(2, ['connect']))
      .to.include('(repository)')
      .and.include('(Warehouse)')
      .and.include('--project <name> --create')
      .and.not.include('planner connect');
    write('.planner/config.json', '{"format": 1, "project_id": "prj_gone"}');
    expect(await shell.refused(2, ['connect'])).to.include('"prj_gone", which is not here');
  });

  it('leaves no trace if it fails [D10.connect]', async () => {
    const state = (): unknown => [
      git(shell.directory, 'status', '--short', '--untracked-files=all', '--ignored'),
      git(shell.directory, 'config', '--list', '--local'),
    ];
    write('.mcp.json', '{"mcpServers": ');
    const broken = state();
    expect(await shell.refused(1, ['connect'])).to.include('.mcp.json is not valid JSON');
    expect(state()).to.deep.equal(broken);
    write('.mcp.json', '{}\n');
    write('.cursor', 'a file, where a directory is needed');
    const before = state();
    expect(await shell.refused(1, ['connect', '--project', 'Web shop'])).to.include('with --create it is created');
    const nowhere = 'http://127.0.0.1:9';
    write('../home/.config/planner/credentials.json', JSON.stringify({ [nowhere]: 'pln_owner_x' }));
    expect(await shell.refused(1, ['connect', '--url', nowhere])).to.include(`No service responds at ${nowhere}`);
    expect((await shell.run(['connect', '--client', 'cursor'])).code).to.equal(1);
    expect(state()).to.deep.equal(before);
    await shell.ok(['init']);
    const configuration = read('.planner/config.json');
    const made = git(shell.directory, 'status', '--short', '--untracked-files=all');
    expect((await shell.run(['connect', '--client', 'cursor'])).code).to.equal(1);
    expect(git(shell.directory, 'status', '--short', '--untracked-files=all')).to.equal(made);
    expect([read('.planner/config.json'), read('.mcp.json')]).to.deep.equal([configuration, '{}\n']);
    expect((await shell.json(['keys'])).keys).to.deep.equal([]);
    expect((await shell.json(['call', 'list_projects'])).projects).to.deep.equal([]);
  });

  it("starts the planner of the repository's packages only if it is this package [A.hostile.programs]", async () => {
    write('node_modules/.bin/planner', '');
    await shell.ok(['connect']);
    expect(JSON.parse(read('.mcp.json')).mcpServers.planner.command).to.equal('planner');
    write('node_modules/@planner-app/planner/package.json', '{"name": "@planner-app/planner"}');
    await shell.ok(['connect', '--client', 'windsurf']);
    expect(JSON.parse(read('.mcp.json')).mcpServers.planner).to.deep.equal({
      command: 'npx',
      args: ['--no-install', 'planner', 'mcp'],
    });
    // A client that is configured at home may start it in another repository, whose program npx would run.
    expect(JSON.parse(read('../home/.codeium/windsurf/mcp_config.json')).mcpServers.planner).to.deep.equal({
      command: join(shell.directory, 'node_modules/.bin/planner'),
      args: ['mcp', '--root', shell.directory],
    });
  });

  it('binds to a remote service that the user has logged in to, with a key of that service [D10.connect]', async () => {
    const service = await TestService.start();
    try {
      const id = await service.project('Far away');
      expect(await shell.refused(1, ['connect', '--url', service.url, '--project', 'Far away'])).to.include(
        'planner login',
      );
      await shell.ok(['login', service.url]);
      expect(await shell.ok(['connect', '--url', service.url, '--project', 'far away']))
        .to.include(`.planner/projects: created; the plan itself is at ${service.url}`)
        .and.not.include('one directory per project');
      expect(JSON.parse(read('.planner/config.json'))).to.deep.equal({
        ...format,
        project_id: id,
        server_url: service.url,
      });
      const authorization = `Bearer ${read('.planner/token').trim()}`;
      const seen = (await service.rest.get('/projects', { Authorization: authorization })).body.projects;
      expect(seen.map((project: { id: string }) => project.id)).to.deep.equal([id]);
      // From here on the commands of this repository mean that service.
      expect((await shell.json(['task', 'add', 'From afar'])).task.project_id).to.equal(id);
      expect((await service.rest.get(`/projects/${id}/tasks`)).body.tasks).to.have.length(1);
      expect(await shell.ok(['disconnect'])).to.include(`its plan is still at ${service.url}.`);
    } finally {
      await service.stop();
    }
  });

  it('sends nothing to a service that a repository names and the user never confirmed [A.hostile.service]', async () => {
    await shell.ok(['init']);
    write('.planner/config.json', JSON.stringify({ format: 1, server_url: 'https://plan.example.org' }));
    expect(await shell.refused(1, ['task', 'list'])).to.include(
      `you have not confirmed it for this directory: run planner login https://plan.example.org in ${shell.directory}`,
    );
  });
});
