import { visit } from 'jsonc-parser';
import { invalid, PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';

const code = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openMap: 0x7b,
  closeMap: 0x7d,
};

/**
 * Counts the members of all objects in a JSON text without parsing it. Throws `payload_too_large` if the body or one of its objects exceeds
 * its limit: each value costs a hundred bytes of memory and a microsecond in every check.
 */
export function countMembers(text: string): number {
  let members = 0;
  let values = 1;
  /** Member counts of the objects and lists that are open. */
  const widths: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const here = text.charCodeAt(at);
    if (here === code.quote) at = endOfString(text, at);
    else if (here === code.comma) values++;
    else if (here === code.colon) {
      members++;
      if (++widths[widths.length - 1]! > limits.objectMembersMax) throw tooMany('An object of the body', 'members');
    } else if (here === code.openMap || here === code.openList) {
      values++;
      widths.push(0);
    } else if (here === code.closeMap || here === code.closeList) widths.pop();
    if (values > limits.bodyValuesMax) throw tooMany('The body', 'values');
  }
  return members;
}

/** The end of the string that begins at `from`; the end of the text if it is not closed. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === code.backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function tooMany(where: string, what: 'members' | 'values'): PlannerError {
  const max = what === 'members' ? limits.objectMembersMax : limits.bodyValuesMax;
  return new PlannerError('payload_too_large', `${where} has more than ${max} ${what}. Send less at a time.`, {
    [`${what}_max`]: max,
  });
}

/**
 * Throws `invalid_argument` with the path if an object has a duplicate member: JSON.parse keeps the last one silently. `members`: the
 * result of `countMembers`. The text is scanned a second time only if the counts differ.
 */
export function rejectDuplicates(text: string, parsed: unknown, members: number): void {
  if (members === membersOf(parsed)) return;
  const path = firstDuplicate(text);
  throw invalid(path, `${path} is a duplicate member: send each member of an object once.`);
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  // Iterative: values nested too deeply are rejected later, with a reason.
  const left: object[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const items: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) members += items.length;
    for (const item of items) if (typeof item === 'object' && item !== null) left.push(item);
  }
  return members;
}

function firstDuplicate(text: string): string {
  const open: Set<string>[] = [];
  let found = 'A member';
  try {
    visit(text, {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty: (name, _offset, _length, _line, _character, pathOf) => {
        const names = open.at(-1)!;
        if (names.has(name)) {
          found = pathText([...pathOf(), name]);
          throw new Error('Stops the parser at the first duplicate.');
        }
        names.add(name);
      },
    });
  } catch {
    // Found, or the nesting overflowed the parser's stack, since it recurses per level: then the path is unknown.
  }
  return found;
}

/** A member's path as errors write it: `tasks[3].label`. */
function pathText(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}
