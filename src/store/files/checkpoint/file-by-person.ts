import { hash } from 'node:crypto';
import { limits } from '../../../base/limits.ts';
import type { Collection } from '../../record/collection.ts';
import { fileFields } from '../../record/assemble.ts';
import { isServiceName, nameOf, serviceName } from '../../record/locations.ts';
import { type KeptFile, keptFileCollection, keptFileId } from '../../record/kept-file.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import type { Disk } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';
import type { WrittenFile } from '../../record/read-transaction.ts';
import { encodeFields } from './render.ts';

/**
 * The parts of a record's file that a person gave: its name, and further content. Undefined if the service would write
 * the same file.
 */
export function fileByPerson(
  disk: Disk,
  directory: string,
  project: Project,
  collection: Collection | undefined,
  id: string,
): WrittenFile | undefined {
  const state = project.files.served(id);
  if (collection === undefined || state?.record === undefined || state.unreadable !== undefined) return undefined;
  const { path, record, sha256, unstated = [] } = state;
  const { kind } = collection.location;
  if (kind === 'single' || kind === 'folder' || sha256 == null) return undefined;
  const bytes = disk.readIfExists(`${directory}/${path}`);
  // A file that was edited a moment ago is not the one that was deleted.
  if (bytes === undefined || hash('sha256', bytes, 'hex') !== sha256) return undefined;
  const named = isServiceName(nameOf(path), serviceName(collection, record));
  const own = encodeFields(collection.shape, project.code, id, fileFields(collection, record));
  const isOwn = Buffer.compare(own, bytes) === 0;
  if (named && isOwn) return undefined;
  const keepsText = !isOwn && bytes.length <= limits.trashFileBytesMax;
  return { path, text: keepsText ? bytes.toString('utf8') : null, unstated: keepsText ? unstated : [] };
}

/** The kept file of a record that has none. */
export function keptFileOf(service: ServiceRecords, project: string, id: string): KeptFile | undefined {
  const { name } = keptFileCollection;
  return service.knows(name) ? service.get<KeptFile>(name, keptFileId(project, id)) : undefined;
}
