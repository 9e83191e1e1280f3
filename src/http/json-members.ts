import { visit } from 'jsonc-parser';
import { invalid, PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import type { Steps } from '../base/slices.ts';

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
 * Counts the members and values of a JSON text while its bytes arrive, without parsing it: a body beyond a limit is refused before the
 * rest of it is received, and no turn of the event loop counts more than a chunk. Each value costs a hundred bytes of memory and a
 * microsecond in every check, a member of a wide object several.
 */
export class MemberCount {
  members = 0;
  #values = 1;
  /** Member counts of the objects and lists that are open. */
  readonly #widths: number[] = [];
  #inString = false;
  #escaped = false;
  /** The length of the last string: before a colon, of the member's name. */
  #stringBytes = 0;

  /** Throws `payload_too_large` if the body, one of its objects or a name exceeds its limit. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(bytes, at);
        continue;
      }
      const byte = bytes[at];
      if (byte === code.quote) {
        this.#inString = true;
        this.#stringBytes = 0;
      } else if (byte === code.comma) this.#value();
      else if (byte === code.colon) this.#member();
      else if (byte === code.openMap || byte === code.openList) {
        this.#value();
        this.#widths.push(0);
      } else if (byte === code.closeMap || byte === code.closeList) this.#widths.pop();
    }
  }

  #value(): void {
    if (++this.#values > limits.bodyValuesMax) throw tooMany('The body', 'values', limits.bodyValuesMax);
  }

  #member(): void {
    if (this.#stringBytes > limits.memberNameBytesMax) throw nameTooLong(this.#stringBytes);
    if (++this.members > limits.bodyMembersMax) throw tooMany('The body', 'members', limits.bodyMembersMax);
    if (++this.#widths[this.#widths.length - 1]! > limits.objectMembersMax)
      throw tooMany('An object of the body', 'members', limits.objectMembersMax);
  }

  /** The position of the quote that ends the string; the end of the bytes if the string continues. */
  #endOfString(bytes: Uint8Array, from: number): number {
    let at = from;
    let escaped = this.#escaped;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (escaped) escaped = false;
      else if (byte === code.backslash) escaped = true;
      else if (byte === code.quote) break;
    }
    this.#escaped = escaped;
    this.#inString = at === bytes.length;
    this.#stringBytes += at - from;
    return at;
  }
}

function tooMany(where: string, what: 'members' | 'values', max: number): PlannerError {
  return new PlannerError('payload_too_large', `${where} has more than ${max} ${what}. Send less at a time.`, {
    [`${what}_max`]: max,
  });
}

function nameTooLong(bytes: number): PlannerError {
  const max = limits.memberNameBytesMax;
  return new PlannerError(
    'payload_too_large',
    `The name of a member of the body has ${bytes} bytes; at most ${max} are taken.`,
    { name_bytes_max: max },
  );
}

/**
 * Throws `invalid_argument` with the path if an object has a duplicate member: JSON.parse keeps the last one silently. `members`: the
 * number of them in the text, which is scanned a second time only if the counts differ; a long one is not, and the error names no path.
 */
export function* rejectDuplicates(text: string, parsed: unknown, members: number): Steps<void> {
  if (members === (yield* membersOf(parsed))) return;
  const path = text.length > limits.searchedBodyCharactersMax ? unnamed : firstDuplicate(text);
  throw invalid(path, `${path} is a duplicate member: send each member of an object once.`);
}

/** The number of values between two steps. */
const stepValues = 1000;

function* membersOf(value: unknown): Steps<number> {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  let seen = 0;
  // Iterative: values nested too deeply are rejected later, with a reason.
  const left: object[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const items: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) members += items.length;
    for (const item of items) if (typeof item === 'object' && item !== null) left.push(item);
    seen += items.length + 1;
    if (seen < stepValues) continue;
    seen = 0;
    yield;
  }
  return members;
}

const unnamed = 'A member';

function firstDuplicate(text: string): string {
  const open: Set<string>[] = [];
  let found = unnamed;
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
