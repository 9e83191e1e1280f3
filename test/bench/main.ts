/**
 * `npm run bench`: measures every figure beside its yardstick in the same run, prints a table and writes `.bench/results.json`.
 *
 * node test/bench/main.ts [--only name,...] [--match TEXT] [--peers] [--quick] [--out FILE]
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import '../support/user-settings.ts';
import type { Bench, Figure } from './figure.ts';
import { choose } from './figures/index.ts';
import { alternate, besideNode, median, round, timed } from './measure.ts';
import { Peers } from './peers.ts';
import { type FigureResult, reportOf, resultOf, tableOf, writeReport } from './report.ts';

const output = fileURLToPath(new URL('../../.bench', import.meta.url));

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    match: { type: 'string' },
    peers: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: join(output, 'results.json') },
  },
});

/**
 * Removed at the very end, not after each figure: after many deletes, ext4 creates files at a tenth of its speed for half a minute (it does
 * not reuse recently freed inodes, and checks each of them).
 */
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'planner-bench-')));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const chosen = choose(
  options.only?.split(',').map((name) => name.trim()),
  options.peers,
);
const results: FigureResult[] = [];
if (options.quick) console.log('Quick: sizes are smaller than the titles say, and one round is no measurement.');
for (const figure of chosen) {
  const result = await measure(figure);
  console.log(tableOf(result));
  results.push(result);
  // After each figure, so that its results are kept if a later one is interrupted.
  writeReport(options.out, reportOf(options.quick, results));
}
console.log(`\n${options.out}`);
process.exitCode = results.some(({ error }) => error !== undefined) ? 1 : 0;

async function measure(figure: Figure): Promise<FigureResult> {
  const say = (text: string): void => console.log(`  … ${figure.name}: ${text}`);
  const bench: Bench = {
    quick: options.quick,
    match: options.match,
    scratch: (name) => {
      const directory = join(scratch, figure.name, name);
      mkdirSync(directory, { recursive: true });
      return directory;
    },
    peers: new Peers(join(output, 'peers'), say),
    say,
  };
  const began = performance.now();
  try {
    const before = await nodeStarts();
    const rows = await figure.measure(bench);
    const nodeMs = median([...before, ...(await nodeStarts())]);
    say(`node -e 0 takes ${round(nodeMs)} ms`);
    return resultOf(
      figure,
      began,
      rows.map((row) => besideNode(row, nodeMs)),
    );
  } catch (error) {
    return resultOf(figure, began, [], error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** What `node -e 0` takes, several times. */
async function nodeStarts(): Promise<number[]> {
  const { node } = await alternate(options.quick ? 1 : 5, {
    node: () => timed(() => promisify(execFile)(process.execPath, ['-e', '0'])),
  });
  return node;
}
