/** A task of the service's graph, with its prerequisites in any goal. */
export interface GraphTask {
  readonly id: string;
  readonly status: string;
  readonly prerequisites: readonly string[];
}

/**
 * The longest chain of open tasks in the order of work: the minimal number of steps of the plan. Of several equally long ones, the one with
 * the oldest tasks. Tasks in a cycle are in no chain.
 */
export function criticalPath(tasks: readonly GraphTask[]): readonly string[] {
  const open = new Map(tasks.filter(({ status }) => status !== 'done').map((task) => [task.id, task]));
  const before = new Map([...open].map(([id, task]) => [id, task.prerequisites.filter((each) => open.has(each))]));
  const after = new Map<string, string[]>([...open.keys()].map((id) => [id, []]));
  for (const [id, firsts] of before) for (const first of firsts) after.get(first)!.push(id);
  const waits = new Map([...before].map(([id, firsts]) => [id, firsts.length]));
  const lengths = new Map<string, number>();
  const from = new Map<string, string>();
  const ready = [...open.keys()].filter((id) => waits.get(id) === 0);
  // The tasks are in topological order: each is visited after all of its prerequisites. Tasks in a cycle are never
  // visited.
  for (const id of ready) {
    const length = lengths.get(id) ?? 1;
    lengths.set(id, length);
    for (const next of after.get(id)!) {
      if ((lengths.get(next) ?? 1) < length + 1) {
        lengths.set(next, length + 1);
        from.set(next, id);
      }
      const left = waits.get(next)! - 1;
      waits.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  let end: string | undefined;
  for (const id of open.keys())
    if (waits.get(id) === 0 && (end === undefined || lengths.get(id)! > lengths.get(end)!)) end = id;
  // A single task is not a path.
  if (end === undefined || lengths.get(end)! < 2) return [];
  const path: string[] = [];
  for (let at: string | undefined = end; at !== undefined; at = from.get(at)) path.push(at);
  return path.reverse();
}
