import { hash } from 'node:crypto';
import type { Fields } from './draft.ts';

/**
 * The SHA-256 of a record in the form of an export, in hexadecimal. Members are sorted: two records that differ only in the
 * order of their members have the same.
 */
export function recordFingerprint(record: Fields): string {
  return hash('sha256', JSON.stringify(sorted(record)), 'hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Fields;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((name) => [name, sorted(members[name])]),
  );
}
