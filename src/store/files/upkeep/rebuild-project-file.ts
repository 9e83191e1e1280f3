import { parse } from 'jsonc-parser';
import { idPattern, idPrefixes, projectCodeOf, randomName } from '../../../base/ids.ts';
import { isoTime } from '../../../base/clock.ts';
import { isObject } from '../../../base/is-object.ts';
import { assemble, fileFields } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { StoredRecord } from '../../record/record.ts';
import { conflictOffset } from '../codec/conflict-markers.ts';
import { encodeFields } from '../checkpoint/render.ts';
import { DurableJson } from '../disk/durable-json.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { makeDirectoryDurably } from '../disk/root-files.ts';
import type { Project } from '../project/project.ts';
import { shownProjectFile } from '../projects/directory-problems.ts';
import { codeInName } from '../../record/project-name.ts';
import type { StoreDeps } from '../projects/store-deps.ts';
import { sha256Of } from '../disk/sha256.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Why a file is not rebuilt: a sentence for the person who has to decide. */
class NotRebuilt {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/**
 * Rebuilds missing and unreadable project.json files: from the last good version, else from the records beside them.
 * Returns one sentence for each. The bytes of an unreadable file are kept in the trash. A file with conflict markers
 * is left to a person, and so is one whose project is not known for certain; its problem says why.
 */
export function rebuildProjectFiles(engine: StoreDeps): string[] {
  const collection = [...engine.collections.values()].find(({ id }) => id === 'project')!;
  const done: string[] = [];
  for (const project of engine.projects.values()) {
    const state = project.files.served(project.id);
    if (state?.unreadable === undefined || state.record === undefined || isOther(engine, project.directory)) continue;
    // A person may have repaired or restored the file since it was read.
    const bytes = present(engine, project.directory);
    const isSame = bytes === undefined ? state.sha256 === null : sha256Of(bytes) === state.sha256;
    if (!isSame || hasConflict(engine, project.directory)) continue;
    const kept = write(engine, collection, project.directory, project.code, state.record);
    done.push(`${shownProjectFile(project.directory)} was written as it was last read.${kept}`);
  }
  for (const directory of engine.unserved.names) {
    if (hasConflict(engine, directory)) continue;
    const rebuilt = rebuildFromRecords(engine, collection, directory);
    if (rebuilt instanceof NotRebuilt) engine.unserved.setNotRebuilt(directory, rebuilt.why);
    else done.push(rebuilt);
  }
  return done;
}

function present(engine: StoreDeps, directory: string): Buffer | undefined {
  if (!engine.loader.isProject(directory)) return undefined;
  return engine.options.disk.readIfExists(`${engine.layout.projects}/${directory}/project.json`);
}

/** Returns whether the path is taken by anything but a file. */
function isOther({ options, layout }: StoreDeps, directory: string): boolean {
  return (options.disk.stat(`${layout.projects}/${directory}/project.json`)?.kind ?? 'file') !== 'file';
}

function hasConflict(engine: StoreDeps, directory: string): boolean {
  return conflictOffset(present(engine, directory)?.toString() ?? '') !== -1;
}

/** Writes the file; returns a sentence about the copy of the present one, if there is one. */
function write(
  engine: StoreDeps,
  collection: Collection,
  directory: string,
  code: string,
  record: StoredRecord,
): string {
  const { disk, clock } = engine.options;
  const { projects, trash } = engine.layout;
  const bytes = present(engine, directory);
  let kept = '';
  if (bytes !== undefined) {
    makeDirectoryDurably(disk, trash);
    const name = `${isoTime(clock.now()).replace(/[:.]/g, '-')}.${directory}.project.json`;
    replaceFile(disk, `${trash}/${name}`, bytes);
    kept = ` The unreadable file is in .planner/local/trash/${name}.`;
  }
  const fields = fileFields(collection, record);
  replaceFile(disk, `${projects}/${directory}/project.json`, encodeFields(collection.shape, code, record.id, fields));
  return kept;
}

function rebuildFromRecords(engine: StoreDeps, collection: Collection, directory: string): string | NotRebuilt {
  if (isOther(engine, directory)) return new NotRebuilt('project.json is not a regular file.');
  const code = codeOfRecords(engine, directory);
  if (code instanceof NotRebuilt) return code;
  const found = idOfDirectory(engine, directory, code);
  if (found instanceof NotRebuilt) return found;
  const id = found ?? `${idPrefixes.project}_${code}${randomName()}${randomName().slice(0, 2)}`;
  const project = loaded(engine, id, directory);
  const record = recordOf(engine, collection, project);
  const [violation] = collection.validate(record);
  if (violation !== undefined) return new NotRebuilt(violation.message);
  const kept = write(engine, collection, directory, project.code, record);
  engine.adoption.load(directory);
  const { name } = record as StoredRecord & { readonly name?: unknown };
  const isNew = found === undefined ? ', which is new,' : '';
  return `${shownProjectFile(directory)} was rebuilt from the records beside it, with the id ${id}${isNew} and the name ${JSON.stringify(name)}.${kept}`;
}

/** The project of a directory as its record files have it. */
function loaded(engine: StoreDeps, id: string, directory: string): Project {
  const { project, outcome } = engine.loader.load(id, directory);
  for (const change of outcome.changes) project.index.apply(change);
  return project;
}

/** The code in the ids that the record files contain. Derived ids and those of other tools count for nothing. */
function codeOfRecords(engine: StoreDeps, directory: string): string | NotRebuilt {
  const named = codeInName(directory);
  const codes = new Set<string>();
  for (const { hasExplicitId, id, path } of loaded(
    engine,
    `${idPrefixes.project}_${named ?? '000000'}0000000000`,
    directory,
  ).files.values()) {
    const code = hasExplicitId && path !== 'project.json' ? projectCodeOf(id) : undefined;
    if (code !== undefined) codes.add(code);
  }
  const code = named !== undefined && codes.has(named) ? named : codes.size === 1 ? [...codes][0]! : undefined;
  if (code === undefined && codes.size > 1)
    return new NotRebuilt(
      `The ids of its records are those of ${codes.size} projects (${[...codes].sort().join(', ')}).`,
    );
  if (code === undefined && named === undefined)
    return new NotRebuilt("Neither its name nor the files in it contain the project's code.");
  const own = code ?? named!;
  for (const { id, code: other, directory: served } of engine.projects.values())
    if (other === own)
      return new NotRebuilt(`Its records have the code of ${id}, which ${served} serves: it may be a copy.`);
  return own;
}

/** The project's id as far as any file contains it; undefined if none does. */
function idOfDirectory(engine: StoreDeps, directory: string, code: string): string | NotRebuilt | undefined {
  const claim = engine.loader.claimOf(directory);
  const ids = new Set(
    [...engine.lastGood.projects(code), ...idsOfService(engine)].filter((id) => projectCodeOf(id) === code),
  );
  const bound = boundProject(engine);
  if (bound !== undefined && projectCodeOf(bound) === code) ids.add(bound);
  const claimed = claim === undefined ? undefined : projectCodeOf(claim.id);
  if (claimed !== undefined && claimed !== code)
    return new NotRebuilt(`The file contains the id ${claim!.id}, and its records have ids with the code ${code}.`);
  // What an unreadable file seems to contain may be cut off.
  if (claim !== undefined && (claim.isRead || claimed !== undefined)) ids.add(claim.id);
  if (ids.size > 1) return new NotRebuilt(`Its id may be any of ${[...ids].sort().join(', ')}.`);
  const [id] = ids;
  if (id !== undefined && engine.projects.has(id))
    return new NotRebuilt(`The project ${id} is served from another directory.`);
  return id;
}

/** The projects that keys, shares and sessions of this service belong to. */
function idsOfService(engine: StoreDeps): string[] {
  const ids: string[] = [];
  for (const line of engine.service.snapshot(isoTime(engine.options.clock.now()))) {
    if (!('record' in line)) continue;
    const { project, project_id: other } = line.record as StoredRecord & Fields;
    for (const id of [project, other]) if (typeof id === 'string') ids.push(id);
  }
  return ids;
}

/** The project that config.json binds. */
function boundProject({ options, layout }: StoreDeps): string | undefined {
  try {
    const path = `${layout.root}/config.json`;
    const id = new DurableJson<{ readonly project_id?: unknown } | null>(options.disk, path).readNow()?.project_id;
    return typeof id === 'string' && idPattern.test(id) ? id : undefined;
  } catch {
    // It is a problem of its own.
    return undefined;
  }
}

/** The record of a project, from its other records and from what can be read of its file. */
function recordOf(engine: StoreDeps, collection: Collection, project: Project): StoredRecord {
  const { id, code, directory } = project;
  const { ids, clock } = engine.options;
  const times = [...project.index.tables()].flatMap((table) =>
    [...table.list()].slice(0, 1).map((one) => one.created_at),
  );
  const createdAt = times.sort()[0] ?? isoTime(clock.now());
  const derived = collection.rebuilt?.({
    name: nameOf(directory),
    list: (name) => project.index.table(name).list(),
    newId: (kind) => ids.next(kind, code),
  });
  const placement = { id, code, createdAt, revisedAt: undefined };
  let fields: Fields = { ...derived };
  const text = present(engine, directory)?.toString() ?? '';
  const read: unknown = parse(text, [], { allowTrailingComma: true });
  const known: Fields = isObject(read) ? read : {};
  for (const { name } of collection.shape.fields) {
    if (name === 'id' || !Object.hasOwn(known, name)) continue;
    const more = { ...fields, [name]: known[name] };
    if (collection.validate(assemble(collection, more, placement)).length === 0) fields = more;
  }
  return assemble(collection, fields, placement);
}

/** `web-shop-a1b2c3` is "Web shop". */
function nameOf(directory: string): string {
  const code = codeInName(directory);
  const words = (code === undefined ? directory : directory.slice(0, -code.length - 1)).replaceAll('-', ' ').trim();
  return words === '' ? directory : words.charAt(0).toUpperCase() + words.slice(1);
}
