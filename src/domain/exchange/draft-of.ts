import { invalid } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { Draft, Fields } from './draft.ts';
import { exportFormat, revisionsName, sections } from './export-format.ts';

const listNames: readonly string[] = [...sections.map(({ name }) => name), revisionsName];

/** The members of an export besides its lists. */
const headNames = ['format', 'project', 'canvas'] as const;

/** Throws `invalid_argument` unless the format is an export of a version that this Planner supports. */
export function requireFormat(format: unknown): void {
  if (format === exportFormat) return;
  const version = typeof format === 'string' ? /^planner-export-v(\d+)$/.exec(format)?.[1] : undefined;
  if (version !== undefined && Number(version) > 1) {
    const message = `The export has the format ${String(format)} of a newer version of Planner; this version reads ${exportFormat}. Upgrade Planner and import again.`;
    throw invalid('format', message, { format, readable: [exportFormat] });
  }
  throw invalid(
    'format',
    `format must be ${JSON.stringify(exportFormat)}: only an export of Planner can be imported here.`,
  );
}

/** Throws `invalid_argument` for a member that no export has. */
function requireMember(name: string): void {
  if ((headNames as readonly string[]).includes(name) || listNames.includes(name)) return;
  throw invalid(
    name,
    `${name} is not a member of an export. Its members are ${[...headNames, ...listNames].join(', ')}.`,
  );
}

/** A draft from an export that was read as a whole. */
export function draftOf(document: Fields): Draft {
  requireFormat(document['format']);
  for (const name of Object.keys(document)) requireMember(name);
  const { project, canvas = null } = document;
  const lists = new Map<string, readonly Fields[]>();
  for (const name of listNames) {
    const list = document[name] ?? [];
    if (!Array.isArray(list)) throw invalid(name, `${name} must be a list.`);
    lists.set(
      name,
      list.map((item: unknown, at) => fieldsOf(item, `${name}[${at}]`)),
    );
  }
  return { project: fieldsOf(project, 'project'), canvas: canvas === null ? null : fieldsOf(canvas, 'canvas'), lists };
}

/** A plain object. Throws `invalid_argument` for anything else. */
function fieldsOf(value: unknown, path: string): Fields {
  if (isObject(value)) return value;
  throw invalid(path, `${path} must be an object.`);
}

/** The name of a draft's project. Throws `invalid_argument` if it has no name. */
export function nameOfDraft({ project }: Draft): string {
  const { name } = project;
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw invalid('project.name', 'project.name must be a non-blank string.');
}
