import { hash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';
import { coveredIn } from './coverage.ts';
import type { Span } from './coverage.ts';
import type { Mutant } from './mutants.ts';
import { runTest } from './run-test.ts';
import { absolute } from './targets.ts';

/** The duration and coverage of one test file without a mutant. */
export interface MappedTest {
  readonly test: string;
  /** Of the test file, of all sources and of what tests share: while it is the same, so is the rest. */
  readonly digest: string;
  readonly passes: boolean;
  readonly failure?: string;
  readonly ms: number;
  readonly cpuMs: number;
  readonly covered: Readonly<Record<string, readonly Span[]>>;
}

const baselineMsMax = 180_000;

/** Runs one test file without a mutant; retries once, since tests sometimes fail on a loaded machine. */
export async function mapTest(test: string, digest: string, sources: readonly string[]): Promise<MappedTest> {
  const mapped = await mapOnce(test, digest, sources);
  return mapped.passes ? mapped : mapOnce(test, digest, sources);
}

async function mapOnce(test: string, digest: string, sources: readonly string[]): Promise<MappedTest> {
  const coverage = mkdtempSync(join(tmpdir(), 'mut-coverage-'));
  try {
    const { outcome, ms, cpuMs, failure } = await runTest(test, { coverage, msMax: baselineMsMax });
    const covered = coveredIn(coverage, sources);
    return { test, digest, passes: outcome === 'passed', ...(failure && { failure }), ms, cpuMs, covered };
  } finally {
    rmSync(coverage, { recursive: true, force: true });
  }
}

/** Of all that every run depends on. */
export function commonDigest(): string {
  const files = globSync(['src/**/*.ts', 'schemas/**/*.json', 'test/support/*.ts'], { cwd: repository });
  const kept = files.filter((file) => !file.startsWith('src/web/')).sort();
  return digestOf(kept.map((file) => `${file}\n${readFileSync(absolute(file), 'utf8')}`).join('\0'));
}

export function testDigest(test: string, common: string): string {
  return digestOf(`${common}\n${readFileSync(absolute(test), 'utf8')}`);
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

/** Whether a test file runs the mutant's first character. */
export function reaches({ covered }: MappedTest, { file, start }: Mutant): boolean {
  return covered[file]?.some(([from, to]) => from <= start && start < to) ?? false;
}
