/**
 * What other layers know of the store. Nothing heavy stands here: the engine, what merges for git and what parses YAML are loaded by what
 * wires them (`service.ts`, `git-merge.ts`), so that a command that only looks at a root starts without them.
 */

export { Directories } from './files/checkpoint/directories.ts';
export { errorCode, nodeDisk } from './files/disk/disk.ts';
export type { Disk, DiskSpace, FileStat } from './files/disk/disk.ts';
export { DurableJson, UnreadableFileError, openJson } from './files/disk/durable-json.ts';
export { linkedPart } from './files/disk/linked-path.ts';
export { LocalFiles } from './files/disk/local-files.ts';
export { copyLocal, readOnlyBelow } from './files/disk/read-only.ts';
export { RealDirectories } from './files/disk/real-directories.ts';
export { refuseLinks } from './files/disk/refuse-links.ts';
export { removeQuietly, replaceFile, replaceFileLater } from './files/disk/replace-file.ts';
export { isNewLocal, makeRoot } from './files/disk/root-files.ts';
export { RootLayout } from './files/disk/root-layout.ts';
export { disagreement } from './files/git/disagreement.ts';
export type { FileVersions, MergedFile } from './files/git/merge-files.ts';
export type { MergedPlace, UnmergedFile } from './files/git/merge-places.ts';
export { JournalCorruptError } from './files/journal/journal-recovery.ts';
export { holderOf, isSuspended } from './files/opening/lock-holder.ts';
export type { LockHolder } from './files/opening/lock-holder.ts';
export { checkRootFiles } from './files/opening/root-check.ts';
export type { DeriveIndex, StoreOptions } from './files/project/options.ts';
export { LazyList } from './index/lazy-list.ts';
export { fingerprint } from './index/revise.ts';
export type { ServiceCollectionSpec } from './index/service-records.ts';
export { byCreation } from './index/table.ts';
export { keptFields } from './record/assemble.ts';
export type { Collection, Field, FieldKind, Violation, WholeMembers } from './record/collection.ts';
export { foldName, slugOf } from './record/file-name.ts';
export { lazyHash } from './record/lazy-text.ts';
export { derivedEdgeId, normaliseLinks } from './record/links.ts';
export type { LooseLink } from './record/links.ts';
export { folderFile, idOfFolder, idOfKey, nameOf } from './record/locations.ts';
export { equal } from './record/plain.ts';
export { membersOf } from './record/record.ts';
export type { Collections, Link, Name, Revision, Source, StoredRecord } from './record/record.ts';
export type { ChangeMeta } from './record/status.ts';
export { explained } from './record/unreadable.ts';
export type {
  Belonging,
  DerivedIndex,
  Incoming,
  Problem,
  RecordBytes,
  RecordProblem,
  ServiceTx,
  ServiceView,
  Snapshot,
  StagedBytes,
  Tx,
  View,
} from './record/view.ts';
export type { Store } from './store.ts';
