import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

/** A plan with an edge, a tag and a document. */
const plan = {
  name: 'Web shop',
  tasks: [
    { key: 'a', label: 'Take payments', tags: ['checkout'] },
    { key: 'b', label: 'Send invoices' },
  ],
  edges: [{ from: 'a', to: 'b', label: 'then' }],
  documents: [{ title: 'Guide', body: '# Guide\n\nÄ', link_to: 'a' }],
};

describe('planner export and import', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['init']);
  });

  /** Out to a file and in again: the same plan twice. */
  async function roundTrip(): Promise<void> {
    await shell.ok(['call', 'scaffold_project_from_plan', JSON.stringify(plan)]);
    const file = join(shell.directory, 'plan.planner.json');
    const { bytes, project } = await shell.json(['export', 'web shop', '-o', 'plan.planner.json']);
    expect(bytes).to.equal(readFileSync(file).length);
    expect(await shell.ok(['export', project.id])).to.equal(readFileSync(file, 'utf8'));
    const imported = await shell.json(['import', 'plan.planner.json']);
    expect(imported.project.id).not.to.equal(project.id);
    expect(imported.project.summary).to.include({ documents: 1 });
    expect(imported.project.summary.tasks).to.include({ todo: 2 });
    const { tasks } = await shell.json(['task', 'list', '--project', imported.project.id]);
    const [first, second] = tasks;
    expect([first.label, second.label]).to.deep.equal(['Take payments', 'Send invoices']);
    expect(second.waiting_on).to.deep.equal([first.id]);
  }

  it('move a project through a file, without a service [D11.commands, D11.either]', () => roundTrip());

  it('move a project through a file, by the running service [D11.either]', async () => {
    const service = await TestService.start({ directory: shell.directory });
    try {
      await roundTrip();
    } finally {
      await service.stop();
    }
  });

  it('write its tasks as a table and its canvas for other programs', async () => {
    await shell.ok(['call', 'scaffold_project_from_plan', JSON.stringify(plan)]);
    expect(await shell.ok(['export', '--format', 'csv'])).to.match(/^[^\n]*label[^\n]*\r?\n[^\n]*Take payments/);
    const canvas = JSON.parse(await shell.ok(['export', '--format', 'json-canvas']));
    expect(canvas.nodes.length).to.be.greaterThan(1);
    expect(await shell.refused(2, ['export', '--format', 'pdf'])).to.include('planner, json-canvas, csv');
  });

  it("create a project from another tool's plan, and report the result", async () => {
    const beads = [
      { id: 'bd-1', title: 'First', status: 'closed', priority: 1, created_at: '2026-01-02T03:04:05Z' },
      {
        id: 'bd-2',
        title: 'Second',
        status: 'open',
        priority: 2,
        created_at: '2026-01-02T03:04:06Z',
        dependencies: [{ issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'blocks' }],
      },
    ];
    mkdirSync(join(shell.directory, 'other/.beads'), { recursive: true });
    const lines = beads.map((issue) => JSON.stringify(issue)).join('\n');
    writeFileSync(join(shell.directory, 'other/.beads/issues.jsonl'), `${lines}\n`);
    const { project, report } = await shell.json(['import', 'other']);
    expect(project.name).to.equal('other');
    expect(report.counts).to.include({ tasks: 2, edges: 1 });
    const { tasks } = await shell.json(['task', 'list', '--project', project.id]);
    expect(tasks.map(({ status }: { status: string }) => status).sort()).to.deep.equal(['done', 'todo']);
    expect(await shell.ok(['import', 'other/.beads/issues.jsonl'])).to.match(
      /^other is the project prj_\S+\. From .*2 tasks/,
    );
  });

  it('report an error, and change nothing', async () => {
    expect(await shell.refused(1, ['import', 'none.json'])).to.include('none.json');
    writeFileSync(join(shell.directory, 'x.json'), '{"format": "planner-export-v9", "project": {"name": "x"}}');
    expect(await shell.refused(1, ['import', 'x.json'])).to.include('newer version of Planner');
    writeFileSync(join(shell.directory, 'y.json'), '{"a": 1}');
    expect(await shell.refused(1, ['import', 'y.json'])).to.include('not a known plan');
    expect((await shell.json(['call', 'list_projects'])).projects).to.deep.equal([]);
    await shell.ok(['call', 'create_project', '{"name": "Web shop"}']);
    const errors = await shell.refused(2, ['export', '-o', 'no/such/directory.json']);
    expect(errors).to.include('no/such is not a directory: create it').and.not.include('    at ');
    expect(await shell.refused(2, ['export', 'None', '-o', 'no/such.json'])).to.include('no is not a directory');
    expect(await shell.refused(2, ['export', '-o', '.'])).to.include('is a directory: name a file');
    expect(readdirSync(shell.directory).filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
  });
});
