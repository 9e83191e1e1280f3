import { present } from './command-line.ts';
import type { CliTarget } from './cli-target.ts';
import type { Input } from './planner-port.ts';
import type { ShownTask } from './show-task.ts';

/** Tasks that one request asks for. */
const pageRows = 1000;

/** All tasks that an input of list_tasks chooses, by their creation. */
export async function allTasks({ planner }: CliTarget, input: Input): Promise<readonly ShownTask[]> {
  const found: ShownTask[] = [];
  for (let cursor: unknown, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await planner.call('list_tasks', present({ verbose: false, limit: pageRows, ...input, cursor }));
    found.push(...(page['tasks'] as readonly ShownTask[]));
    cursor = page['next_cursor'];
  }
  return found;
}
