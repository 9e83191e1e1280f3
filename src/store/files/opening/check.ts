import type { StoreParts } from './store-deps.ts';
import { atOnce } from '../../../slices.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { Project } from '../project/project.ts';
import type { StoredRecord } from '../../record/record.ts';
import { sha256 } from '../edits/reconcile.ts';
import { byCreation } from '../../index/table.ts';
import type { Problem } from '../../record/view.ts';

/**
 * The consistency check: runs after tests, on import and as `planner doctor`. Looks at every file, and answers what does not agree:
 * files that cannot be read, files whose bytes are not those that the index knows, records without a file, indexes that miss something.
 */
export function check(engine: StoreParts): readonly Problem[] {
  return atOnce(checking(engine));
}

/** The same in steps, one record or file each: between them the project may change, and is checked as it is then. */
export function* checking(engine: StoreParts): Generator<undefined, readonly Problem[]> {
  const problems: Problem[] = [...engine.status().problems];
  for (const project of [...engine.projects.values()]) {
    engine.recordFiles.inspectAll(project, { whole: true });
    yield;
    problems.push(...project.problems());
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

/** Undefined after each file, where the caller may do something else. */
function* fileProblems(engine: StoreParts, project: Project): Generator<Problem | undefined> {
  for (const path of [...project.files.values()].map((state) => state.path)) {
    yield;
    const state = project.files.at(path);
    const top = `${engine.layout.projects}/${project.directory}`;
    if (state === undefined || state.sha256 === '' || state.unreadable !== undefined || project.pending.has(state.id))
      continue;
    const bytes = engine.options.disk.readIfThere(`${top}/${path}`);
    const problem = {
      path: project.shownPath(path),
      id: state.id,
      remedy: 'It is taken up with the next look at the files.',
    };
    if (bytes === undefined) yield { ...problem, kind: 'missing_file', reason: 'The file is gone.' };
    else if (sha256(bytes) !== state.sha256)
      yield { ...problem, kind: 'changed_file', reason: 'The file holds something else than the index knows.' };
  }
}

/** Undefined after each record. */
function* indexProblems(engine: StoreParts, project: Project): Generator<Problem | undefined> {
  const remedy = 'Restart the service.';
  for (const table of project.index.tables()) {
    const collection = engine.collections.get(table.name);
    let last: StoredRecord | undefined;
    // Goes on correctly over changes made between the steps.
    for (const record of table.list()) {
      const at = { path: `${project.directory}/${table.name}/${record.id}`, id: record.id, kind: 'index', remedy };
      if (last !== undefined && byCreation(last, record) >= 0)
        yield { ...at, reason: 'The order of the list is wrong.' };
      last = record;
      if (collection !== undefined && !project.pending.has(record.id))
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
  if (file === undefined) yield 'The record has no file and none is on its way.';
  else if (file.record === undefined || !sameOnDisk(collection, file.record, record))
    yield 'The index holds another value than the file.';
  for (const link of record.links ?? []) {
    if (!project.index.incoming(link.to).some((one) => one.from === record.id && one.link === link))
      yield `The link to ${link.to} is not in the index.`;
  }
}
