import { expect } from 'chai';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { nodeAdvice } from '../../src/platform/node-version.ts';
import ts from 'typescript';
import { builtProgram } from '../support/build.ts';

describe('The release of Node', () => {
  it('is named by doctor if it lacks security fixes [A.node.fixed]', () => {
    for (const fixed of ['22.23.4', '22.24.0', '24.22.1', '24.23.0', '25.1.0', '26.0.0'])
      expect(nodeAdvice(fixed), fixed).to.equal(undefined);
    for (const old of ['22.22.0', '22.23.3', '23.11.0', '24.21.9', '24.22.0', '24.9.0'])
      expect(nodeAdvice(old), old).to.equal(
        `Node ${old} lacks security fixes. Use 22.23.4 or a newer 22, or 24.22.1 or a newer 24.`,
      );
  });

  it('is reported by the program if it is too old [A.node.old]', () => {
    const program = builtProgram();
    // A missing export of a static import would be reported earlier.
    const { statements } = ts.createSourceFile(program, readFileSync(program, 'utf8'), ts.ScriptTarget.ES2022);
    expect(statements.some(ts.isImportDeclaration)).to.equal(false);
    for (const old of ['18.20.8', '20.19.4', '22.21.1']) {
      const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${old}' } });`;
      const argv = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, '--version'];
      const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
      expect([status, stderr]).to.deep.equal([1, `Planner needs Node 22.22 or newer; this is Node ${old}.\n`]);
    }
    expect(execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' })).to.match(/^\d+\.\d+\.\d+/);
  });
});
