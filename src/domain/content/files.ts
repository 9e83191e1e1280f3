import { fileAddress } from '../../base/addresses.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { StagedBytes } from '../../store/index.ts';
import type { File, FileRecord, PlanReadTransaction, PlanTransaction } from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';

/** A file whose bytes are staged in the store. */
export interface NewFile {
  readonly filename: string;
  readonly mime: string;
  readonly staged: StagedBytes;
}

/** Throws `not_found`. */
export function fileById(view: PlanReadTransaction, id: string): FileRecord {
  const file = view.get('file', id);
  if (file === undefined) throw notFound('file', id);
  return file;
}

/** Creates a file. The same bytes are stored once, under the first name. */
export function createFile(tx: PlanTransaction, { filename, mime, staged: { sha256, size } }: NewFile): FileRecord {
  const [first] = tx.by('file', 'sha256', sha256).sort((a, b) => (a.id < b.id ? -1 : 1));
  if (first !== undefined) return first;
  requireName(filename);
  const fields = { filename, mime: mime.toLowerCase(), size, sha256 };
  return tx.put('file', newRecord('file', { id: tx.newId('file'), created_at: tx.now, ...fields }));
}

/** Checks that a name is safe as a download name. Throws `invalid_argument` for paths and control characters. */
export function requireName(filename: string): void {
  // oxlint-disable-next-line no-control-regex
  if (!/[/\\\u0000-\u001f\u007f]/.test(filename) && filename !== '.' && filename !== '..') return;
  throw invalid('filename', `filename must not contain /, \\ or control characters: ${JSON.stringify(filename)}.`);
}

/** A file in the form for callers. The URL is relative to the service, so that it works in a body under any address of the service. */
export function showFile(view: PlanReadTransaction, file: FileRecord): File {
  return shown.file.details(file, { project_id: view.project, url: fileAddress(file.id) });
}
