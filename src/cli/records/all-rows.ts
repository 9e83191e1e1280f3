import { present } from '../call/command-line.ts';
import type { CliTarget } from '../call/cli-target.ts';
import type { Input } from '../service/planner-port.ts';
import type { ShownTask } from './show-task.ts';

/** The number of rows that one request asks for. */
export const pageRows = 1000;

/** The pages of a list, one request each. */
export async function* pagesOf(
  { planner }: Pick<CliTarget, 'planner'>,
  operation: string,
  input: Input,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let cursor: unknown;
  do {
    const page = await planner.call(operation, present({ ...input, cursor }));
    yield page;
    cursor = page['next_cursor'];
  } while (cursor !== undefined);
}

/** All rows of a list, in the member of its pages that has them. */
export async function allRows<T>(
  target: Pick<CliTarget, 'planner'>,
  operation: string,
  member: string,
  input: Input,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for await (const page of pagesOf(target, operation, input)) rows.push(...(page[member] as readonly T[]));
  return rows;
}

/** All tasks that an input of list_tasks chooses, by their creation. */
export function allTasks(target: CliTarget, input: Input): Promise<readonly ShownTask[]> {
  return allRows(target, 'list_tasks', 'tasks', present({ verbose: false, limit: pageRows, ...input }));
}
