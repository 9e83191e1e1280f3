import { expect } from 'chai';
import { showProblem } from '../../src/operations/remedies.ts';

const problem = { path: '.planner/token', kind: 'open_token', reason: 'Others may read it.' };

describe('A problem as callers see it', () => {
  it('has the remedy from the store, or none [A.problems]', () => {
    expect(showProblem(problem)).to.deep.equal(problem);
    const worded = { ...problem, remedy: 'Repair the file.', id: 'tsk_a' };
    expect(JSON.stringify(showProblem(worded))).to.equal(JSON.stringify(worded));
  });

  it('names the command that repairs it [A.problems]', () => {
    for (const [code, remedy] of [
      ['set_project', "Put the project's id there, or run planner connect."],
      [
        'bind_project',
        'If its directory was removed, git checkout -- .planner/projects brings back what was committed; else run planner connect --project with one that does.',
      ],
      ['add_lines', 'Add it, or run planner doctor --fix.'],
      ['replace_token', 'Remove it and run planner connect.'],
      ['close_token', 'chmod 600 it, or run planner doctor --fix.'],
      [
        'separate_project',
        'Remove one of the two directories, or run planner doctor --fix to assign new ids to the copy.',
      ],
      [
        'separate_copy',
        'Run planner doctor --fix, which makes the copy a record of its own, or remove the file that you do not need.',
      ],
    ] as const)
      expect(showProblem({ ...problem, remedy: { code } })).to.deep.equal({ ...problem, remedy });
  });

  it('names the request that restores an overridden value, in its place among the members [A.problems]', () => {
    const remedy = { code: 'restore_revision', revision: 'rev_a' } as const;
    expect(JSON.stringify(showProblem({ path: 'p', kind: 'overridden', remedy, reason: 'r' }))).to.equal(
      '{"path":"p","kind":"overridden","remedy":"POST /api/v1/revisions/rev_a/restore restores the other value.","reason":"r"}',
    );
  });
});
