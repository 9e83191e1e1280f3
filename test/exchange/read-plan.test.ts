import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ImportReport } from '../../src/domain/records/collections.ts';
import { readGithub } from '../../src/exchange/github.ts';
import { treeInMemory, treeOnDisk } from '../../src/exchange/plan-files.ts';
import { findPlan, readPlan } from '../../src/exchange/read-plan.ts';
import type { FoundPlan } from '../../src/exchange/read-plan.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { documentOf } from '../support/draft-document.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

const issue = JSON.stringify({
  id: 'a-1',
  title: 'Dig',
  status: 'open',
  priority: 2,
  dependencies: [{ depends_on_id: 'a-2', type: 'blocks' }],
});
const other = JSON.stringify({
  id: 'a-2',
  title: 'Buy',
  status: 'closed',
  labels: ['soil'],
  description: '<script>x</script>',
});
const task = '---\nid: BACK-1\ntitle: Dig\nstatus: Done\n---\n\nDeep.\n';

describe('Finding a plan', () => {
  const scratch = scratchDirectory();
  const put = (path: string, text: string): string => {
    const whole = join(scratch.path, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  };
  const from = (path: string): string => {
    const found = read(path);
    return found.kind === 'export' ? 'export' : found.report.from;
  };
  const read = (path: string, choice?: string): FoundPlan => {
    const isFile = nodeDisk.stat(path)?.kind === 'file';
    const tree = treeOnDisk(nodeDisk, isFile ? dirname(path) : path);
    const plan = findPlan(tree, isFile ? basename(path) : '', choice);
    return readPlan(tree, plan, { name: 'Plan', withDeleted: false });
  };
  const refused = (path: string): string => {
    try {
      return from(path);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('reads the file of a plan once, to find it and to import it [D9.moving.found]', () => {
    for (const [path, text] of [
      ['issues.jsonl', `${issue}\n${other}\n`],
      ['tasks.json', '{"master":{"tasks":[{"id":1,"title":"Dig"}]}}'],
      ['a.md', '- [ ] Dig\n'],
    ] as const) {
      let reads = 0;
      const files = new Map<string, Uint8Array>([[path, Buffer.from(text)]]);
      const tree = { ...treeInMemory(files), bytes: (one: string) => (reads++, files.get(one)!) };
      const found = readPlan(tree, findPlan(tree, path), { name: 'Plan', withDeleted: false });
      expect(found.kind).to.equal('moved');
      expect(reads, path).to.equal(1);
    }
  });

  it('detects plans from the content, in a file, a directory or a repository [D9.moving.found]', () => {
    expect(from(put('a/issues.jsonl', `${issue}\n${other}\n`))).to.equal('beads');
    expect(from(put('a/b.canvas', '{"nodes":[{"id":"1","type":"text","text":"Dig"}]}'))).to.equal('JSON Canvas');
    expect(from(put('a/c.json', '{"nodes":[{"id":"1","type":"text","text":"Dig"}],"edges":[]}'))).to.equal(
      'JSON Canvas',
    );
    expect(from(put('a/tasks.json', '{"master":{"tasks":[{"id":1,"title":"Dig"}]}}'))).to.equal('Taskmaster');
    expect(
      from(
        put('a/desk.json', '{"format":"plandesk-export-v3","project":{"name":"x"},"tasks":[{"id":"1","label":"Dig"}]}'),
      ),
    ).to.equal('Plan Desk');
    expect(from(put('a/ours.json', '{"format":"planner-export-v1","project":{}}'))).to.equal('export');
    expect(from(put('a/late.json', '{"project":{},"format":"planner-export-v2"}'))).to.equal('export');
    put('one/backlog/tasks/back-1 - Dig.md', task);
    expect([from(join(scratch.path, 'one')), from(join(scratch.path, 'one/backlog'))]).to.deep.equal([
      'Backlog.md',
      'Backlog.md',
    ]);
    put('two/.beads/issues.jsonl', issue);
    expect(from(join(scratch.path, 'two'))).to.equal('beads');
    put('three/.taskmaster/tasks/tasks.json', '{"tasks":[{"id":1,"title":"Dig"}]}');
    const below = ['', '.taskmaster', '.taskmaster/tasks', '.taskmaster/tasks/tasks.json'];
    expect(below.map((path) => from(join(scratch.path, 'three', path)))).to.deep.equal(below.map(() => 'Taskmaster'));
    put('four/.beads/beads.jsonl', issue);
    const inBeads = ['', '.beads', '.beads/beads.jsonl'];
    expect(inBeads.map((path) => from(join(scratch.path, 'four', path)))).to.deep.equal(inBeads.map(() => 'beads'));
  });

  it('is not misled by names: directories and files of other tools are no plans [D9.moving.found]', () => {
    // A repository of Taskmaster with a text next to the tasks, and one with roles of Ansible.
    put('mixed/tasks/prd.md', '# What we want\n');
    put('mixed/tasks/tasks.json', '{"master":{"tasks":[{"id":1,"title":"Dig"}]}}');
    expect(from(join(scratch.path, 'mixed'))).to.equal('Taskmaster');
    put('roles/tasks/main.yml', '- name: install\n');
    put('roles/tasks/notes.md', '# Notes\n');
    put('roles/config.yml', 'site: example\n');
    expect(refused(join(scratch.path, 'roles'))).to.match(/roles contains no known plan\. Supported are/);
    put('roles/.beads/issues.jsonl', issue);
    expect(from(join(scratch.path, 'roles'))).to.equal('beads');
    expect(refused(put('a/log.jsonl', '{"a":1}\n{"a":2}\n'))).to.match(/log\.jsonl is not a known plan/);
    expect(refused(put('a/empty.jsonl', '\n'))).to.match(/empty\.jsonl is not a known plan: it is empty\./);
    expect(from(put('a/dump.txt', `${issue}\n${other}\n`))).to.equal('beads');
  });

  it('lists the plans if there are several, and reads the one that is named [D9.moving.found]', () => {
    put('many/.beads/issues.jsonl', issue);
    put('many/backlog/tasks/back-1 - Dig.md', task);
    put('many/tasks.json', '{"tasks":[{"id":1,"title":"Dig"}]}');
    const many = join(scratch.path, 'many');
    expect(refused(many)).to.equal(
      'There are several plans: backlog-md (backlog), beads (.beads/issues.jsonl), taskmaster (tasks.json). Choose one by a format of them in `from` (`--from` of the command line).',
    );
    const chosen = ['beads', 'backlog', 'tasks.json'].map((one) => {
      const found = read(many, one);
      return found.kind === 'moved' && found.report.from;
    });
    expect(chosen).to.deep.equal(['beads', 'Backlog.md', 'Taskmaster']);
    expect(() => read(many, 'asana')).to.throw('from is "asana"; the formats are planner, backlog-md, beads');
    put('twice/.beads/issues.jsonl', issue);
    put('twice/.beads/beads.jsonl', other);
    expect(refused(join(scratch.path, 'twice'))).to.match(
      /Choose one by a path of them in `from` \(`--from` of the command line\)\.$/,
    );
    expect(read(join(scratch.path, 'twice'), '.beads/beads.jsonl')).to.deep.include({ kind: 'moved' });
  });

  it('names the format and the place of what a reader rejects [D9.moving.found]', () => {
    expect(refused(put('a/half.jsonl', `${issue}\n${other}\n{"id":\n`))).to.equal(
      'beads, half.jsonl: Line 3 is not an issue: beads has one JSON object per line.',
    );
    const file = put('a/foreign.jsonl', '{"a":1}\n');
    expect(() => read(file, 'beads')).to.throw(/^beads, foreign\.jsonl: Line 1 is not an issue/);
    expect(() => read(file, 'taskmaster')).to.throw('taskmaster, foreign.jsonl: The file has no tasks');
  });

  it('names conflicts of git, with the lines of each, and says to resolve them first [D9.moving.conflicts]', () => {
    const advice = ': resolve the conflict first: merge the two versions and remove the markers.';
    const between = (ours: string, theirs: string): string => `<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> other\n`;
    expect(refused(put('c/issues.jsonl', `${issue}\n${between(`${other}\n`, '')}`))).to.equal(
      `issues.jsonl: Conflict markers of git in lines 2-5${advice}`,
    );
    const master = (title: string): string => `{"master":{"tasks":[{"id":1,"title":"${title}"}]}}\n`;
    put('d/.taskmaster/tasks/tasks.json', between(master('Dig'), master('Sow')));
    expect(refused(join(scratch.path, 'd'))).to.include(
      '.taskmaster/tasks/tasks.json cannot be read: Conflict markers',
    );
    expect(refused(put('c/todo.txt', between('(A) Dig\n', '(B) Dig\n')))).to.match(
      /^todo\.txt: .*in lines 1-5: resolve/,
    );
    const head = 'ID,Team,Title,Description,Status,Parent issue\n';
    expect(refused(put('c/linear.csv', `${head}${between('A-1,A,Dig,,Todo,\n', 'A-1,A,Sow,,Todo,\n')}`))).to.equal(
      `linear.csv: Conflict markers of git in lines 2-6${advice}`,
    );
    // A text about conflicts is no conflict.
    expect(from(put('c/quoted.csv', `${head}A-1,A,Dig,"How:\n${between('a\n', 'b\n')}",Todo,\n`))).to.equal('Linear');
    const row = '"1","T","Dig",""\n';
    put('e/issues.csv', `"Issue ID","Title","Assignee(s)","Parent Issue"\n${between(row, row)}`);
    expect(refused(join(scratch.path, 'e'))).to.include('Conflict markers of git in lines 2-6');
  });

  it('leaves out the files of a directory that have conflicts, and names their lines [D9.moving.conflicts]', () => {
    const conflict = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n';
    put('f/backlog/config.yml', 'project_name: Garden\nstatuses: [To Do]\n');
    put('f/backlog/tasks/back-1 - Dig.md', task);
    put('f/backlog/tasks/back-2 - Sow.md', `---\nid: BACK-2\n${conflict}---\n`);
    put('f/backlog/docs/doc-1 - How.md', `---\nid: doc-1\ntitle: How\n---\n\`\`\`\n${conflict}\`\`\`\n`);
    const plan = read(join(scratch.path, 'f'));
    expect(plan.kind).to.equal('moved');
    const [left] = (plan as { report: ImportReport }).report.left_out;
    expect(left).to.deep.include({
      ...{ of: 'file', count: 1 },
      reason:
        'Conflict markers of git in lines 3-7: resolve the conflict first: merge the two versions and remove the markers.',
    });
    expect(JSON.stringify(left)).to.include('tasks/back-2 - Sow.md');
  });

  it('refuses an import that would make an empty project [D9.moving.found]', () => {
    expect(refused(put('none/tasks.json', '{"master":{"tasks":[],"metadata":{}}}'))).to.equal(
      'taskmaster, tasks.json: There is no task and no document in it: nothing would be imported.',
    );
    put('bare/backlog/config.yml', 'project_name: Garden\nstatuses: [To Do]\n');
    expect(refused(join(scratch.path, 'bare'))).to.equal(
      'backlog-md, backlog: There is no task and no document in it: nothing would be imported.',
    );
  });

  it('lists the supported formats if there is no plan [D9.moving.found]', () => {
    mkdirSync(join(scratch.path, 'empty'));
    expect(refused(join(scratch.path, 'empty'))).to.match(
      /contains no known plan\. Supported are an export of Planner, .*json-canvas/,
    );
    expect(refused(put('x.json', '{"a":1}'))).to.match(
      /is not a known plan: it is JSON with the members a\. Supported are/,
    );
    expect(refused(put('y.json', '{'))).to.match(/is not JSON/);
    expect(refused(join(scratch.path, 'nowhere'))).to.match(/There is no file/);
  });

  it('reads texts that no file can have, so that the import has them [D9.moving.kept]', async () => {
    const service = await TestService.start();
    try {
      for (const text of ['\ud83d', '\0x', ' ', '\u200b', 'a\nb', 'x'.repeat(500)]) {
        const person = { login: text };
        const hub = [
          {
            ...{ number: 1, title: text, state: 'OPEN', body: text, labels: [{ name: text }], assignees: [person] },
            ...{ milestone: { title: text }, comments: [{ author: person, body: text, createdAt: text }], more: text },
          },
        ];
        const { status, body } = await service.rest.post('/projects/import', documentOf(readGithub(hub, text).draft));
        expect(status, JSON.stringify(body)).to.equal(201);
      }
    } finally {
      await service.stop();
    }
  });

  it('creates a project from the plan in one import [D9.moving.found]', async () => {
    const found = read(put('in/issues.jsonl', `${issue}\n${other}\n`));
    if (found.kind === 'export') throw new Error('It is no export.');
    const report: ImportReport = found.report;
    const service = await TestService.start();
    try {
      const { status, body } = await service.rest.post('/projects/import', documentOf(found.draft));
      expect(status, JSON.stringify(body)).to.equal(201);
      expect(body).to.deep.include({ name: 'Plan' });
      expect(body.summary.tasks).to.include({ todo: report.counts['tasks']! - 1, done: 1 });
      const { tasks } = (await service.rest.get(`/projects/${body.id}/tasks`)).body;
      expect(
        tasks.map(({ label, blocked, tags }: { label: string; blocked: boolean; tags: { name: string }[] }) => [
          label,
          blocked,
          tags.map(({ name }) => name),
        ]),
      ).to.deep.equal([
        ['Dig', false, []],
        ['Buy', false, ['soil']],
      ]);
      const { next_task: next } = (await service.rest.get(`/projects/${body.id}/next-task`)).body;
      expect(next.label).to.equal('Dig');
      await service.store.flush();
      expect(service.store.check()).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
