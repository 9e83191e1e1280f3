/** Other tools' names for a command, and the command that does it here. Names that are only spelled alike mislead. */
const commands: Readonly<Record<string, string>> = {
  add: 'planner task add',
  assign: 'planner task set <task> --assignee <name>',
  browse: 'planner open',
  close: 'planner done',
  complete: 'planner done',
  create: 'planner task add',
  delete: 'planner task rm, or planner doc rm, note rm, artifact rm, tag rm',
  depends: 'planner dep',
  edge: 'planner dep',
  edit: 'planner task edit',
  finish: 'planner done',
  graph: 'planner dep tree',
  history: 'planner log',
  label: 'planner tag',
  list: 'planner task list',
  ls: 'planner task list',
  move: 'planner task set <task> --status <status>',
  new: 'planner task add',
  ready: 'planner task list --ready',
  remove: 'planner task rm, or planner doc rm, note rm, artifact rm, tag rm',
  rm: 'planner task rm, or planner doc rm, note rm, artifact rm, tag rm',
  set: 'planner task set',
  tree: 'planner dep tree',
  triage: 'planner inbox',
  ui: 'planner open',
  unclaim: 'planner release',
  update: 'planner task set',
  version: 'planner --version',
  view: 'planner show',
  web: 'planner open',
};

/** The error of commander for an unknown command, with the command that corresponds to the word in other tools. */
export function withOtherWord(message: string): string {
  const [, name = ''] = /unknown command '([^']*)'/.exec(message) ?? [];
  const meant = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return meant === undefined ? message : `error: unknown command '${name}'\n(It is ${meant} here.)`;
}
