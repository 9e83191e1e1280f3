/** The fields of a task that the picker changes, with the key of each; those without one are in its list of all. */
export const pickedFields = {
  status: { name: 'Status', keys: 's' },
  priority: { name: 'Priority', keys: 'p' },
  goal_id: { name: 'Goal', keys: 'm' },
  assignee: { name: 'Assignee', keys: 'w' },
  due_date: { name: 'Due date', keys: 'd' },
  tags: { name: 'Tags', keys: 't' },
  prerequisites: { name: 'Prerequisites', keys: 'b' },
  lane: { name: 'Lane', keys: 'v' },
  kind: { name: 'Kind', keys: 'y' },
  severity: { name: 'Severity', keys: undefined },
  commit_refs: { name: 'Commits', keys: undefined },
  answer: { name: 'Answer to the agent', keys: 'q' },
} as const;

export type PickedField = keyof typeof pickedFields;

/** Every field but the answer, which only a task has whose agent asks. */
export const fieldNames = (Object.keys(pickedFields) as PickedField[]).filter((name) => name !== 'answer');

export function isPicked(name: string): name is PickedField {
  return Object.hasOwn(pickedFields, name);
}
