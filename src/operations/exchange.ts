import { Readable } from 'node:stream';
import type { ExportProjectInput, PlanReadTransaction } from '../domain/records/collections.ts';
import { exportFormat, sections } from '../domain/exchange/export-format.ts';
import { exportProject } from '../domain/exchange/export.ts';
import { projectOf } from '../domain/plan/projects.ts';
import { csvOf } from '../exchange/to-csv.ts';
import { canvasOf } from '../exchange/to-json-canvas.ts';
import { piecesOf } from '../base/slices.ts';
import { slugOf } from '../store/index.ts';
import { groups } from './groups.ts';
import { importOne } from './imports.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { versionsTag } from './pipeline/list-tag.ts';
import type { RawResponse, Tag } from './declaration/operation.ts';
import type { PlannerOperation, Read } from './declaration/planner-operation.ts';

interface Format {
  readonly type: string;
  /** The ending of the file name. */
  readonly ending: string;
  readonly write: (view: PlanReadTransaction) => Iterable<string | Promise<unknown>>;
}

const formats: Readonly<Record<NonNullable<ExportProjectInput['format']>, Format>> = {
  'planner-export-v1': {
    type: 'application/json; charset=utf-8',
    ending: 'planner.json',
    write: exportProject,
  },
  'json-canvas': { type: 'application/json; charset=utf-8', ending: 'canvas', write: canvasOf },
  csv: { type: 'text/csv; charset=utf-8; header=present', ending: 'csv', write: csvOf },
};

/** The export contains the whole project, so any change changes the tag. */
function exportTag(view: PlanReadTransaction, { format = exportFormat }: ExportProjectInput): Tag {
  const { own } = versionsTag(view, 'project', 'canvas', ...sections.map(({ collection }) => collection));
  return { own: hashOf([own, format]), rest: view.historyVersion };
}

const exportOne: Read<ExportProjectInput, RawResponse> = {
  name: 'export_project',
  summary: 'A whole project as one document',
  group: groups.projects,
  input: 'ExportProjectInput',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/export', raw: true, produces: ['application/json', 'text/csv'] },
  tag: exportTag,
  run: (view, { format = exportFormat }) => {
    const { type, ending, write } = formats[format];
    const file = `${slugOf(projectOf(view).name) || 'project'}.${ending}`;
    const headers = { 'Content-Disposition': `attachment; filename="${file}"` };
    const pieces = piecesOf(exportOne.name, write(view)[Symbol.iterator](), view.project);
    return { type, headers, content: Readable.from(pieces, { objectMode: false }) };
  },
};

export const exchangeOperations: readonly PlannerOperation[] = [exportOne, importOne];
