import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepted } from './accepted.ts';
import { coveredIn } from './coverage.ts';
import { mutantsOf, mutated } from './mutants.ts';
import { runTest } from './run-test.ts';
import { absolute, areas, sourcesOf, testsOf } from './targets.ts';
import { timeLimit } from './time-limit.ts';

const cookies = 'src/http/cookies.ts';
/** Short, in one process, and beside nothing else. */
const loopbackTest = 'test/http/loopback.test.ts';
const loopback = 'src/http/loopback.ts';

/** The mutants of a text, as the text reads with them. */
function texts(source: string): string[] {
  return mutantsOf('x.ts', source).map((mutant) => mutated(source, mutant));
}

describe('A mutant', () => {
  it('replaces a condition by true or false, or omits one operand of it [A.hostile.mutants]', () => {
    expect(texts('if (a && b && c) f();')).to.have.members([
      'if (true) f();',
      'if (false) f();',
      'if (b && c) f();',
      'if (a && c) f();',
      'if (a && b) f();',
    ]);
    expect(texts('const f = (a) => a < 1;')).to.include('const f = (a) => a <= 1;');
  });

  it('removes a statement, unless it is the only one of a branch [A.hostile.mutants]', () => {
    expect(texts('function f() { check(); return a; }')).to.deep.equal(['function f() { ; return a; }']);
    expect(texts('if (a) throw b;')).to.have.members(['if (true) throw b;', 'if (false) throw b;']);
    expect(texts('function f() { if (a) { b(); throw c; } }')).to.include('function f() { if (a) { b(); ; } }');
    expect(texts('try { a = b; } catch { c = d; e = f; }')).to.include('try { a = b; } catch {}');
  });

  it('omits an argument of a list, an anchor of a pattern or a header [A.hostile.mutants]', () => {
    expect(texts("git(['-c', 'core.fsmonitor=false', 'status'])")).to.include("git(['-c', 'status'])");
    expect(texts('x(/^a$/i);')).to.include.members(['x(/a$/i);', 'x(/^a/i);', 'x(/^a$/);']);
    expect(texts("r.setHeader('Cache-Control', 'private, no-store')")).to.include("r.setHeader('Cache-Control', '')");
    expect(texts('const o = { ...a, b };')).to.deep.equal(['const o = { ...{}, b };']);
    expect(texts('const o = { httpOnly: true };')).to.deep.equal(['const o = { httpOnly: false };']);
  });

  it('changes no message, type, import or log entry [A.hostile.mutants]', () => {
    const source = "import 'a'; type B = 'b' | 'c'; log.warn('d'); throw new Error('It is all wrong.');";
    expect(texts(source)).to.deep.equal([source.replace(/throw.*/, ';')]);
  });

  it('has an id that does not contain its line [A.hostile.mutants]', () => {
    const source = 'function f(a) {\n  if (a) b();\n  if (a) c();\n}\n';
    const ids = (text: string): string[] => mutantsOf('x.ts', text).map(({ id }) => id);
    expect(ids(source)).to.deep.equal(['f: a → true', 'f: a → false', 'f: a → true (2)', 'f: a → false (2)']);
    expect(ids(`\n\n${source}`)).to.deep.equal(ids(source));
  });
});

describe('A mutation run', () => {
  it('changes the source only in the test processes, and detects it [A.hostile.mutants]', async () => {
    const text =
      'export class LoopbackGuard { check() { return "" } addressOf() {} }\nexport const loopbackHosts = new Set();';
    const [whole, mutant] = [
      await runTest(loopbackTest, { msMax: 60_000 }),
      await runTest(loopbackTest, { substitute: { file: loopback, text }, msMax: 60_000 }),
    ];
    expect(whole.outcome).to.equal('passed');
    expect(whole.cpuMs).to.be.above(0);
    expect(mutant.outcome).to.equal('failed');
    expect(mutant.failure).to.match(/^\S.*: \S/);
  });

  it('counts a test that times out as a detection [A.hostile.mutants]', async () => {
    const text = 'export class LoopbackGuard {}\nexport const loopbackHosts = new Set();\nfor (;;);\n';
    const { outcome } = await runTest(loopbackTest, { substitute: { file: loopback, text }, msMax: 2000 });
    expect(outcome).to.equal('timed out');
  });

  it('knows which lines of a source file a test runs [A.hostile.mutants]', async () => {
    const coverage = mkdtempSync(join(tmpdir(), 'planner-test-'));
    try {
      await runTest(loopbackTest, { coverage, msMax: 60_000 });
      const covered = coveredIn(coverage, [loopback, cookies]);
      expect(covered).to.have.property(loopback);
      expect(covered).not.to.have.property(cookies);
    } finally {
      rmSync(coverage, { recursive: true, force: true });
    }
  });

  it('has sources and tests in every area [A.hostile.mutants]', () => {
    for (const area of areas) {
      expect(sourcesOf(area), area.name).not.to.be.empty;
      expect(testsOf(area), area.name).not.to.be.empty;
    }
  });

  it('accepts only survivors that are mutants of the current sources, each once [A.hostile.mutants]', () => {
    const files = Map.groupBy(accepted, ({ file }) => file);
    const outdated = [...files].flatMap(([file, entries]) => {
      const ids = new Set(mutantsOf(file, readFileSync(absolute(file), 'utf8')).map(({ id }) => id));
      return entries.filter(({ mutant }) => !ids.delete(mutant)).map(({ mutant }) => `${file}: ${mutant}`);
    });
    expect(outdated).to.deep.equal([]);
  });

  it('measures its timeout while its processes run: a pause does not count [A.hostile.mutants]', async () => {
    let isOver = false;
    const end = Promise.withResolvers<void>();
    timeLimit(1000, () => {
      isOver = true;
      end.resolve();
    });
    // This process is stopped, for all that its timers know.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(isOver).to.equal(false);
    await end.promise;
    let isEnded = true;
    timeLimit(1, () => (isEnded = false))();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(isEnded).to.equal(true);
  });
});
