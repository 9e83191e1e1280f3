import { invalid } from '../../base/errors.ts';
import type { ScaffoldInput } from '../../schema/types.ts';
import type { Graph } from '../graph/graph-shape.ts';
import { orderingOf } from '../graph/work-order.ts';

/** The kinds of records that a plan's key can name. */
export type Keyed = 'task' | 'document';

/** Checks that a plan's keys are unique, that every referenced key exists, and that no edge joins a task to itself. Errors name the key. */
export function checkKeys(plan: ScaffoldInput): ReadonlyMap<string, Keyed> {
  const keys = new Map<string, Keyed>();
  const take = (key: string | undefined, kind: Keyed, field: string): void => {
    if (key === undefined) return;
    if (keys.has(key))
      throw invalid(field, `The key ${JSON.stringify(key)} is used twice in this plan; keys must be unique.`, { key });
    keys.set(key, kind);
  };
  const need = (key: string, field: string): void => {
    if (!keys.has(key))
      throw invalid(field, `The plan has no task or document with the key ${JSON.stringify(key)}.`, { key });
  };
  for (const [i, { key }] of plan.tasks.entries()) take(key, 'task', `tasks[${i}].key`);
  for (const [i, { key }] of (plan.documents ?? []).entries()) take(key, 'document', `documents[${i}].key`);
  for (const [i, { from, to }] of (plan.edges ?? []).entries()) {
    need(from, `edges[${i}].from`);
    need(to, `edges[${i}].to`);
    if (from === to)
      throw invalid(`edges[${i}].to`, `An edge cannot join ${JSON.stringify(from)} to itself.`, { key: from });
  }
  for (const [i, document] of (plan.documents ?? []).entries()) {
    const field = `documents[${i}].link_to`;
    for (const [j, key] of linksOf(document.link_to).entries()) {
      need(key, Array.isArray(document.link_to) ? `${field}[${j}]` : field);
      if (key === document.key)
        throw invalid(field, `The document ${JSON.stringify(key)} cannot link to itself.`, { key });
    }
  }
  return keys;
}

export function linksOf(linkTo: string | readonly string[] | undefined): readonly string[] {
  return linkTo === undefined ? [] : typeof linkTo === 'string' ? [linkTo] : linkTo;
}

/** The order of work among a plan's tasks, by key. */
export function planGraph(plan: ScaffoldInput, keys: ReadonlyMap<string, Keyed>): Graph {
  const graph = new Map<string, string[]>(plan.tasks.map(({ key }) => [key, []]));
  for (const { from, to, label } of plan.edges ?? []) {
    if (keys.get(from) !== 'task') continue;
    const link = { id: '', to, type: keys.get(to) ?? '', ...(label === undefined || label === null ? {} : { label }) };
    const ordering = orderingOf(from, link);
    if (ordering !== undefined) graph.get(ordering.then)?.push(ordering.first);
  }
  return graph;
}
