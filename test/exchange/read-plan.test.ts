import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MovingReport } from '../../src/exchange/imported-plan.ts';
import { documentOf, readPlan } from '../../src/exchange/read-plan.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
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
    const found = readPlan(nodeDisk, path, 'Plan');
    return found.kind === 'export' ? 'export' : found.report.from;
  };
  const refused = (path: string): string => {
    try {
      return from(path);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('detects plans from the content, in a file, a directory or a repository [D9.moving.found]', () => {
    expect(from(put('a/issues.jsonl', `${issue}\n${other}\n`))).to.equal('beads');
    expect(from(put('a/b.canvas', '{}'))).to.equal('JSON Canvas');
    expect(from(put('a/c.json', '{"nodes":[],"edges":[]}'))).to.equal('JSON Canvas');
    expect(from(put('a/tasks.json', '{"master":{"tasks":[{"id":1,"title":"Dig"}]}}'))).to.equal('Taskmaster');
    expect(from(put('a/desk.json', '{"format":"plandesk-export-v3","project":{"name":"x"}}'))).to.equal('Plan Desk');
    expect(from(put('a/ours.json', '{"format":"planner-export-v1","project":{}}'))).to.equal('export');
    expect(from(put('a/late.json', '{"project":{},"format":"planner-export-v2"}'))).to.equal('export');
    put('one/backlog/tasks/back-1 - Dig.md', task);
    expect([from(join(scratch.path, 'one')), from(join(scratch.path, 'one/backlog'))]).to.deep.equal([
      'Backlog.md',
      'Backlog.md',
    ]);
    put('two/.beads/issues.jsonl', issue);
    expect(from(join(scratch.path, 'two'))).to.equal('beads');
    put('three/.taskmaster/tasks/tasks.json', '{"tasks":[]}');
    expect([from(join(scratch.path, 'three')), from(join(scratch.path, 'three/.taskmaster'))]).to.deep.equal([
      'Taskmaster',
      'Taskmaster',
    ]);
  });

  it('lists the supported formats if there is no plan [D9.moving.found]', () => {
    mkdirSync(join(scratch.path, 'empty'));
    expect(refused(join(scratch.path, 'empty'))).to.match(
      /contains no known plan\. Supported are an export of Planner, .*JSON Canvas/,
    );
    expect(refused(put('x.json', '{"a":1}'))).to.match(/is not a known plan\. Supported are/);
    expect(refused(put('y.json', '{'))).to.match(/is not JSON/);
    expect(refused(join(scratch.path, 'nowhere'))).to.match(/There is no file/);
  });

  it('creates a project from the plan in one import [D9.moving.found]', async () => {
    const found = readPlan(nodeDisk, put('in/issues.jsonl', `${issue}\n${other}\n`), 'Plan');
    if (found.kind === 'export') throw new Error('It is no export.');
    const report: MovingReport = found.report;
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
