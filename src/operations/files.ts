import { fileAddress } from '../base/addresses.ts';
import { bytesOfBase64 } from '../domain/text/base64.ts';
import type {
  AttachedFileAnswer,
  AttachFileInput,
  CreateFileInput,
  FileAnswer,
  FileInput,
  FileListAnswer,
  ListFilesInput,
  PlannerCollections,
  PlanReadTransaction,
  ProjectRecord,
} from '../domain/records/collections.ts';
import { createFile, fileById, requireName, showFile } from '../domain/content/files.ts';
import { mediaTypeOf } from '../domain/text/media-types.ts';
import { projectOf } from '../domain/plan/projects.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import type { StagedBytes } from '../store/index.ts';
import { groups } from './groups.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { fileResponse } from './pipeline/file-response.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, RawResponse, Tag, PrepareContext } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

export { mediaTypeOf };
type Bench = PrepareContext<PlannerCollections>;

/** The result of `prepare`: the bytes are in the store. */
interface Prepared {
  readonly staged: StagedBytes;
}

type Attached = AttachFileInput & Prepared & Required<Pick<AttachFileInput, 'filename' | 'mime'>>;

const create: Write<CreateFileInput, FileAnswer, never, CreateFileInput & Prepared> = {
  name: 'create_file',
  summary: 'Upload a file',
  group: groups.files,
  input: 'CreateFileInput',
  output: 'FileAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/files',
    bare: 'file',
    upload: {
      bytesMax: limits.uploadBytesMax,
      members: { content: 'content_base64', filename: 'filename', type: 'mime' },
    },
    example: { filename: 'dot.gif', mime: 'image/gif', content_base64: 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=' },
  },
  prepare: async (input, { upload }, bench) => {
    requireName(input.filename);
    // Throws for an unknown project before the file is read.
    await bench.view(projectOf);
    const pieces = upload === undefined ? [contentOf(input.content_base64)] : upload.bytes;
    return { ...input, content_base64: '', staged: upload?.staged ?? (await bench.stage(pieces)) };
  },
  run: (tx, { filename, mime, staged }) => ({
    file: showFile(tx, createFile(tx, { filename, mime, staged })),
  }),
};

function contentOf(text: string): Buffer {
  const bytes = bytesOfBase64(text, 'content_base64');
  if (bytes.length <= limits.uploadBytesMax) return bytes;
  throw new PlannerError('payload_too_large', `The file is over ${limits.uploadBytesMax} bytes.`, {
    bytes_max: limits.uploadBytesMax,
  });
}

const attach: Write<AttachFileInput, AttachedFileAnswer, never, Attached> = {
  name: 'attach_file',
  summary: 'Attach a file, by its content or its path on this machine',
  group: groups.files,
  input: 'AttachFileInput',
  output: 'AttachedFileAnswer',
  scope: 'project',
  effect: 'write',
  mcp: {
    title: 'Attach file',
    description:
      'Uploads an image (or another file, 10 MB at most). Returns {file_id, url}: embed ![alt](url) in a body, no base64.',
    idempotent: true,
  },
  prepare: async (input, _context, bench) => {
    const { content_base64: content, file_path: path, filename } = input;
    const bytes = content === undefined ? undefined : contentOf(content);
    const project = await bench.view(projectOf);
    const given = bytes ?? path;
    if (given === undefined || (bytes !== undefined && path !== undefined))
      throw invalid('content_base64', 'Give exactly one of content_base64 and file_path.');
    if (typeof given === 'string') return fromPath(input, given, project, bench);
    if (filename === undefined) throw invalid('filename', 'filename is required with content_base64.');
    requireName(filename);
    const staged = await bench.stage([given]);
    return { ...input, filename, mime: input.mime ?? mediaTypeOf(filename), content_base64: '', staged };
  },
  run: (tx, { filename, mime, staged }) => {
    const { id } = createFile(tx, { filename, mime, staged });
    return { file_id: id, url: fileAddress(id) };
  },
};

async function fromPath(
  input: AttachFileInput,
  path: string,
  { folder_path: folder }: ProjectRecord,
  bench: Bench,
): Promise<Attached> {
  const { localFiles } = bench;
  if (localFiles === undefined)
    throw invalid(
      'file_path',
      'file_path is for a service on this machine alone; this one is hosted: send content_base64.',
    );
  if (folder === null)
    throw invalid(
      'file_path',
      'file_path needs a folder_path of the project: set it by update_project ("." is the repository), or send content_base64.',
    );
  const file = localFiles.open(folder, path, limits.uploadBytesMax, 'file_path');
  const filename = input.filename ?? file.filename;
  requireName(filename);
  const staged = await bench.stage(file.pieces());
  return { ...input, filename, mime: input.mime ?? mediaTypeOf(filename), staged };
}

const get: Read<FileInput, RawResponse> = {
  name: 'get_file',
  summary: "A file's content",
  group: groups.files,
  input: 'FileInput',
  scope: 'project',
  effect: 'read',
  locate: { member: 'file_id', resource: 'file' },
  rest: { method: 'GET', path: '/files/:file_id', raw: true },
  tag: (view, { file_id: id }) => resourceTag(fileById(view, id), []),
  run: (view, { file_id: id }) => fileResponse(fileById(view, id), view.bytes('file', id)!),
};

const filesTag = (view: PlanReadTransaction): Tag => listTag(view, 'file');

const list: Read<ListFilesInput, FileListAnswer> = {
  name: 'list_files',
  summary: 'Files of a project',
  group: groups.files,
  input: 'ListFilesInput',
  output: 'FileListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/files' },
  tag: filesTag,
  run: listResponse,
};

function listResponse(view: PlanReadTransaction, input: ListFilesInput, context: Context): FileListAnswer {
  const changed = changedSince(view, 'file', input, filesTag(view));
  const show = (file: Parameters<typeof showFile>[1]): FileListAnswer['files'][number] => showFile(view, file);
  if (changed !== undefined) {
    const { changed: files, removed } = delta(changed, (id) => view.get('file', id), show);
    return { files, removed };
  }
  const page = pageOf(view.list('file', positionAfter(input)), input, context, { show, position: positionOf });
  return { files: page.rows, ...nextCursor(page) };
}

export const fileOperations: readonly PlannerOperation[] = [create, attach, get, list];
