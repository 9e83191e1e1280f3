import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { checkRootFiles } from '../../src/store/files/root/root-check.ts';
import type { RootProblem } from '../../src/store/files/root/root-check.ts';
import { makeRoot } from '../../src/store/files/disk/root-files.ts';
import { RootLayout } from '../../src/store/files/disk/root-layout.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe("The check of a root's own files", () => {
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);
  const layout = (): RootLayout => new RootLayout(scratch.path);
  const projects = new Set(['prj_here']);
  const check = (format = 1): readonly RootProblem[] => checkRootFiles(nodeDisk, layout(), projects, format);
  const settings = (content: unknown): void => writeFileSync(at('config.json'), JSON.stringify(content));

  /** The only thing that is wrong. */
  function only(format?: number): RootProblem {
    const found = check(format);
    expect(found.map(({ problem }) => `${problem.kind}: ${problem.reason}`)).to.have.length(1);
    return found[0]!;
  }

  beforeEach(() => makeRoot(nodeDisk, layout(), { known: [], signLocal: () => undefined }));

  it('finds nothing in a new root, or without settings', () => {
    expect(check()).to.deep.equal([]);
    rmSync(at('config.json'));
    expect(check()).to.deep.equal([]);
    writeFileSync(at('config.json'), 'null');
    expect(check()).to.deep.equal([]);
  });

  it('does not advise to bind another project if the bound one has no readable file [A.project.listed]', () => {
    settings({ format: 1, project_id: 'prj_4n0c2m8w1x7k9q3f' });
    expect(only().problem.kind).to.equal('settings');
    expect(checkRootFiles(nodeDisk, layout(), projects, 1, ['shop-4n0c2m'])).to.deep.equal([]);
    expect(checkRootFiles(nodeDisk, layout(), projects, 1, ['shop-5n0c2m'])).to.have.length(1);
  });

  describe('of config.json', () => {
    const path = '.planner/config.json';

    it('reports settings that are not a JSON object, whatever other errors there are', () => {
      const remedy = 'Repair the file in an editor: it is a JSON object like {"format": 1, "project_id": "prj_..."}.';
      writeFileSync(at('config.json'), '{"format": ');
      const { problem, repair } = only();
      expect(problem).to.include({ path, kind: 'unreadable', remedy });
      expect(problem.reason).to.match(/config\.json cannot be read: it is not JSON/);
      expect(repair).to.equal(undefined);
      for (const content of [[], 'text', 5, true]) {
        settings(content);
        const reason = 'It does not contain a JSON object.';
        expect(only(), JSON.stringify(content)).to.deep.equal({ problem: { path, kind: 'settings', reason, remedy } });
      }
    });

    it('reports a setting with an invalid value', () => {
      for (const [content, reason, remedy] of [
        [{ project_id: 5 }, 'project_id is not a string.', { code: 'set_project' }],
        [{ project_id: null }, 'project_id is not a string.', { code: 'set_project' }],
        [
          { project_id: 'prj_gone' },
          'It binds the project prj_gone, which does not exist here.',
          { code: 'bind_project' },
        ],
        [{ server_url: 5 }, 'server_url is not a string.', 'Set it to the URL of the service, or remove the line.'],
        ...['comments', ['comments', 'all'], [5], {}, null].map(
          (hidden) =>
            [
              { private: hidden },
              'private is not a list of parts that can be private.',
              'It may name submissions, comments, runs, history.',
            ] as const,
        ),
      ] as const) {
        settings(content);
        const problem = { path, kind: 'settings', reason, remedy };
        expect(only(), JSON.stringify(content)).to.deep.equal({ problem });
      }
    });

    it('accepts a project that exists here, or in another service', () => {
      for (const content of [
        { project_id: 'prj_here' },
        { project_id: 'prj_there', server_url: 'https://plans.example' },
        { server_url: 'https://plans.example', private: [] },
      ]) {
        settings(content);
        expect(check(), JSON.stringify(content)).to.deep.equal([]);
      }
    });

    it('reports another format than the files were opened as', () => {
      settings({ format: 2 });
      const reason = 'It has format 2, and the files are served as format 1.';
      const remedy = 'Restart the service, which upgrades older files, or check out the branch that it started with.';
      expect(only()).to.deep.equal({ problem: { path, kind: 'format', reason, remedy } });
      expect(check(2)).to.deep.equal([]);
      // The first check has no settings.
      settings({});
      expect(check(1)).to.deep.equal([]);
      expect(only(2).problem.reason).to.equal('It has format 1, and the files are served as format 2.');
    });
  });

  describe("of git's files", () => {
    it('adds missing lines below text by a person, to the present file', () => {
      settings({ private: ['comments', 'runs'] });
      writeFileSync(at('.gitignore'), '  token  \n# mine');
      const { problem, repair, harmless } = only();
      expect(problem).to.deep.equal({
        path: '.planner/.gitignore',
        kind: 'not_ignored',
        reason: '"local/", "projects/*/comments/", "projects/*/runs/" are missing.',
        remedy: { code: 'add_lines' },
      });
      expect(harmless).to.equal(false);
      writeFileSync(at('.gitignore'), 'token\n# mine\nnotes');
      expect(repair!()).to.equal('.planner/.gitignore got local/, projects/*/comments/, projects/*/runs/.');
      const repaired = 'token\n# mine\nnotes\nlocal/\nprojects/*/comments/\nprojects/*/runs/\n';
      expect(readFileSync(at('.gitignore'), 'utf8')).to.equal(repaired);
      expect(check()).to.deep.equal([]);
    });

    it('adds no blank line, and creates a missing file', () => {
      writeFileSync(at('.gitignore'), '/token\n');
      expect(only().problem.reason).to.equal('"local/" is missing.');
      only().repair!();
      expect(readFileSync(at('.gitignore'), 'utf8')).to.equal('/token\nlocal/\n');
      rmSync(at('.gitignore'));
      const { repair } = only();
      repair!();
      expect(readFileSync(at('.gitignore'), 'utf8')).to.equal('token\nlocal/\n');
      rmSync(at('.gitignore'));
      repair!();
      expect(readFileSync(at('.gitignore'), 'utf8')).to.equal('token\nlocal/\n');
    });

    it('considers missing merge attributes harmless, and missing line endings not', () => {
      writeFileSync(at('.gitattributes'), '');
      const found = check();
      expect(found.map(({ problem, harmless }) => [problem.path, problem.kind, harmless])).to.deep.equal([
        ['.planner/.gitattributes', 'line_endings', false],
        ['.planner/.gitattributes', 'merge_attributes', true],
      ]);
      expect(found[0]!.problem.reason).to.equal('"* -text" is missing.');
      for (const { repair } of found) repair!();
      expect(readFileSync(at('.gitattributes'), 'utf8')).to.match(/^\* -text\nconfig\.json merge=planner\nprojects\//);
      expect(check()).to.deep.equal([]);
    });

    it('leaves anything but a regular file to the user', () => {
      rmSync(at('.gitignore'));
      symlinkSync(at('.gitattributes'), at('.gitignore'));
      const reason = 'It is not a regular file, so git does not read it.';
      const problem = { path: '.planner/.gitignore', kind: 'not_ignored', reason, remedy: 'Put a regular file there.' };
      expect(only()).to.deep.equal({ problem });
    });
  });

  it('makes a token private, and leaves anything but a regular file unchanged', () => {
    const problem = { path: '.planner/token', kind: 'open_token' };
    writeFileSync(at('token'), 'pln_agent_x\n', { mode: 0o600 });
    expect(check()).to.deep.equal([]);
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(at('token'), mode);
      const { repair, ...rest } = only();
      expect(rest.problem).to.deep.equal({
        ...problem,
        reason: `Other users of this machine may read the key (mode ${mode.toString(8)}).`,
        remedy: { code: 'close_token' },
      });
      expect(repair!()).to.equal('.planner/token is closed to other users.');
      expect(statSync(at('token')).mode & 0o777).to.equal(0o600);
      expect(readFileSync(at('token'), 'utf8')).to.equal('pln_agent_x\n');
    }
    rmSync(at('token'));
    mkdirSync(at('token'));
    const remedy = { code: 'replace_token' };
    expect(only()).to.deep.equal({ problem: { ...problem, reason: 'It is not a regular file.', remedy } });
  });

  it('removes the note of a service that has ended, and leaves the note of this process', () => {
    const note = at('local/server.json');
    writeFileSync(note, JSON.stringify({ url: 'http://127.0.0.1:9', pid: process.pid }));
    expect(check()).to.deep.equal([]);
    for (const content of [JSON.stringify({ pid: 1 }), '{}', '[]', '{"pid": ']) {
      writeFileSync(note, content);
      const { problem, harmless, repair } = only();
      expect(problem, content).to.deep.equal({
        path: '.planner/local/server.json',
        kind: 'stale_server',
        reason: 'It names a service that has ended.',
        remedy: 'No action is needed; the next service replaces it.',
      });
      expect(harmless).to.equal(true);
      expect(repair!()).to.equal('.planner/local/server.json, left behind by a service that was killed, was removed.');
      expect(existsSync(note)).to.equal(false);
    }
  });
});
