import { foldName } from '../../store/index.ts';

/** What names of one tag have in common, however they are written: letter case, Unicode form and blanks around them tell none apart. */
export function foldTagName(name: string): string {
  return foldName(name.trim());
}
