import { shortestEnds } from '../../base/named.ts';
import type { CliTarget } from './cli-target.ts';

/** As many ids as a request may name. */
const idsAtOnce = 200;

/** How the output of a command shows an id. */
export type ShownId = (id: string) => string;

/**
 * Returns how records of a project are shown: by the shortest ends of their ids, which every command takes for them. Records of a project that
 * is not the bound one keep their whole ids, since commands look into the bound one first.
 */
export async function shownIds(
  { planner, config }: CliTarget,
  project_id: string,
  ids: readonly string[],
): Promise<ShownId> {
  if (config.project_id !== undefined && config.project_id !== project_id) return (id) => id;
  const short = new Map<string, string>();
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const input = { project_id, ids: ids.slice(at, at + idsAtOnce) };
    const { short_ids } = await planner.call('list_short_ids', input);
    for (const [id, end] of Object.entries(short_ids as Record<string, string>)) short.set(id, end);
  }
  return (id) => short.get(id) ?? id;
}

/** Shortens ids of records that are looked up in a list, as `idAmong` does, among the listed ids. */
export function shortAmong(ids: readonly string[]): ShownId {
  const short = shortestEnds(ids);
  return (id) => short.get(id) ?? id;
}
