import { hash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { Fields } from './draft.ts';

/** The SHA-256 of a record in the form of an export, in hexadecimal, whatever the order of its members. */
export function recordFingerprint(record: Fields): string {
  return hash('sha256', canonicalJson(record), 'hex');
}
