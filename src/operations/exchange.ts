import { Readable } from 'node:stream';
import type {
  ExportProjectInput,
  ImportProjectInput,
  PlannerCollections,
  ProjectDetailAnswer,
} from '../domain/records/collections.ts';
import { bytesOfBase64 } from '../domain/text/base64.ts';
import { draftOf, nameOfDraft } from '../domain/exchange/draft-of.ts';
import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { exportFormat, sections } from '../domain/exchange/export-format.ts';
import { exportProject } from '../domain/exchange/export.ts';
import { importProject } from '../domain/exchange/import.ts';
import { projectOf, showProject, summaryOf } from '../domain/projects.ts';
import { invalid, PlannerError } from '../errors.ts';
import { readExport } from '../exchange/export-reader.ts';
import { csvOf } from '../exchange/to-csv.ts';
import { canvasOf } from '../exchange/to-json-canvas.ts';
import { limits } from '../limits.ts';
import { piecesOf } from '../slices.ts';
import { slugOf } from '../store/index.ts';
import type { Tx, View } from '../store/index.ts';
import { atOnce, type Steps } from '../slices.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isLarge } from './pipeline/large-input.ts';
import { versionsTag } from './pipeline/list-tag.ts';
import type { RawResponse, Tag, PrepareContext } from './declaration/operation.ts';
import type { CreateProject, PlannerOperation, Read } from './declaration/planner-operation.ts';

type V = View<PlannerCollections>;

interface Format {
  readonly type: string;
  /** The ending of the file name. */
  readonly ending: string;
  readonly write: (view: V) => Iterable<string>;
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
function exportTag(view: V, { format = exportFormat }: ExportProjectInput): Tag {
  const { own } = versionsTag(view, 'project', 'canvas', ...sections.map(({ collection }) => collection));
  return { own: hashOf([own, format]), rest: view.historyVersion.toString() };
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

/** An import after its document was read. */
interface ReadImport {
  readonly draft: Draft;
}

/** Passes a file's content to the store and returns its record in the store's form: by hash. */
async function takeFile(
  file: Fields,
  path: string,
  bench: Pick<PrepareContext<PlannerCollections>, 'stage'>,
): Promise<Fields> {
  const { content_base64: content, ...record } = file;
  const member = `${path}.content_base64`;
  if (typeof content !== 'string') throw invalid(member, `${member} must be the file's content in base64.`);
  const bytes = bytesOfBase64(content, member);
  if (bytes.length > limits.uploadBytesMax) {
    const message = `${path} is over ${limits.uploadBytesMax} bytes.`;
    throw new PlannerError('payload_too_large', message, { field: member, bytes_max: limits.uploadBytesMax });
  }
  const staged = await bench.stage([bytes]);
  for (const name of ['sha256', 'size'] as const) {
    if (record[name] === undefined || record[name] === staged[name]) continue;
    throw invalid(`${path}.${name}`, `${path}.${name} does not match the content: the export was changed or damaged.`);
  }
  return { ...record, sha256: staged.sha256, size: staged.size };
}

function* runImport(tx: Tx<PlannerCollections>, { draft }: Partial<ReadImport>): Steps<ProjectDetailAnswer> {
  const project = yield* importProject(tx, draft!);
  return { project: { ...showProject(project), summary: summaryOf(tx) } };
}

const importOne: CreateProject<ImportProjectInput & Partial<ReadImport>, ProjectDetailAnswer> = {
  name: 'import_project',
  summary: 'Import an export as a new project with new ids',
  group: groups.projects,
  input: 'ImportProjectInput',
  output: 'ProjectDetailAnswer',
  scope: 'project',
  effect: 'create',
  rest: { method: 'POST', path: '/projects/import', bare: 'project', upload: { bytesMax: limits.importBytesMax } },
  prepare: async (input, { upload }, bench) => {
    const take = (file: Fields, path: string): Promise<Fields> => takeFile(file, path, bench);
    if (upload !== undefined) return { ...input, draft: await readExport(upload.bytes, take) };
    const draft = draftOf(input as unknown as Fields);
    const files: Fields[] = [];
    for (const [at, file] of (draft.lists.get('files') ?? []).entries()) files.push(await take(file, `files[${at}]`));
    return { ...input, draft: { ...draft, lists: new Map([...draft.lists, ['files', files]]) } };
  },
  projectName: ({ draft }) => nameOfDraft(draft!),
  run: (tx, input) => atOnce(runImport(tx, input)),
  sliced: { when: ({ draft }) => isLarge(...draft!.lists.values()), run: runImport },
};

export const exchangeOperations: readonly PlannerOperation[] = [exportOne, importOne];
