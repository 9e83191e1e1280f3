import type { StoreDeps } from '../projects/store-deps.ts';
import { atOnce } from '../../../base/slices.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { Project } from '../project/project.ts';
import type { StoredRecord } from '../../record/record.ts';
import { byCreation } from '../../replica/table.ts';
import type { Problem } from '../../record/read-transaction.ts';
import { sha256Of } from '../disk/sha256.ts';

/** The components that the check needs. */
export type CheckDeps = Pick<
  StoreDeps,
  'options' | 'layout' | 'collections' | 'projects' | 'attachmentFiles' | 'findDirectories' | 'status'
>;

/**
 * The consistency check, which runs after tests and on import. Reads every file and returns each inconsistency, with the
 * problems of the projects: unreadable files, files that differ from the index, records without a file, incomplete indexes.
 */
export function check(engine: CheckDeps): readonly Problem[] {
  const found = atOnce(checking(engine));
  return [...found, ...[...engine.projects.values()].flatMap((project) => project.problems())];
}

/**
 * The same without the problems of projects, which reads have, too, in steps of one record or file each: between them
 * the project may change, and later steps see the change.
 */
export function* checking(engine: CheckDeps): Generator<undefined, readonly Problem[]> {
  engine.findDirectories();
  const problems: Problem[] = [...engine.status().problems];
  for (const project of [...engine.projects.values()]) {
    engine.attachmentFiles.inspectAll(project, { verifyContent: true });
    yield;
    yield* gather(fileProblems(engine, project), problems);
    yield* gather(indexProblems(engine, project), problems);
  }
  return problems;
}

function* gather(found: Iterable<Problem | undefined>, problems: Problem[]): Generator<undefined> {
  for (const problem of found) {
    if (problem === undefined) yield;
    else problems.push(problem);
  }
}

/** Yields undefined after each file, so that the caller may do something else. */
function* fileProblems(engine: CheckDeps, project: Project): Generator<Problem | undefined> {
  for (const path of [...project.files.values()].map((state) => state.path)) {
    yield;
    const state = project.files.at(path);
    const top = `${engine.layout.projects}/${project.directory}`;
    if (state === undefined || state.sha256 == null || state.unreadable !== undefined || project.dirty.has(state.id))
      continue;
    const bytes = engine.options.disk.readIfExists(`${top}/${path}`);
    const problem = {
      path: project.shownPath(path),
      id: state.id,
      remedy: 'The next rescan reads the file.',
    };
    if (bytes === undefined) yield { ...problem, kind: 'missing_file', reason: 'The file is gone.' };
    else if (sha256Of(bytes) !== state.sha256)
      yield { ...problem, kind: 'changed_file', reason: 'The file differs from the index.' };
  }
}

/** Yields undefined after each record. */
function* indexProblems(engine: CheckDeps, project: Project): Generator<Problem | undefined> {
  const remedy = 'Restart the service.';
  for (const table of project.index.tables()) {
    const collection = engine.collections.get(table.name);
    let last: StoredRecord | undefined;
    // The iteration is correct even if the table changes between the steps.
    for (const record of table.list()) {
      const at = { path: `${project.directory}/${table.name}/${record.id}`, id: record.id, kind: 'index', remedy };
      if (last !== undefined && byCreation(last, record) >= 0)
        yield { ...at, reason: 'The order of the list is wrong.' };
      last = record;
      if (collection !== undefined && !project.dirty.has(record.id))
        for (const reason of recordFaults(project, collection, record)) yield { ...at, reason };
      yield undefined;
    }
    let listed = 0;
    for (const _ of table.list()) listed++;
    const reason = `The list has ${listed} of ${table.size} records.`;
    if (listed !== table.size) yield { path: `${project.directory}/${table.name}`, kind: 'index', reason, remedy };
  }
}

function* recordFaults(project: Project, collection: Collection, record: StoredRecord): Generator<string> {
  const file = project.files.served(record.id);
  if (file === undefined) yield 'The record has no file, and none is pending.';
  else if (file.record === undefined || !sameOnDisk(collection, file.record, record))
    yield 'The index has another value than the file.';
  for (const { link } of project.index.outgoing(record.id)) {
    if (!project.index.incoming(link.to).some((one) => one.from === record.id && one.link === link))
      yield `The link to ${link.to} is not in the index.`;
  }
}
