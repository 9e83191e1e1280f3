import type { Places } from './resource-updates.ts';

/** The cursors of projects as the id of an event. */
export function formatPlaces(places: Places): string {
  return Array.from(places, ([project, cursor]) => `${project}:${cursor}`).join('.');
}

/** The cursors in the id of an event; empty for a text that is no such id. */
export function parsePlaces(id: string | undefined): Places {
  const parts = (id ?? '').split('.').map((part) => part.split(':'));
  return new Map(parts.flatMap(([project, cursor, more]) => isPair(project, cursor, more)));
}

function isPair(project = '', cursor = '', more?: string): [string, string][] {
  return project !== '' && cursor !== '' && more === undefined ? [[project, cursor]] : [];
}
