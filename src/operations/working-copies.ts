import type {
  HandWrittenFileListAnswer,
  ListHandWrittenFilesInput,
  PlannerCollections,
} from '../domain/records/collections.ts';
import { sections } from '../domain/exchange/export-format.ts';
import type { Steps } from '../base/slices.ts';
import type { ReadTransaction } from '../store/index.ts';
import { groups } from './groups.ts';
import type { PlannerOperation, Read } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';
import { hashOf } from './pipeline/entity-tag.ts';

type HandWrittenFile = HandWrittenFileListAnswer['files'][number];

/** Reads every record file, in steps: the view reads the present files. */
function* handWrittenFiles(
  view: ReadTransaction<PlannerCollections>,
  ids: readonly string[],
): Steps<HandWrittenFileListAnswer> {
  const files: HandWrittenFile[] = [];
  for (const id of ids) {
    const written = view.fileByPerson(id);
    const path = written === undefined ? undefined : view.pathOf(id);
    if (path !== undefined) files.push({ id, path, differs: written!.text === null ? 'name' : 'content' });
    yield;
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

const idsOf = (view: ReadTransaction<PlannerCollections>): readonly string[] =>
  sections.flatMap(({ collection }) => Array.from(view.list(collection), ({ id }) => id));

const handWritten: Read<ListHandWrittenFilesInput, HandWrittenFileListAnswer> = {
  name: 'list_hand_written_files',
  summary: 'Files whose names, comments, unknown keys or order of keys only the files have, and no export',
  group: groups.projects,
  input: 'ListHandWrittenFilesInput',
  output: 'HandWrittenFileListAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/hand-written-files' },
  // A file may change without a record.
  answerTag: (answer) => ({ own: hashOf(answer), rest: '0' }),
  run: (view) => new Sliced(handWrittenFiles(view, idsOf(view))),
};

export const workingCopyOperations: readonly PlannerOperation[] = [handWritten];
