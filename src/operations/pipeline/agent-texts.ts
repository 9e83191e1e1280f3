import { invalid } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { limits } from '../../base/limits.ts';
import type { AnyOperation } from '../declaration/operation.ts';

type Members = Readonly<Record<string, unknown>>;

/** Which texts of an answer an agent wants. */
export interface WantedTexts {
  /** A change is answered with its texts, too. */
  readonly verbose: boolean;
  /** Characters of each long text that the agent has read already. */
  readonly offset: number;
}

const verbose = { type: 'boolean' } as const;
const offset = { type: 'integer', description: 'The last next_offset: the rest of the text_lengths.' } as const;

/** The arguments of a tool that choose texts of its answer, by name: the operation itself has no such members. */
export function textArguments({ effect, mcp }: AnyOperation): Readonly<Record<string, { readonly type: string }>> {
  if (mcp?.texts !== true) return {};
  return effect === 'read' ? { offset } : { verbose };
}

/** Takes these arguments out of a tool's input. Throws `invalid_argument`. */
export function takeTextArguments(
  given: Members,
  operation: AnyOperation,
): { readonly input: Members; readonly wanted: WantedTexts } {
  const names = Object.keys(textArguments(operation));
  const { offset: from = 0, verbose: whole = false } = Object.fromEntries(names.map((name) => [name, given[name]]));
  if (typeof whole !== 'boolean') throw invalid('verbose', 'verbose must be true or false.');
  if (!Number.isSafeInteger(from) || (from as number) < 0)
    throw invalid('offset', 'offset must be a next_offset of the previous response, or 0.');
  const input = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  return { input, wanted: { verbose: whole, offset: from as number } };
}

/**
 * The answer as an agent gets it. A change is answered without long texts, which the agent has just sent or did not ask for. Of long texts that
 * were asked for, it gets as much as fits its context, each from `offset`; `next_offset` is where they continue, if the tool can. `text_lengths`
 * has the characters of each text that is not there whole. Lists without pages are cut, and `<name>_total` counts their items.
 */
export function forAgent(answer: Members, { effect, mcp }: AnyOperation, wanted: WantedTexts): Members {
  const light = effect === 'read' ? answer : cutLists(answer);
  const shortened = Object.fromEntries(
    Object.entries(light).map(([name, member]) => [
      name,
      isObject(member) ? cutLists(member, limits.agentListRows) : member,
    ]),
  );
  const texts = longTexts(shortened, '');
  if (texts.size === 0) return shortened;
  const omitted = effect !== 'read' && !wanted.verbose;
  const part = omitted ? 0 : partOf([...texts.values()], bytesOf(shortened));
  const cut = [...texts].filter(([, text]) => omitted || wanted.offset > 0 || text.length > part);
  if (cut.length === 0) return shortened;
  const end = wanted.offset + part;
  const parts = new Map(cut.map(([path, text]) => [path, omitted ? undefined : slice(text, wanted.offset, end)]));
  const continues = !omitted && mcp?.texts === true && cut.some(([, text]) => text.length > end);
  return {
    ...(withTexts(shortened, '', parts) as Members),
    text_lengths: Object.fromEntries(cut.map(([path, text]) => [path, text.length])),
    ...(continues ? { next_offset: end } : {}),
  };
}

/** The texts of an answer that are longer than a line, by their paths. */
function longTexts(value: unknown, path: string, found = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'string') {
    if (value.length > limits.agentShortTextCharacters) found.set(path, value);
  } else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) longTexts(member, at(path, name), found);
  return found;
}

/** How many characters of each of these texts fit, in an answer of so many bytes. */
function partOf(texts: readonly string[], answerBytes: number): number {
  const bytes = texts.map((text) => bytesOf(text));
  const total = bytes.reduce((sum, one) => sum + one, 0);
  if (answerBytes <= limits.agentAnswerBytesMax) return Infinity;
  const left = Math.max(limits.agentTextsBytesMin, limits.agentAnswerBytesMax - (answerBytes - total));
  const bytesPerCharacter = Math.max(...texts.map((text, index) => bytes[index]! / text.length));
  return Math.max(1, Math.floor(left / texts.length / bytesPerCharacter));
}

function slice(text: string, from: number, to: number): string {
  return text.slice(boundary(text, from), boundary(text, to));
}

/** A position that is not within a surrogate pair. */
function boundary(text: string, position: number): number {
  const code = text.charCodeAt(position - 1);
  return position > 0 && position < text.length && code >= 0xd8_00 && code <= 0xdb_ff ? position - 1 : position;
}

function withTexts(value: unknown, path: string, parts: ReadonlyMap<string, string | undefined>): unknown {
  if (parts.has(path)) return parts.get(path);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => withTexts(item, at(path, String(index)), parts));
  const members = Object.entries(value).map(([name, member]) => [name, withTexts(member, at(path, name), parts)]);
  return Object.fromEntries(members);
}

/**
 * Cuts the lists of a record, of a change's answer or of an error to the budget; lists with a total have pages of their
 * own.
 */
export function cutLists(record: Members, rowsMax = Infinity): Members {
  const members = Object.entries(record).flatMap(([name, member]): [string, unknown][] => {
    const total = `${name}_total`;
    if (!Array.isArray(member) || total in record) return [[name, member]];
    const kept = fitting(member, rowsMax);
    const counted: [string, unknown][] = kept.length === member.length ? [] : [[total, member.length]];
    return [[name, kept], ...counted];
  });
  return Object.fromEntries(members);
}

/** The first items that fit, at least one. A list of lists, such as cycles, has the beginning of each. */
function fitting(list: readonly unknown[], rowsMax: number): readonly unknown[] {
  let left: number = limits.agentEmbeddedListBytesMax;
  const items = list.slice(0, rowsMax).map((item) => (Array.isArray(item) ? fitting(item, rowsMax) : item));
  const end = items.findIndex((item, index) => (left -= bytesOf(item) + 1) < 0 && index > 0);
  return end === -1 ? items : items.slice(0, end);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
