import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';

/** The command line without a person who reads: no terminal, and nothing is shown on one. */
export const noTerminal = {
  isTerminal: false,
  openLines: () => Promise.resolve(() => undefined),
  notice: () => undefined,
  remark: () => undefined,
  rows: () => Infinity,
  columns: () => 80,
  colours: () => false,
  page: () => Promise.resolve(false),
  progress: () => undefined,
} as const satisfies Partial<ProgramDeps>;
