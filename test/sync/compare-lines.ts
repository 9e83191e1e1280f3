import { expect } from 'chai';

/** Fails unless two exports are equal byte by byte; shows the lines that only one of them has. */
export function expectEqualExports(here: string, there: string): void {
  if (here === there) return;
  const [left, right] = [here.split('\n'), there.split('\n')];
  const only = (lines: readonly string[], others: readonly string[]): string[] => {
    const known = new Set(others);
    return lines.filter((line) => !known.has(line));
  };
  expect({ here: only(left, right), there: only(right, left) }).to.deep.equal({ here: [], there: [] });
  expect(left).to.deep.equal(right);
}
