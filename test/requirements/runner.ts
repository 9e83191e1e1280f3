import type { Section } from './section.ts';

/** Verification by planner verify, and what it leaves on goals and tasks. */
export const runner: Section = {
  title: 'The runner: verification with a proof',
  now: {
    'A.verify.covers': 'Goals and tasks have covers, paths or globs within the repository; [] is all of it.',
    'A.verify.gate': 'A task may have a gate of its own.',
    'A.verify.proof':
      'Evidence may carry a proof, which the last verification keeps; a proof of a commit makes the state current.',
    'A.verify.state':
      'A caller that compared a proof with the repository sets it to stale, with how far it is behind, or to current again; without a proof of a commit there is no state.',
    'A.verify.stale': 'A goal or task that becomes stale is an event.',
    'A.verify.run':
      'planner verify runs the gate of a goal or task at a commit in a fresh worktree, and hands the evidence in with a proof and the output as an artifact; it ends with 0 green, 1 red, 2 not run, 3 refused.',
    'A.verify.trust':
      'A command of the plan runs only if the user allowed exactly it, for this project in this place, at a terminal or by --trust, which is remembered even if the goal cannot be completed yet; a repository cannot allow it.',
    'A.verify.worktree':
      'What is not committed is named and not verified, unless --here; no hook or filter of the repository runs; a worktree is removed, after the death of its process by the next run.',
    'A.verify.environment':
      'A gate gets plain variables and those that the user lists, and no setting or key of Planner.',
    'A.verify.limits':
      'A gate that exceeds its time ends with all that it started, and is red; its output is bounded, its digest is of all of it.',
    'A.verify.setup': 'The set-up command of config.json runs first; its failure is no red gate.',
    'A.verify.people': 'Checklists and sign-offs are answered at the terminal, and not without one.',
    'A.verify.check':
      'planner verify --check says of what is verified whether it is current, stale with the commits that touch it, of an unknown commit or without a proof, and beside that which goals are red and which gates have not run, which do not count as off; --mark notes it in the plan.',
    'A.verify.waits':
      'Lists find the goals that wait for a person, since they are red, stale or to verify, and the tasks in todo whose last run failed; planner status shows both with the command to run next.',
    'A.verify.again': 'A complete goal is verified again with a proof: green renews it, red blocks it.',
    'A.verify.ready': 'A goal whose last open task is done is an event; its own remediation task does not count.',
    'A.run.agent-presets':
      'The common coding agents are known by name; one is installed if its program is in an absolute directory of PATH, and planner doctor lists those that are and starts none.',
    'A.run.agent-own': "The user's own agents are in the user's configuration, never in a repository.",
    'A.run.agent-stdin':
      'An agent on standard input is a process in a process group of its own for each prompt; exit code 0 is done.',
    'A.run.agent-acp':
      'An agent that speaks the Agent Client Protocol gets the worktree, the plan as an MCP server, and one prompt after the other.',
    'A.run.agent-progress':
      'What an agent says, its tool calls and the step of its plan are lines of progress: short, without control characters, at most one a second.',
    'A.run.agent-usage':
      'Tokens and cost are those that the agent reports, while it works: at once, then at most every three seconds, and only if they changed.',
    'A.run.agent-asks':
      'A request for permission and a question go to a person; the answer goes back, and without one the agent reads that it was cancelled.',
    'A.run.agent-fails':
      'An agent that is missing, crashes, hangs at its start, prints what is no message, or speaks another version fails its turn, with the reason.',
    'A.run.agent-ends':
      'An agent that has to stop is asked to, then ended, with all that it started in its process group.',
    'A.run.work':
      'planner run claims a task, starts an agent in a worktree on a branch of its own with what is known about the task and a key for its project that ends with it, and shows its progress as a run.',
    'A.run.settle':
      'What is green is done with its commits and a proof, and waits for a person unless its lane is auto; without a gate it waits for a person.',
    'A.run.merge':
      'In the lane auto a green branch is merged if nothing is lost by it and the gate is green on the result; a conflict goes back to the agent once, with its files and commits; else a person is asked to review it.',
    'A.run.merge-lane':
      'A task keeps its lane: one of the lane auto waits for review as long as it has a branch that is not merged.',
    'A.run.merge-command':
      'planner merge merges the branch of an approved task, by a fast-forward if that is possible, and hands in the proof of the result; what is merged already is said, what is not approved is refused with the next command.',
    'A.run.to-merge': 'Lists find the tasks that are done and verified, and whose branch is not merged.',
    'A.run.merge-refused':
      'If a merge conflicts, its gate is red, files are in the way or a filter would run, nothing changes and the reason is said; conflicts and red gates are a comment on the task.',
    'A.run.merge-branch':
      'A branch is removed after its merge, unless it is in use or has commits that are not merged.',
    'A.run.merge-programs': 'A merge runs no hook, filter or merge driver of the repository.',
    'A.run.approved':
      'planner run merges approved branches in the order of the graph, before it takes tasks and while agents work; what was not merged is tried again after the branch or its base has moved.',
    'A.run.goal': 'A goal whose last task is done and merged is verified at the present commit.',
    'A.run.tries':
      'A red gate goes back to the agent; after the last attempt the task is in todo with a comment, its branch kept, from which the next attempt goes on.',
    'A.run.failure':
      'An agent that fails or changes nothing loses neither the task nor its work: the task is in todo, the work committed.',
    'A.run.outside': 'Files outside of the worktree that changed meanwhile are named.',
    'A.run.trust':
      'Gates and set-up commands run only if they are allowed; one that an agent changed is asked for again.',
    'A.run.hostile':
      'Texts of a plan are no words of a command; no filter, hook or setting of the repository runs, and none of its files names an agent or allows a command.',
    'A.run.choice':
      'Decisions, tasks in the lane full, tasks of guests and tasks whose prerequisites are not merged are left; --dry-run says so.',
    'A.run.parallel': 'Several tasks are worked at once, but none that cover the same files.',
    'A.run.ask':
      'A question of an agent waits in its run for the answer of a person, which goes back to the agent; usage that it reports is in the run.',
    'A.run.stop': 'A runner that is stopped commits the work of its agents and gives their tasks back.',
    'A.run.example':
      'npm run example works a goal of six tasks to its end, with a question, a red gate and an approval, and leaves nothing behind.',
    'A.run.budget':
      'The budget of a goal, of the form 30 tasks, 4 h, 2M tokens or 20 USD, counts over all its runs; one that is used up pauses the goal, which shows the reason.',
    'A.run.park':
      'A task whose agent gets no answer in time waits with its worktree, run and question, and is held for its runner; once a person answers, the next run goes on with it, in the same conversation if the agent can do that.',
    'A.run.late': 'An agent that takes longer than its time for a task is ended, and the task given back.',
    'A.run.exit':
      'planner run ends with 0 if nothing was left undone by a failure, also with nothing to do; 1 if a task came back or a gate is red; 130 if it was stopped.',
    'A.run.identity':
      "A run names its agent, and the runner's changes of a task are those of an agent by that name, whose key ends with the work.",
    'A.run.death':
      'The next run ends the agent of a runner that died, and gives its task back with its work on the branch, or settles and merges it if the work was over; whatever step it died at, no key, run, note or lock of git stays and no log is doubled.',
  },
};
