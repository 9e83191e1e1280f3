import type { QueryClient } from '@tanstack/react-query';

type Members = Readonly<Record<string, unknown>>;

/** A cached record: a member of any list, tree or canvas, or one of its own. */
export function findCached(client: QueryClient, id: string): Members | undefined {
  for (const [, data] of client.getQueriesData({})) {
    const record = within(data, id);
    if (record !== undefined) return record;
  }
  return undefined;
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
