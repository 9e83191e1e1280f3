/**
 * The public interface of the store for other layers. It loads no heavy modules: the wiring (`service.ts`,
 * `git-merge.ts`) imports the engine, the merge driver and the YAML parser itself, so that a command that only inspects
 * a root starts without them.
 */

export { Directories } from './files/checkpoint/directories.ts';
export { AnsweredBefore } from './commit/superseded.ts';
export { errorCode, nodeDisk } from './files/disk/disk.ts';
export type { Disk, DiskSpace, FileStat } from './files/disk/disk.ts';
export { DurableJson, UnreadableFileError, openJson } from './files/disk/durable-json.ts';
export { linkedPart } from './files/disk/linked-path.ts';
export { LocalFiles } from './files/disk/local-files.ts';
export { copyLocal, readOnlyBelow } from './files/disk/read-only.ts';
export { RealDirectories } from './files/disk/real-directories.ts';
export { refuseLinks } from './files/disk/refuse-links.ts';
export { removeQuietly, replaceFile, replaceFileAsync } from './files/disk/replace-file.ts';
export { SharedJson } from './files/disk/shared-json.ts';
export { isNewLocal, makeRoot } from './files/disk/root-files.ts';
export { RootLayout } from './files/disk/root-layout.ts';
export { conflictReason } from './files/git/conflict-reason.ts';
export type { FileVersions, MergedFile } from './files/git/merge-files.ts';
export { mergedDirectories, rowsInMerged } from './files/git/merge-rows.ts';
export type { MergedLocation, UnmergedFile } from './files/git/merge-locations.ts';
export { JournalCorruptError } from './files/journal/journal-recovery.ts';
export {
  holderOf,
  isAlive,
  isInOtherContainer,
  isOnOtherMachine,
  isSameHolder,
  isSuspended,
  thisMachine,
} from './files/lock/lock-holder.ts';
export type { LockHolder } from './files/lock/lock-holder.ts';
export type { TreeFile } from './files/tree/plan-tree.ts';
export { checkRootFiles } from './files/root/root-check.ts';
export type { StoreOptions } from './files/project/options.ts';
export { LazyList } from './replica/lazy-list.ts';
export { SortedList } from './record/sorted-list.ts';
export { titleOfName } from './files/codec/derived-title.ts';
export { fingerprint } from './replica/revise.ts';
export type { ServiceCollectionSpec } from './replica/service-records.ts';
export { byCreation } from './replica/table.ts';
export { pathFields } from './record/assemble.ts';
export { mergeRecords } from './merge/merge.ts';
export type { Collection, Field, FieldKind, Violation, WholeMembers } from './record/collection.ts';
export { foldName, slugOf } from './record/file-name.ts';
export type { DeriveIndex, NoteTransition } from './record/derive-index.ts';
export { hasLazyText, lazyHash, readInSteps, startOf, withTexts } from './record/lazy-text.ts';
export { Needed, whenFetched } from './record/look-ups.ts';
export { fromEntryChange } from './record/entry.ts';
export type { EntryBody } from './record/entry.ts';
export type {
  DescribeEntry,
  EntryEvents,
  EventChange,
  FeedEvent,
  FeedPage,
  FeedQuery,
  StoredEvent,
} from './record/feed.ts';
export { keptFileCollection, keptFileId } from './record/kept-file.ts';
export type { KeptFile } from './record/kept-file.ts';
export { derivedEdgeId, normaliseLinks } from './record/links.ts';
export type { LooseLink } from './record/links.ts';
export { readRows, rowsFile, textOfRows } from './record/folder-rows.ts';
export { idOfFolder, idOfKey, nameOf } from './record/locations.ts';
export { equal } from './record/plain.ts';
export { membersOf } from './record/record.ts';
export type {
  Change,
  Collections,
  Link,
  Name,
  Revision,
  RevisionId,
  RevisionSummary,
  Source,
  StoredRecord,
} from './record/record.ts';
export type { ChangeMeta } from './record/status.ts';
export { explainNotFound } from './record/unreadable.ts';
export type {
  Belonging,
  DerivedIndex,
  Incoming,
  Problem,
  ProjectList,
  Remedy,
  RecordBytes,
  RecordProblem,
  RecordsWanted,
  ServiceReader,
  ServiceTx,
  ServiceReadTransaction,
  Snapshot,
  StagedBytes,
  Tx,
  ReadTransaction,
  WrittenFile,
} from './record/read-transaction.ts';
export type { ChooseProjects, FoundTitle, TitleQuery, Titles, TitleWords, WantedWord } from './record/title-search.ts';
export type { FileStore } from './file-store.ts';
export type { Store } from './transactions/store.ts';
export type { StoreHooks } from './transactions/store-engine.ts';
