import type { QueryClient } from '@tanstack/react-query';
import type { OperationName } from '../api/client.ts';

export type Members = Readonly<Record<string, unknown>>;

/**
 * The cached state of a record: its row in a list, which shows changes immediately, with the members of its details.
 */
export function findCached(client: QueryClient, id: string, ...from: readonly OperationName[]): Members | undefined {
  let found: Members | undefined;
  for (const name of from)
    for (const [, data] of client.getQueriesData({ queryKey: [name] })) {
      const record = within(data, id);
      if (record !== undefined) found = { ...record, ...found };
    }
  return found;
}

/** The record in a cached response: of one record, a list, or the tree of documents. */
function within(data: unknown, id: string): Members | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { rows, value } = data as { readonly rows?: readonly Members[]; readonly value?: Members };
  if (rows !== undefined) return rows.find((row) => row['id'] === id);
  if (value === undefined) return undefined;
  return value['id'] === id ? value : inTree(value, id);
}

function inTree(tree: Members, id: string): Members | undefined {
  for (const member of ['documents', 'folders', 'screens', 'edges', 'nodes'])
    for (const each of (tree[member] ?? []) as readonly Members[]) {
      const found = each['id'] === id ? each : member === 'folders' ? inTree(each, id) : undefined;
      if (found !== undefined) return found;
    }
  return undefined;
}

const lists = [
  ...(['list_tasks', 'list_documents', 'list_notes', 'list_artifacts', 'list_goals', 'list_prototypes'] as const),
  ...(['list_views', 'list_tags', 'list_submissions', 'get_task', 'get_document', 'get_note', 'get_artifact'] as const),
];

/** A record's label, title or name in quotes, if it is cached. */
export function cachedName(client: QueryClient, id: string): string | undefined {
  const found = findCached(client, id, ...lists, 'get_goal', 'get_prototype');
  const name = found?.['label'] ?? found?.['title'] ?? found?.['name'];
  return typeof name === 'string' ? `“${name}”` : undefined;
}
