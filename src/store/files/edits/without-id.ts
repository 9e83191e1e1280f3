import { applyEdits, modify } from 'jsonc-parser';
import { decode } from '../codec/codec.ts';
import { findFences } from '../codec/front-matter.ts';
import { findRecordLine } from '../codec/html.ts';
import type { Shape } from '../../record/collection.ts';
import { equal } from '../../record/plain.ts';

/** A record file without its id and otherwise unchanged; undefined if the id cannot be removed on its own. */
export function withoutId(shape: Shape, bytes: Buffer): Buffer | undefined {
  const text = bytes.toString();
  const taken = takers[shape.format](text);
  if (taken === undefined) return undefined;
  const result = Buffer.from(taken);
  const [before, after] = [decode(shape, bytes), decode(shape, result)];
  if (!before.ok || !after.ok) return undefined;
  const { id: _, ...others } = before.fields;
  return equal(others, after.fields) ? result : undefined;
}

const takers = { json: withoutMember, markdown: withoutLine, html: withoutLineMember } as const;

function withoutLineMember(text: string): string | undefined {
  const line = findRecordLine(text);
  if (line === undefined) return undefined;
  return text.slice(0, line.from) + withoutMember(text.slice(line.from, line.to)) + text.slice(line.to);
}

function withoutMember(text: string): string {
  return applyEdits(text, modify(text, ['id'], undefined, {}));
}

function withoutLine(text: string): string | undefined {
  const fences = findFences(text);
  if (fences === undefined) return undefined;
  const block = text.slice(fences.from, fences.to + 1);
  return (
    text.slice(0, fences.from) +
    block.replace(/\n[ \t]*["']?id["']?[ \t]*:[^\n]*(?=\n)/, '') +
    text.slice(fences.to + 1)
  );
}
