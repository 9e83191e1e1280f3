import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Figure, Measured, Row } from './figure.ts';

/** The result of one figure: its rows, or the reason why there are no rows. */
export interface FigureResult {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
  readonly error?: string;
}

/** The content of `.bench/results.json`. */
export interface Report {
  readonly format: 'planner-bench-v1';
  readonly at: string;
  readonly quick: boolean;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly figures: readonly FigureResult[];
}

export function resultOf({ name, title }: Figure, began: number, rows: readonly Row[], error?: string): FigureResult {
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { name, title, seconds, rows, ...(error === undefined ? {} : { error }) };
}

export function reportOf(quick: boolean, figures: readonly FigureResult[]): Report {
  const machine = {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    processors: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory_gb: Math.round(totalmem() / 1e9),
  };
  return { format: 'planner-bench-v1', at: new Date().toISOString(), quick, machine, figures };
}

export function writeReport(path: string, report: Report): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
}

/** Formats a figure for a terminal. */
export function tableOf({ title, seconds, rows, error }: FigureResult): string {
  const lines = [`\n${title} (${seconds} s)`];
  if (error !== undefined) lines.push(`  failed: ${error}`);
  for (const row of rows) lines.push(...linesOf(row));
  return lines.join('\n');
}

function linesOf({ product, yardstick, ratio, target, also }: Row): string[] {
  const mark = target === undefined ? ' ' : target.reached ? '✓' : '✗';
  const beside = yardstick === undefined ? '' : `   beside ${show(yardstick)} (${yardstick.what})`;
  const times = ratio === undefined ? '' : `   ${ratio} ×`;
  const goal = target === undefined ? '' : `   to reach ${target.text}`;
  const lines = [`  ${mark} ${product.what}: ${show(product)}${beside}${times}${goal}`];
  if (also !== undefined) {
    lines.push(
      `      ${Object.entries(also)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`,
    );
  }
  return lines;
}

function show({ value, unit, rounds }: Measured): string {
  const spread = rounds.length > 1 ? ` [${Math.min(...rounds)}–${Math.max(...rounds)}]` : '';
  return `${value} ${unit}${spread}`;
}
