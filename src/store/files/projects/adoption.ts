import { isoTime } from '../../../base/clock.ts';
import type { EntryBody } from '../../record/entry.ts';
import { createdDirectory } from '../../record/entry.ts';
import type { Change } from '../../record/record.ts';
import { type Chains, chains } from '../journal/chains.ts';
import type { KeptEntry, Mark } from '../journal/journal.ts';
import { makeDirectoryDurably } from '../disk/root-files.ts';
import { largeFiles } from '../project/large-texts.ts';
import type { Project } from '../project/project.ts';
import { secondDirectory } from './directory-problems.ts';
import { followDirectory } from './follow-directory.ts';
import type { NoteTransition } from '../../record/derive-index.ts';
import { Recovery } from '../recovery/recovery.ts';
import { createdAt, sinceCreation } from '../recovery/since-creation.ts';
import { continueLog, restoreVersions } from '../recovery/restore-versions.ts';
import { unjournaledEdits } from '../recovery/unjournaled-edits.ts';
import type { ProjectAdoption, StoreDeps } from './store-deps.ts';
import { writtenPaths } from '../recovery/written-paths.ts';

/** The components that loading a project needs. */
type AdoptionEngine = Pick<
  StoreDeps,
  | 'options'
  | 'layout'
  | 'collections'
  | 'locations'
  | 'projects'
  | 'journal'
  | 'commit'
  | 'contexts'
  | 'feeds'
  | 'checkpointer'
  | 'loader'
  | 'largeTexts'
  | 'git'
  | 'attachmentFiles'
  | 'fileCommits'
  | 'unserved'
  | 'signals'
  | 'onProjectAdded'
>;

/** Loads project directories, with the journal's values of them, and adds them to the served projects. */
export class Adoption implements ProjectAdoption {
  readonly #engine: AdoptionEngine;

  constructor(engine: AdoptionEngine) {
    this.#engine = engine;
  }

  /**
   * An empty project for this directory, which is not served yet. If there was one with this id, its log goes on behind
   * the former entries.
   */
  newProject(id: string, directory: string): Project {
    const project = this.#engine.loader.newProject(id, directory);
    const { seq } = continueLog(this.#engine.journal, this.#engine.commit, project, [], undefined);
    project.createdAt = seq + 1;
    if (seq > 0) this.#continueDeleted(project);
    this.#derive(project);
    return project;
  }

  /** What an opening would find of it is the same as now: its history of edits on disk, and no former directory. */
  #continueDeleted(project: Project): void {
    const { loader, options, layout } = this.#engine;
    loader.readHistory(project);
    for (const path of [layout.trash, layout.projects])
      if (options.disk.stat(path) !== undefined) options.disk.syncDirectory(path);
  }

  load(
    directory: string,
    entries: readonly KeptEntry<EntryBody>[] = [],
    marks: readonly Mark[] = [],
    journaledId?: string,
  ): Project | undefined {
    const stamp = this.#engine.unserved.stampOf(directory);
    const id = journaledId ?? this.#engine.loader.idOf(directory);
    if (id === undefined) {
      this.#engine.unserved.inspect(directory, stamp);
      return undefined;
    }
    const served = this.#engine.projects.get(id);
    if (served !== undefined) return this.#findAgain(served, directory);
    const present = sinceCreation(entries);
    const journaledChanges = chains(present, marks);
    const { project, outcome, known, cached } = this.#engine.loader.load(
      id,
      directory,
      journaledChanges,
      createdAt(present),
    );
    const head = continueLog(this.#engine.journal, this.#engine.commit, project, present, cached);
    for (const change of outcome.changes) project.index.apply(change);
    const recovery = this.#recoveryOf(directory);
    const recovered = recovery.recover(project, journaledChanges, outcome.retryPaths);
    const { overridden, upToDate, edits, moved, tornIds } = recovered;
    this.#markReferenced(project, journaledChanges);
    // Differences from the journal or the index cache were edits while no service ran: it gets a revision like any
    // edit.
    const journaled = new Set(edits.map(({ id: edited }) => edited));
    const others = outcome.changes.filter((change) => !tornIds.has(change.id) && !journaled.has(change.id));
    this.#engine.fileCommits.addOfflineRevisions(
      project,
      unjournaledEdits(this.#engine.collections, present, cached?.snapshot),
      [],
    );
    if (known) this.#engine.fileCommits.addOfflineRevisions(project, others, outcome.overridden);
    this.#engine.fileCommits.addOfflineRevisions(project, [...edits, ...moved], overridden);
    this.#engine.journal.appendMarks(upToDate);
    const unjournaled = restoreVersions(project, cached, present, head);
    for (const file of largeFiles(project)) {
      const collection = this.#engine.collections.get(file.collection);
      if (collection !== undefined) this.#engine.largeTexts.evictState(project, collection, file);
    }
    if (present.length > 0) this.#engine.checkpointer.markUnsynced(writtenPaths(this.#engine, project, present));
    if (project.index.record(id) === undefined && project.dirty.size === 0) {
      const { id: _, ...problem } = project.problemOf(id) ?? {};
      this.#engine.unserved.inspect(directory, stamp, 'path' in problem ? problem : undefined);
      return undefined;
    }
    this.#derive(project);
    this.add(project);
    this.#openFeed(project, entries, unjournaled);
    this.#engine.attachmentFiles.inspectAll(project, { restoreMissing: true });
    return project;
  }

