import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { rarely } from '../support/rarely.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { choose, figures } from './figures/index.ts';
import { alternate, attain, besideNode, compare, measured, median, percentile } from './measure.ts';
import type { Report } from './report.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('main.ts', import.meta.url));

describe('npm run bench', () => {
  const scratch = scratchDirectory();

  rarely(
    'measures the requested figures with their yardsticks and writes them as JSON',
    async function (this: Mocha.Context) {
      this.timeout(60_000);
      const out = join(scratch.path, 'results.json');
      const { stdout } = await run(process.execPath, [main, '--quick', '--only', 'files', '--out', out]);
      const report = JSON.parse(readFileSync(out, 'utf8')) as Report;
      expect(report.format).to.equal('planner-bench-v1');
      expect(report.quick).to.equal(true);
      expect(report.machine['node']).to.equal(process.version);
      expect(report.figures.map(({ name, error }) => ({ name, error }))).to.deep.equal([
        { name: 'files', error: undefined },
      ]);
      const [files] = report.figures;
      expect(files!.rows[0]).to.include.keys('product', 'yardstick', 'ratio', 'target');
      expect(files!.rows[0]!.ratio).to.be.a('number').above(0);
      for (const { title } of report.figures) expect(stdout).to.include(title);
    },
  );

  it('rejects an unknown figure, and lists the known ones', () => {
    const names = figures.map(({ name }) => name).join(', ');
    expect(() => choose(['nothing'], false)).to.throw(`There is no figure nothing; there are ${names}.`);
  });
});

describe('The numbers of the bench', () => {
  it('are the median, and nearest-rank percentiles', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([4, 1, 2, 9])).to.equal(3);
    expect(median([])).to.be.NaN;
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([percentile(hundred, 0.5), percentile(hundred, 0.95), percentile(hundred, 1)]).to.deep.equal([50, 95, 100]);
  });

  it('include whether the ratio of product and yardstick is within its bound', () => {
    const product = measured('a', '/s', [50, 60, 40]);
    const yardstick = measured('b', '/s', [100, 90, 110]);
    expect(compare(product, yardstick, { atLeast: 0.5 })).to.deep.include({
      ratio: 0.5,
      target: { text: '≥ 0.5 ×', reached: true },
    });
    expect(compare(product, yardstick, { atMost: 0.4 }).target).to.deep.equal({ text: '≤ 0.4 ×', reached: false });
  });

  it('are compared with node -e 0 if their target is a time or a rate, so that a slower machine prints the same mark', () => {
    for (const slower of [1, 4]) {
      const edit = attain(measured('an edit', 'ms', [200 * slower]), { atMost: 240 });
      expect(besideNode(edit, 30 * slower).target).to.deep.equal({
        text: '≤ 8 × node -e 0, here 6.667',
        reached: true,
      });
      const rate = attain(measured('entries', '/s', [2000 / slower]), { atLeast: 3000 });
      expect(besideNode(rate, 30 * slower).target).to.deep.equal({
        text: '≥ 90 in the time of node -e 0, here 60',
        reached: false,
      });
    }
    const size = attain(measured('scripts', 'kB', [190]), { atMost: 200 });
    expect(besideNode(size, 120)).to.deep.equal(size);
    expect(size.target).to.deep.equal({ text: '≤ 200 kB', reached: true });
  });

  it('alternate the contestants', async () => {
    const seen: string[] = [];
    const note =
      (name: string) =>
      (round: number): Promise<number> => {
        seen.push(`${name}${round}`);
        return Promise.resolve(round);
      };
    expect(await alternate(2, { a: note('a'), b: note('b') })).to.deep.equal({ a: [0, 1], b: [0, 1] });
    expect(seen).to.deep.equal(['a0', 'b0', 'a1', 'b1']);
  });
});
