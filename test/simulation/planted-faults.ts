import type { Without } from './casts.ts';

/** A fault that simulations have to find: a replacement in one source file. */
export interface PlantedFault {
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** Actors and events that are left out: the fewer take part, the fewer failures of the clean sources are in the way. */
  readonly without: Without;
}

const rescanner = 'src/store/files/upkeep/rescanner.ts';
const checkpointer = 'src/store/files/checkpoint/checkpointer.ts';
const fileChanges = 'src/store/files/checkpoint/file-changes.ts';
const directories = 'src/store/files/checkpoint/directories.ts';
const writeLife = 'src/store/files/life/write-life.ts';
const pathLife = 'src/store/files/life/path-life.ts';
const checkpointPlan = 'src/store/files/checkpoint/checkpoint-plan.ts';
const unsyncedFiles = 'src/store/files/checkpoint/unsynced-files.ts';
const rescans = 'src/store/files/upkeep/rescans.ts';
const writtenFiles = 'src/store/files/checkpoint/written-files.ts';
const journalTruncation = 'src/store/files/upkeep/journal-truncation.ts';
const gitGuard = 'src/store/files/checkpoint/git-guard.ts';
const claims = 'src/store/files/life/claims.ts';

const clients: Without = ['editor', 'mover', 'git', 'make the disk fail'];
const editors: Without = ['mover', 'git', 'cut the power', 'make the disk fail'];
const movers: Without = ['git', 'cut the power', 'make the disk fail'];
const git: Without = ['mover', 'cut the power', 'make the disk fail'];
const disk: Without = ['editor', 'mover', 'git', 'cut the power'];

/** Faults that the store had, and that were found otherwise. */
const former: readonly PlantedFault[] = [
  {
    name: 'a change gives way to a deletion while its file is being renamed twice',
    file: rescans,
    from: 'for (const path of await this.#deps.takePending(project.directory)) first!.paths.add(path);',
    to: 'await this.#deps.takePending(project.directory);',
    without: movers,
  },
  {
    name: 'a file that is missing for a moment counts as deleted',
    file: pathLife,
    from: 'const isOver = !waits && (isImmediate || at - since >= deletionGraceMs);',
    to: 'const isOver = waits || isImmediate || at - since >= 0;',
    without: editors,
  },
  {
    name: 'a save is lost that races with the rename of a written file',
    file: fileChanges,
    from: 'if (seen) this.#verifier.hold(keepOpen(), seen.bytes, raced);',
    to: '',
    without: editors,
  },
  {
    name: 'a file that is written piece by piece counts as emptied',
    file: pathLife,
    from: 'const isOver = isImmediate || at - since >= emptyFileGraceMs;',
    to: 'const isOver = isImmediate || at - since >= 0;',
    without: editors,
  },
  {
    name: 'a rescan does not wait for git',
    file: gitGuard,
    from: 'running: locked && !stale,',
    to: 'running: false,',
    without: git,
  },
  {
    name: 'the directories of written files are not synced',
    file: directories,
    from: 'const failure = failureOf(path, () => this.#disk.syncDirectory(path));',
    to: 'const failure = failureOf(path, () => undefined);',
    without: clients,
  },
  {
    name: 'events are lost without a rescan',
    file: rescanner,
    from: 'rescan: () => this.#onPeriodicRescan(),',
    to: 'rescan: () => Promise.resolve(undefined),',
    without: editors,
  },
  {
    name: 'a directory that was renamed before it was synced is not synced',
    file: unsyncedFiles,
    from: 'if (path !== from && !path.startsWith(`${from}/`)) continue;',
    to: 'if (!path.startsWith(`${from}/`)) continue;',
    without: clients,
  },
  {
    name: 'the directory of a folder that a person renames is made again',
    file: checkpointPlan,
    from: 'return folder === location.directory ? {} : { folder: this.#absolute(folder) };',
    to: 'return folder === location.directory ? {} : {};',
    without: movers,
  },
];

/** Mutants of the transitions, and of their callers and drivers. */
const mutants: readonly PlantedFault[] = [
  {
    name: 'a change during a write is forgotten',
    file: writeLife,
    from: "if (again.kind === 'writing') return { ...again, later: Math.min(again.later ?? position, position) };",
    to: "if (again.kind === 'writing') return again;",
    without: clients,
  },
  {
    name: 'a file that was not as expected counts as written',
    file: writeLife,
    from: "differed: (life) => to(dirty(unwritten(life)), 'rescan'),",
    to: "differed: () => to(clean, 'rescan'),",
    without: movers,
  },
  {
    name: 'a postponed write counts as written',
    file: writeLife,
    from: 'postponed: (life) => to(dirty(unwritten(life))),',
    to: 'postponed: () => to(clean),',
    without: git,
  },
  {
    name: 'a write that failed counts as done',
    file: writeLife,
    from: "to({ ...unwritten(life), kind: 'parked', problem }, 'retryLater'),",
    to: 'to(problem === undefined ? life : clean),',
    without: disk,
  },
  {
    name: 'a missing file never counts as deleted',
    file: pathLife,
    from: "step({ kind: 'vanished', since }, isOver ? 'remove' : 'lookAgain');",
    to: "step({ kind: 'vanished', since }, 'lookAgain');",
    without: movers,
  },
  {
    name: 'files are written while git has its lock',
    file: fileChanges,
    from: 'const git = this.#gitOperation();',
    to: 'const git: GitOperation | undefined = undefined as GitOperation | undefined;',
    without: git,
  },
  {
    name: 'a parked change is never retried',
    file: writeLife,
    from: "to({ ...unwritten(life), kind: 'parked', problem }, 'retryLater'),",
    to: "to({ ...unwritten(life), kind: 'parked', problem }),",
    without: disk,
  },
  {
    name: 'a file is not read again that arrived while its record was being written',
    file: pathLife,
    from: "step({ kind: 'deferred', id }, 'lookAgain');",
    to: 'step(known);',
    without: movers,
  },
  {
    name: 'files are reconciled while they are being written',
    file: claims,
    from: 'return this.hasFolder || this.#claims.has(path);',
    to: 'return false;',
    without: editors,
  },
  {
    name: 'an edit during a write is not looked for after it',
    file: checkpointer,
    from: "if (foreign.length > 0) project.queue.add({ kind: 'rescan', paths: foreign, afterMs: 0 });",
    to: '',
    without: editors,
  },
  {
    name: 'a save during a write is found, and not merged',
    file: writeLife,
    from: "const effects: WriteEffect[] = raced ? ['mergeSave'] : [];",
    to: 'const effects: WriteEffect[] = raced ? [] : [];',
    without: editors,
  },
  {
    name: 'written files are not synced before the journal is truncated',
    file: writtenFiles,
    from: 'unsynced.add(`${top}/${path}`, { project, id });',
    to: '',
    without: clients,
  },
  {
    name: 'the journal is truncated although changes are not in files',
    file: journalTruncation,
    from: 'for (const project of this.#engine.projects.values()) oldest = project.oldestNeeded(oldest);',
    to: '',
    without: disk,
  },
];

export const plantedFaults: readonly PlantedFault[] = [...former, ...mutants];
