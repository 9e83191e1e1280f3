import { hash } from 'node:crypto';
import { invalid } from '../../base/errors.ts';
import { idPattern } from '../../base/ids.ts';
import { isObject } from '../../base/is-object.ts';
import { limits } from '../../base/limits.ts';
import type { ChecklistItem, VerificationSurface } from '../../schema/types.ts';

const field = 'verification_surface';
const criterionCharactersMax = 2000;

const shapes =
  '{"kind":"gate_command","command":"npm test"}, {"kind":"acceptance_checklist","items":[{"criterion":"..."}]} or {"kind":"human_sign_off"}';

/** A checklist item with the id that evidence uses. */
export type IdentifiedItem = ChecklistItem & { readonly id: string };

/**
 * Parses a verification surface: an object, its JSON text, or null for no surface. The resulting checklist items have
 * ids: the given id, else the id of the former item with the same criterion, else an id derived from the criterion, so
 * that the same item on two branches is one item.
 */
export function parseSurface(input: unknown, former: VerificationSurface | null): VerificationSurface | null {
  const value = typeof input === 'string' ? parseJson(input) : input;
  if (value === null) return null;
  if (!isObject(value)) throw invalid(field, `A verification surface is an object: ${shapes}.`);
  switch (value['kind']) {
    case 'gate_command':
      refuseOthers(value, ['kind', 'command'], field);
      return { kind: 'gate_command', command: text(value['command'], `${field}.command`, limits.bodyBytesMax) };
    case 'acceptance_checklist':
      refuseOthers(value, ['kind', 'items'], field);
      return { kind: 'acceptance_checklist', items: parseItems(value['items'], former) };
    case 'human_sign_off':
      refuseOthers(value, ['kind'], field);
      return { kind: 'human_sign_off' };
    default:
      throw invalid(
        `${field}.kind`,
        `The kind must be gate_command, acceptance_checklist or human_sign_off: ${shapes}.`,
      );
  }
}

/** A checklist's items with their ids; items without one, written by a person into a file, get derived ids. */
export function itemsOf(items: readonly ChecklistItem[]): IdentifiedItem[] {
  const taken = new Set(items.map(({ id }) => id).filter((id) => id !== undefined));
  return items.map(({ id, criterion }) => ({ id: id ?? derivedItemId(criterion, taken), criterion }));
}

function parseItems(value: unknown, former: VerificationSurface | null): IdentifiedItem[] {
  const path = `${field}.items`;
  if (!Array.isArray(value) || value.length === 0)
    throw invalid(path, 'A checklist has at least one item: [{"criterion":"..."}].');
  if (value.length > limits.arrayItemsMax)
    throw invalid(path, `A checklist has at most ${limits.arrayItemsMax} items.`);
  const items = value.map((item, i) => parseItem(item, `${path}[${i}]`));
  refuseTwice(items, 'id');
  refuseTwice(items, 'criterion');
  const taken = new Set(items.map(({ id }) => id).filter((id) => id !== undefined));
  const known = new Map<string, string>();
  if (former?.kind === 'acceptance_checklist')
    for (const { id, criterion } of itemsOf(former.items)) known.set(criterion, id);
  return items.map(({ id, criterion }) => {
    const kept = id ?? known.get(criterion);
    if (id === undefined && kept !== undefined && !taken.has(kept)) {
      taken.add(kept);
      return { id: kept, criterion };
    }
    return { id: id ?? derivedItemId(criterion, taken), criterion };
  });
}

function parseItem(value: unknown, path: string): ChecklistItem {
  if (!isObject(value)) throw invalid(path, 'A checklist item is an object with a criterion: {"criterion":"..."}.');
  refuseOthers(value, ['id', 'criterion'], path);
  const criterion = text(value['criterion'], `${path}.criterion`, criterionCharactersMax);
  const id = value['id'];
  if (id === undefined) return { criterion };
  if (typeof id !== 'string' || !idPattern.test(id))
    throw invalid(`${path}.id`, 'The id must be that of an existing item; omit it for a new item.');
  return { id, criterion };
}

function refuseTwice(items: readonly ChecklistItem[], member: 'id' | 'criterion'): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const value = item[member];
    if (value === undefined) continue;
    if (seen.has(value))
      throw invalid(
        `${field}.items[${i}].${member}`,
        `Two items have the ${member} ${JSON.stringify(value)}; evidence cannot distinguish them.`,
      );
    seen.add(value);
  }
}

/** Adds the result to `taken`. */
function derivedItemId(criterion: string, taken: Set<string>): string {
  for (let attempt = 0; ; attempt++) {
    const id = `chk_${hash('sha256', attempt === 0 ? criterion : `${criterion}\0${attempt}`, 'hex').slice(0, 10)}`;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    throw invalid(field, `The verification surface is not valid JSON. Expected ${shapes}.`);
  }
}

function text(value: unknown, path: string, charactersMax: number): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(path, 'This must be a non-blank string.');
  if (value.length > charactersMax) throw invalid(path, `This text has more than ${charactersMax} characters.`);
  return value;
}

function refuseOthers(value: Readonly<Record<string, unknown>>, known: readonly string[], path: string): void {
  const other = Object.keys(value).find((member) => !known.includes(member));
  if (other !== undefined)
    throw invalid(`${path}.${other}`, `Unknown member ${JSON.stringify(other)}; the members are ${known.join(', ')}.`);
}
