/** The places of projects in a cursor over several, by their codes. */
export type Places = ReadonlyMap<string, string>;

const nowhere = 'none';

const cursors = new WeakMap<Places, string>();

/** The cursor with these places, which do not change. */
export function joinedOnce(places: Places): string {
  let cursor = cursors.get(places);
  if (cursor === undefined) cursors.set(places, (cursor = joined(places)));
  return cursor;
}

/** The cursor with these places. */
export function joined(places: Places): string {
  return places.size === 0 ? nowhere : Array.from(places, ([code, place]) => `${code}:${place}`).join('.');
}

/** Undefined for a text that is no cursor over projects. */
export function split(cursor: string): Places | undefined {
  if (cursor === nowhere) return new Map();
  const parts = cursor.split('.').map((part) => part.split(':'));
  if (parts.some(({ length }) => length !== 2)) return undefined;
  return new Map(parts.map(([code = '', place = '']) => [code, place]));
}
