import { foldName } from '../../store/index.ts';

/** The normal form of a tag's name: names that differ only in letter case, Unicode form or surrounding blanks are equal. */
export function foldTagName(name: string): string {
  return foldName(name.trim());
}