  /** The ids of records that journaled changes began to refer to may not have been written into their files before a crash. */
  #markReferenced(project: Project, { pending, marked }: Chains): void {
    for (const { collection, id, base: from, position } of [...pending, ...marked])
      this.#engine.fileCommits.markReferenced(
        project,
        { collection, id, from, to: project.index.record(id) },
        position,
      );
  }

  /** A directory has the id of a project that is served: it was renamed, or is a second one. */
  #findAgain(served: Project, directory: string): undefined {
    if (served.directory === directory) return;
    if (this.#engine.loader.isProject(served.directory))
      served.otherProblems.set(directory, secondDirectory(served, directory));
    else if (followDirectory(this.#engine, served, directory))
      served.queue.add({ kind: 'rescan', paths: [...served.files.pathsBelow(''), ''], afterMs: 0 });
  }

  /** Serves a project. */
  add(project: Project): void {
    this.#engine.projects.set(project.id, project);
    this.#engine.unserved.remove(project.directory);
    this.#engine.signals.note(project.id);
    this.#engine.onProjectAdded();
  }

  remove(project: Project): void {
    this.#engine.projects.delete(project.id);
    this.#engine.signals.note(project.id);
  }

  loadFromJournal(id: string, entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): void {
    const present = sinceCreation(entries);
    const directory = createdDirectory(present.map(({ body }) => body));
    if (directory === undefined) return;
    // A crash happened before project.json was written, or tore it: existing files belong to the project.
    const isThere =
      this.#engine.options.disk.stat(`${this.#engine.layout.projects}/${directory}`)?.kind === 'directory';
    if (isThere) return void this.load(directory, entries, marks, id);
    const project = this.#engine.loader.newProject(id, directory);
    const head = continueLog(this.#engine.journal, this.#engine.commit, project, present, undefined);
    const recovered = this.#recoveryOf(directory).recover(project, chains(present, marks));
    const { overridden, upToDate, edits, moved } = recovered;
    const { collections, fileCommits } = this.#engine;
    // A power failure may lose the files, and keep in the journal what an opening had found in them.
    fileCommits.addOfflineRevisions(project, unjournaledEdits(collections, present, undefined), []);
    fileCommits.addOfflineRevisions(project, [...edits, ...moved], overridden);
    this.#engine.journal.appendMarks(upToDate);
    const unjournaled = restoreVersions(project, undefined, present, head);
    // A person removed its directory.
    if (project.index.record(id) === undefined && project.dirty.size === 0) return;
    this.#derive(project);
    this.add(project);
    this.#openFeed(project, entries, unjournaled);
    this.#engine.attachmentFiles.inspectAll(project, { restoreMissing: true });
  }

  #derive(project: Project): void {
    const { options, contexts } = this.#engine;
    const touch = (collection: string, id: string): void => project.index.touch(collection, id);
    const transition: NoteTransition = (type, record, isSo) => project.index.versions.transition(type, record, isSo);
    for (const [name, make] of Object.entries(options.derived))
      project.index.derive(name, make(contexts.viewOf(project), touch, transition));
  }

  /**
   * Continues the feed of a loaded project. `edits`: what differs from the state that was served last; undefined if that
   * state is unknown.
   */
  #openFeed(project: Project, entries: readonly KeptEntry<EntryBody>[], edits: readonly Change[] | undefined): void {
    const { feeds, fileCommits } = this.#engine;
    if (feeds === undefined) return;
    const { head } = project.replica.tail;
    const isKnown = edits !== undefined;
    const opened = feeds.open(project.id, { head, entries, isKnown, epoch: project.index.versions.epoch });
    if (!opened) fileCommits.journalOfflineEdits(project, 'unknown');
    else if (edits !== undefined && edits.length > 0) fileCommits.journalOfflineEdits(project, edits);
  }

  #recoveryOf(directory: string): Recovery {
    const { disk, clock } = this.#engine.options;
    return new Recovery({
      disk,
      clock,
      collections: this.#engine.collections,
      locations: this.#engine.locations,
      directoryOf: () => `${this.#engine.layout.projects}/${directory}`,
      isDuringGit: this.#engine.git?.currentOperation() !== undefined,
    });
  }

  moveToTrash(directory: string): void {
    const { disk, clock } = this.#engine.options;
    const { projects, trash } = this.#engine.layout;
    // None was written of a project that is deleted at once.
    if (disk.stat(`${projects}/${directory}`) !== undefined) {
      makeDirectoryDurably(disk, trash);
      const stamp = isoTime(clock.now()).replace(/[:.]/g, '-');
      disk.rename(`${projects}/${directory}`, `${trash}/${stamp}.${directory}`);
      this.#engine.checkpointer.markUnsynced(new Map([projects, trash].map((path) => [path, undefined])));
    }
    this.#engine.loader.leaving.delete(directory);
  }
}
