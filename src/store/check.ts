import type { StoreParts } from './store-parts.ts';
import { sameOnDisk } from './assemble.ts';
import type { Project } from './project.ts';
import { sha256 } from './reconcile.ts';
import { byCreation } from './table.ts';
import type { Problem } from './view.ts';

/**
 * The consistency check: runs after tests, on import and as `planner doctor`. Looks at every file, and answers what does not agree:
 * files that cannot be read, files whose bytes are not those that the index knows, records without a file, indexes that miss something.
 */
export function check(engine: StoreParts): readonly Problem[] {
  const problems: Problem[] = [...engine.status().problems];
  for (const project of engine.projects.values()) {
    engine.recordFiles.inspectAll(project, { whole: true });
    problems.push(...project.problems());
    for (const problem of fileProblems(engine, project)) problems.push(problem);
    for (const problem of indexProblems(engine, project)) problems.push(problem);
  }
  return problems;
}

function* fileProblems(engine: StoreParts, project: Project): Generator<Problem> {
  const top = `${engine.layout.projects}/${project.directory}`;
  for (const state of project.files.values()) {
    if (state.sha256 === '' || state.unreadable !== undefined || project.pending.has(state.id)) continue;
    const bytes = engine.options.disk.readIfThere(`${top}/${state.path}`);
    const problem = {
      path: project.shownPath(state.path),
      id: state.id,
      remedy: 'It is taken up with the next look at the files.',
    };
    if (bytes === undefined) yield { ...problem, kind: 'missing_file', reason: 'The file is gone.' };
    else if (sha256(bytes) !== state.sha256)
      yield { ...problem, kind: 'changed_file', reason: 'The file holds something else than the index knows.' };
  }
}

function* indexProblems(engine: StoreParts, project: Project): Generator<Problem> {
  for (const table of project.index.tables()) {
    const collection = engine.collections.get(table.name);
    let last: { readonly created_at: string; readonly id: string } | undefined;
    let listed = 0;
    for (const record of table.list()) {
      listed++;
      const at = {
        path: `${project.directory}/${table.name}/${record.id}`,
        id: record.id,
        remedy: 'Restart the service.',
      };
      if (last !== undefined && byCreation(last, record) >= 0)
        yield { ...at, kind: 'index', reason: 'The order of the list is wrong.' };
      last = record;
      const file = project.files.served(record.id);
      if (project.pending.has(record.id) || collection === undefined) continue;
      if (file === undefined) yield { ...at, kind: 'index', reason: 'The record has no file and none is on its way.' };
      else if (file.record === undefined || !sameOnDisk(collection, file.record, record))
        yield { ...at, kind: 'index', reason: 'The index holds another value than the file.' };
      for (const link of record.links ?? []) {
        if (!project.index.incoming(link.to).some((one) => one.from === record.id && one.link === link))
          yield { ...at, kind: 'index', reason: `The link to ${link.to} is not in the index.` };
      }
    }
    if (listed !== table.size)
      yield {
        path: `${project.directory}/${table.name}`,
        kind: 'index',
        reason: `The list has ${listed} of ${table.size} records.`,
        remedy: 'Restart the service.',
      };
  }
}
