import { Readable } from 'node:stream';
import type {
  ApplyRecordChangesInput,
  FullRevisionListAnswer,
  GetFullRevisionsInput,
  ListRecordChangesInput,
  PlanReadTransaction,
  RecordChangesAnswer,
} from '../domain/records/collections.ts';
import { applyChanges } from '../domain/exchange/apply-changes.ts';
import { changesToken, listChanges, withheldRecords } from '../domain/exchange/list-changes.ts';
import { projectOf } from '../domain/plan/projects.ts';
import { notFound } from '../base/errors.ts';
import { atOnce, piecesOf } from '../base/slices.ts';
import { groups } from './groups.ts';
import { takeFile } from './imports.ts';
import type { RawResponse } from './declaration/operation.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isLarge } from './pipeline/large-input.ts';

const list: Read<ListRecordChangesInput, RawResponse> = {
  name: 'list_record_changes',
  summary: 'Whole records that changed since a token, one JSON line each, for a copy of the project',
  group: groups.projects,
  input: 'ListRecordChangesInput',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/changes', raw: true, produces: ['application/x-ndjson'] },
  tag: (view, { since }) => ({
    own: hashOf([changesToken(view), since ?? null, withheldRecords(view)]),
    rest: view.historyVersion,
  }),
  run: (view, { since }) => {
    const pieces = piecesOf(list.name, listChanges(view, since), view.project);
    return { type: 'application/x-ndjson', content: Readable.from(pieces, { objectMode: false }) };
  },
};

const getRevisions: Read<GetFullRevisionsInput, FullRevisionListAnswer> = {
  name: 'get_full_revisions',
  summary: 'Revisions with the values before them, as stored, for a copy of the project',
  group: groups.projects,
  input: 'GetFullRevisionsInput',
  output: 'FullRevisionListAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/changes/revisions' },
  // A revision does not change, so that the found set is stable.
  tag: (view, { ids }) => ({ own: hashOf(ids), rest: view.historyVersion }),
  run: (view, { ids }) => ({ revisions: ids.split(',').map((id) => fullRevision(view, id)) }),
};

function fullRevision(view: PlanReadTransaction, id: string): FullRevisionListAnswer['revisions'][number] {
  const found = view.revision(id);
  if (found === undefined) throw notFound('revision', id);
  const { at, target, target_type, author, session, fields, before, after } = found;
  const part = session === undefined ? {} : { session };
  return { at, id, target, target_type, author, ...part, fields: [...fields], before, after };
}

const apply: Write<ApplyRecordChangesInput, RecordChangesAnswer> = {
  name: 'apply_record_changes',
  summary: 'Change records as they were changed in a copy of the project: all of them, or none if one differs there',
  group: groups.projects,
  input: 'ApplyRecordChangesInput',
  output: 'RecordChangesAnswer',
  scope: 'project',
  effect: 'write',
  // The authors of records and revisions are taken from the call.
  peopleOnly: true,
  rest: {
    method: 'POST',
    path: '/projects/:project_id/changes',
    status: 200,
    example: { changes: [{ collection: 'note', id: 'not_4xk2m9d7sbbh96pa', was: null, to: null }] },
  },
  prepare: async (input, _context, bench) => {
    // A project that the caller does not see is not found, whatever is sent.
    await bench.view(projectOf);
    const changes: ApplyRecordChangesInput['changes'][number][] = [];
    for (const [at, change] of input.changes.entries()) {
      const { collection, to } = change;
      const hasContent = collection === 'file' && to !== null && 'content_base64' in to;
      changes.push(hasContent ? { ...change, to: { ...(await takeFile(to, `changes[${at}].to`, bench)) } } : change);
    }
    return { ...input, changes };
  },
  run: (tx, { changes, revisions = [] }) => atOnce(applyChanges(tx, changes, revisions)),
  sliced: {
    when: ({ changes, revisions }) => isLarge(changes, revisions),
    run: (tx, { changes, revisions = [] }) => applyChanges(tx, changes, revisions),
  },
};

export const recordChangeOperations: readonly PlannerOperation[] = [list, getRevisions, apply];
