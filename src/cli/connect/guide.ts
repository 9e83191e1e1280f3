import type { NamedProject } from '../call/project-choice.ts';

/** The guide in `.planner/AGENTS.md`: the working loop, over MCP and from a shell. */
export function guide({ id, name }: NamedProject): string {
  return `# Working with the plan

This repository's plan is the Planner project ${shown(name)} (\`${id}\`). It is shared: people and other agents see what you change.

## The loop

Over MCP (server \`planner\`), leave \`project_id\` out: the project is bound.

1. \`invoke_goal\` makes a goal current and returns its first task; \`list_goals\` shows the goals.
2. \`get_next_task\` returns the task to do now, or the reason why there is none.
3. \`claim_task\` with your \`agent_ref\` takes it. \`claimed: false\` means that another agent has it: get the next one.
4. Do the work. \`get_task\` and \`get_document\` have what you need to know.
5. \`update_task\` with status \`done\`, and \`commit_refs\` if there are commits.
6. Back to 2. When every task of the goal is done, run its verification and \`complete_goal\` with the evidence.

Without MCP, from a shell:

\`\`\`sh
planner claim --as <your name> --json   # the next task, taken for you
planner done <task> --as <your name> --commit <sha>
planner task add "Found on the way" --status scope
planner call <tool> '<JSON>'            # any tool; planner call lists them
\`\`\`

## Rules

- Work that you find on the way is a new task with status \`scope\`: a person releases it.
- Agents delete nothing of the plan: set a status instead.
- Never guess ids. Error messages state how to correct a call.
- The plan's files in \`.planner/projects\` may be read and edited like any others, and are committed with the code.
- In a linked worktree of git the plan is shared: its files are elsewhere, usually in the main worktree, and are committed there. Do not edit or commit the copy on your branch. \`planner worktree\` shows where the plan is and what is uncommitted.
- \`.planner/token\` is a key: never print, copy or commit it.`;
}

/** The section of the AGENTS.md at the top of the repository, which points to the guide. */
export function pointer({ name }: NamedProject): string {
  return `## Plan

Work in this repository is planned in Planner, project ${shown(name)}. Before you begin, read \`.planner/AGENTS.md\`: take a task (\`claim_task\` over MCP, or \`planner claim\`), do it, set it to \`done\`, take the next.`;
}

/** A project's name as one line without our markup. */
function shown(name: string): string {
  return `"${name.replace(/[\s\p{Cc}]+/gu, ' ').replace(/[<>`]/g, '')}"`;
}
