import type { Command } from 'commander';
import type { ProgramDeps } from './call/program-deps.ts';

/** Adds commands to the program. */
type AddCommands = (deps: ProgramDeps, program: Command) => void;

const hidden = 'Internal';

/**
 * The modules of the commands by group and by the names that each adds, in the order of `planner --help`. A command
 * loads its own alone: all of them together are most of the time of a start.
 */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, () => Promise<AddCommands>>>>> = {
  Plan: {
    connect: async () => (await import('./commands/service/connect.ts')).addConnectCommand,
    task: async () => (await import('./commands/plan/task.ts')).addTaskCommands,
    goal: async () => (await import('./commands/plan/goal.ts')).addGoalCommands,
    dep: async () => (await import('./commands/plan/dep.ts')).addDependencyCommands,
    doc: async () => (await import('./commands/plan/doc.ts')).addDocumentCommands,
    note: async () => (await import('./commands/plan/note.ts')).addNoteCommands,
    tag: async () => (await import('./commands/plan/tag.ts')).addTagCommands,
    artifact: async () => (await import('./commands/plan/artifact.ts')).addArtifactCommands,
    attach: async () => (await import('./commands/plan/attach.ts')).addAttachCommand,
    comment: async () => (await import('./commands/plan/comment.ts')).addCommentCommand,
    search: async () => (await import('./commands/plan/search.ts')).addSearchCommand,
    board: async () => (await import('./commands/plan/board.ts')).addBoardCommand,
    projects: async () => (await import('./commands/plan/projects.ts')).addProjectsCommand,
    import: async () => (await import('./commands/plan/import.ts')).addImportCommand,
    export: async () => (await import('./commands/plan/export.ts')).addExportCommand,
  },
  Work: {
    'status inbox': async () => (await import('./commands/plan/status.ts')).addStatusCommands,
    'next claim start': async () => (await import('./commands/plan/work.ts')).addWorkCommands,
    log: async () => (await import('./commands/plan/log.ts')).addLogCommand,
    show: async () => (await import('./commands/plan/show.ts')).addShowCommand,
    'trash restore': async () => (await import('./commands/plan/trash.ts')).addTrashCommands,
    undo: async () => (await import('./commands/plan/undo.ts')).addUndoCommand,
    done: async () => (await import('./commands/plan/done.ts')).addDoneCommand,
    release: async () => (await import('./commands/plan/release.ts')).addReleaseCommand,
    'review approve send-back answer': async () => (await import('./commands/plan/review.ts')).addReviewCommands,
    verify: async () => (await import('./commands/plan/verify.ts')).addVerifyCommand,
    run: async () => (await import('./commands/plan/run.ts')).addRunCommand,
    merge: async () => (await import('./commands/plan/merge.ts')).addMergeCommand,
    events: async () => (await import('./commands/plan/events.ts')).addEventsCommand,
  },
  Git: {
    init: async () => (await import('./commands/service/init.ts')).addInitCommand,
    diff: async () => (await import('./commands/plan/diff.ts')).addDiffCommand,
    sync: async () => (await import('./commands/service/sync.ts')).addSyncCommand,
    push: async () => (await import('./commands/service/push.ts')).addPushCommand,
    pull: async () => (await import('./commands/service/pull.ts')).addPullCommand,
    resolve: async () => (await import('./commands/service/resolve.ts')).addResolveCommand,
    worktree: async () => (await import('./commands/service/worktree.ts')).addWorktreeCommand,
    commit: async () => (await import('./commands/service/commit.ts')).addCommitCommand,
  },
  Share: {
    disconnect: async () => (await import('./commands/service/disconnect.ts')).addDisconnectCommand,
    mcp: async () => (await import('./commands/service/mcp.ts')).addMcpCommand,
    share: async () => (await import('./commands/plan/share.ts')).addShareCommands,
    keys: async () => (await import('./commands/service/keys.ts')).addKeyCommands,
    login: async () => (await import('./commands/service/login.ts')).addLoginCommand,
    webhooks: async () => (await import('./commands/service/webhooks.ts')).addWebhookCommands,
  },
  Operate: {
    serve: async () => (await import('./commands/service/serve.ts')).addServeCommand,
    open: async () => (await import('./commands/service/open.ts')).addOpenCommand,
    stop: async () => (await import('./commands/service/stop.ts')).addStopCommand,
    demo: async () => (await import('./commands/service/demo.ts')).addDemoCommand,
    'flush doctor': async () => (await import('./commands/service/service.ts')).addServiceCommands,
    call: async () => (await import('./commands/plan/call.ts')).addCallCommand,
    migrate: async () => (await import('./commands/service/migrate.ts')).addMigrateCommand,
    adopt: async () => (await import('./commands/service/adopt.ts')).addAdoptCommand,
    completion: async () => (await import('./commands/service/completion.ts')).addCompletionCommand,
  },
  // For git, not for people.
  [hidden]: {
    'merge-driver': async () => (await import('./commands/service/merge-driver.ts')).addMergeDriverCommand,
  },
};

/** The names of the commands by group, as the help has them. */
export function visibleNames(): readonly (readonly [group: string, names: readonly string[]])[] {
  return Object.entries(commandGroups)
    .filter(([group]) => group !== hidden)
    .map(([group, modules]) => [group, Object.keys(modules).flatMap((names) => names.split(' '))]);
}
