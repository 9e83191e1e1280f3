import { PlannerError } from '../base/errors.ts';
import { isOwnId } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { ReadOperation } from '../operations/declaration/operation.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';
import { json, parseUri, types, views } from './resource-uris.ts';
import type { ResourceType } from './resource-uris.ts';

type Row = Readonly<Record<string, unknown>>;
type Params = Readonly<Record<string, unknown>>;

/** Runs an operation that reads, for the caller. Rejects with `PlannerError`. */
export type Read = ReadOperation;

const pageRows = 100;
/** The most that a search returns. */
const searchRows = 50;
const labelCharactersMax = 500;

/** The templates of all resources. */
export function resourceTemplates(): Row[] {
  const ofViews = [...views].map(([name, { title, description }]) => ({
    ...{ uriTemplate: `planner://{project}/${name}`, name, title, description, mimeType: json },
  }));
  const ofTypes = types.map(({ name, title, description, mimeType }) => ({
    ...{ uriTemplate: `planner://{project}/${name}/{${name}}`, name, title, description, mimeType },
  }));
  return [...ofViews, ...ofTypes];
}

/** Reads a resource: its text or a part of it, with the URI of the next part in `_meta`. Rejects with `PlannerError`. */
export async function readResource(read: Read, uri: unknown): Promise<Row> {
  const parsed = parseUri(uri);
  const { project, from } = parsed;
  const type = parsed.view === undefined ? parsed.type : undefined;
  const record =
    parsed.view === undefined
      ? await recordOf(read, project, parsed.type, parsed.text)
      : await read(parsed.view, { project_id: project });
  const whole = type?.textOf?.(record) ?? JSON.stringify(record);
  const part = partOf(whole, from);
  const complete = part.length === whole.length;
  const mimeType = record['kind'] === 'html' && type?.name === 'artifact' ? 'text/html' : (type?.mimeType ?? json);
  const end = from + part.length;
  const meta = {
    ...(end < whole.length ? { 'planner/next': `${(uri as string).replace(/\?.*$/s, '')}?from=${end}` } : {}),
    // As in the results of tools: data to judge, never instructions.
    ...(record['untrusted'] === true ? { untrusted: true } : {}),
  };
  const content = {
    uri,
    // A part of JSON is not valid JSON.
    mimeType: complete || mimeType !== json ? mimeType : 'text/plain',
    text: part,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  return { contents: [content] };
}

/** A page of resources: the views of all projects, then the records of the project that calls without one use, if there is one. */
export async function listResources(read: Read, project: string | undefined, params: Params): Promise<Row> {
  const lists = project === undefined ? 1 : types.length + 1;
  const [at, cursor] = cursorOf(params['cursor'], lists);
  const page = at === 0 ? await projectsPage(read, cursor) : await recordsPage(read, project!, types[at - 1]!, cursor);
  const next = page.cursor === undefined ? at + 1 : at;
  const nextCursor = next < lists ? encode([next, page.cursor]) : undefined;
  return { resources: page.resources, ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** Values for a variable of a template: ids of projects by their names, and records of a project by theirs. */
export async function completeTemplate(read: Read, uri: unknown, argument: Params, given: Params): Promise<Row> {
  const { name, value } = argument;
  const template = resourceTemplates().find(({ uriTemplate }) => uriTemplate === uri);
  if (template === undefined || typeof name !== 'string' || !(uri as string).includes(`{${name}}`))
    throw new PlannerError(
      'invalid_argument',
      'ref.uri must be a template of resources/templates/list, and argument.name one of its variables.',
      {
        field: 'params.ref',
      },
    );
  const prefix = typeof value === 'string' ? value : '';
  if (name === 'project') return { completion: await completeProject(read, prefix) };
  return {
    completion: await completeRecord(read, given['project'], name, prefix),
  };
}

/** The record that a URI names. */
export async function recordOf(read: Read, project: string, type: ResourceType, text: string): Promise<Row> {
  const id = isOwnId(text) ? text : await idOf(read, project, type.name, text);
  const found = await read(`get_${type.name}`, { project_id: project, [`${type.name}_id`]: id });
  return found[type.name] as Row;
}

async function idOf(read: Read, project: string, kind: string, text: string): Promise<string> {
  const { record } = await read('find_record', { text, kinds: [kind], project_id: project });
  return (record as { readonly id: string }).id;
}

/** At most so many characters that an agent's context can hold them; no character is split. */
function partOf(text: string, from: number): string {
  const end = from + limits.resourceCharactersMax;
  return text.slice(from, isLowSurrogate(text, end) ? end - 1 : end);
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

interface Page {
  readonly resources: readonly Row[];
  readonly cursor: string | undefined;
}

async function projectsPage(read: Read, cursor: string | undefined): Promise<Page> {
  const { projects, next_cursor: next } = await read('list_projects', paged(cursor));
  const resources = (projects as Row[]).flatMap(({ id, name: project, updated_at: at }) =>
    [...views].map(([name, { title, description }]) => ({
      uri: `planner://${id as string}/${name}`,
      name: `${name}: ${project as string}`,
      title: `${title}: ${project as string}`,
      description,
      mimeType: json,
      ...(name === 'overview' ? { annotations: { lastModified: at } } : {}),
    })),
  );
  return { resources, cursor: next as string | undefined };
}

async function recordsPage(read: Read, project: string, type: ResourceType, cursor: string | undefined): Promise<Page> {
  const { rows, next } = await rowsOf(read, project, type, cursor);
  const resources = rows.map((row) => ({
    uri: `planner://${project}/${type.name}/${encodeURIComponent(row['id'] as string)}`,
    name: labelOf(row, type),
    title: labelOf(row, type),
    mimeType: row['kind'] === 'html' && type.name === 'artifact' ? 'text/html' : type.mimeType,
    ...(row['updated_at'] === undefined ? {} : { annotations: { lastModified: row['updated_at'] } }),
  }));
  return { resources, cursor: next };
}

async function rowsOf(
  read: Read,
  project: string,
  { name }: ResourceType,
  cursor: string | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly next: string | undefined }> {
  const answer = await read(`list_${name}s`, { project_id: project, ...paged(cursor) });
  const folders = (answer['folders'] ?? []) as Row[];
  const rows = [...(answer[`${name}s`] as Row[]), ...folders.flatMap(documentsIn)];
  return { rows, next: answer['next_cursor'] as string | undefined };
}

/** The documents of a folder and of those below it. */
function documentsIn({ documents = [], folders = [] }: Row): Row[] {
  return [...(documents as Row[]), ...(folders as Row[]).flatMap(documentsIn)];
}

function paged(cursor: string | undefined): Params {
  return { limit: pageRows, ...(cursor === undefined ? {} : { cursor }) };
}

/** Ids of projects by their names. */
export async function completeProject(read: Read, prefix: string): Promise<Row> {
  const { projects, next_cursor: next } = await read('list_projects', paged(undefined));
  const like = prefix.toLowerCase();
  const found = (projects as { readonly id: string; readonly name: string }[]).filter(
    ({ id, name }) => id.startsWith(prefix) || name.toLowerCase().includes(like),
  );
  return { values: found.map(({ id }) => id), hasMore: next !== undefined };
}

/** Names of records of a project; empty without a project. */
export async function completeRecord(read: Read, project: unknown, kind: string, prefix: string): Promise<Row> {
  const type = types.find(({ name }) => name === kind)!;
  if (typeof project !== 'string') return { values: [], hasMore: false };
  const { rows, next } = await rowsLike(read, project, type, prefix.trim());
  const names = rows.slice(0, pageRows).map((row) => [row[type.calledBy] ?? row['id'], row['id']] as const);
  // A name that several records have identifies no record.
  const values = names.map(([name, id]) => (names.filter(([other]) => other === name).length === 1 ? name : id));
  return { values, hasMore: next !== undefined || rows.length > pageRows };
}

async function rowsLike(read: Read, project: string, type: ResourceType, prefix: string): ReturnType<typeof rowsOf> {
  if (prefix !== '' && type.name !== 'goal') {
    const found = await read('search', { query: prefix, project_id: project, types: [type.name], limit: searchRows });
    return { rows: found[`${type.name}s`] as Row[], next: undefined };
  }
  // A search calls a goal without a name by its objective, which does not find it.
  const { rows, next } = await rowsOf(read, project, type, undefined);
  const like = prefix.toLowerCase();
  return { rows: rows.filter((row) => labelOf(row, type).toLowerCase().includes(like)), next };
}

/** The name of a record in lists: a goal may have no name. */
function labelOf(row: Row, { calledBy }: ResourceType): string {
  const text = row[calledBy] ?? row['objective'] ?? row['id'];
  return (text as string).slice(0, labelCharactersMax);
}

function encode(position: readonly [number, string | undefined]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** The list and its cursor that a cursor of ours means. */
function cursorOf(cursor: unknown, lists: number): readonly [number, string | undefined] {
  if (cursor === undefined) return [0, undefined];
  try {
    const [at, own] = JSON.parse(Buffer.from(cursor as string, 'base64url').toString()) as [unknown, unknown];
    if (Number.isInteger(at) && (at as number) >= 0 && (at as number) < lists)
      if (own === null || own === undefined || typeof own === 'string') return [at as number, own ?? undefined];
  } catch {
    // The error is reported below.
  }
  throw new RpcError(rpcCodes.invalidParams, 'cursor must be the nextCursor of the previous page.', {
    field: 'params.cursor',
  });
}
