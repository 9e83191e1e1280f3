import { PlannerError } from '../base/errors.ts';

type Row = Readonly<Record<string, unknown>>;

/** A kind of record that is a resource: how it is read and listed, and its text. */
export interface ResourceType {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** The field that it is called by. */
  readonly calledBy: 'title' | 'label' | 'name';
  /** The text of a record of Markdown or HTML; absent for types that are served as JSON. */
  readonly textOf?: (record: Row) => string;
}

const markdown = 'text/markdown';
export const json = 'application/json';

export const types: readonly ResourceType[] = [
  {
    name: 'document',
    title: 'Document',
    description: 'The Markdown of a document, by its id or title.',
    mimeType: markdown,
    calledBy: 'title',
    textOf: ({ body }) => body as string,
  },
  { name: 'task', title: 'Task', description: 'A task, by its id or label.', mimeType: json, calledBy: 'label' },
  {
    name: 'goal',
    title: 'Goal',
    description: 'A goal with its tasks, by its id or name.',
    mimeType: json,
    calledBy: 'name',
  },
  {
    name: 'note',
    title: 'Note',
    description: 'The Markdown of a note, by its id or title.',
    mimeType: markdown,
    calledBy: 'title',
    textOf: ({ body }) => body as string,
  },
  {
    name: 'artifact',
    title: 'Artifact',
    description: 'The Markdown or HTML of an artifact, by its id or title.',
    mimeType: markdown,
    calledBy: 'title',
    textOf: ({ content }) => content as string,
  },
];

/** The views of a project besides its records, by the last part of its URI, and the operation that returns it. */
export const views = new Map([
  [
    'overview',
    { operation: 'get_project', title: 'Overview', description: 'Counts, tasks and documents of a project.' },
  ],
  [
    'next',
    { operation: 'get_next_task', title: 'Next task', description: 'The task to do now, or why there is none.' },
  ],
]);

interface PlaceOfUri {
  readonly project: string;
  /** The name of a view, or of a type of records. */
  readonly name: string;
  readonly from: number;
}

/** The target of the URI of a resource: a view by its operation, or a record by its id or name. */
export type ParsedUri =
  | (PlaceOfUri & { readonly view: string })
  | (PlaceOfUri & { readonly view?: undefined; readonly type: ResourceType; readonly text: string });

const uriPattern = /^planner:\/\/([^/?#]+)\/([a-z]+)(?:\/([^/?#]+))?(?:\?from=(\d{1,9}))?$/;

/** Reads the URI of a resource. Throws `not_found`. */
export function parseUri(uri: unknown): ParsedUri {
  const [, project, name = '', encoded, from = '0'] = typeof uri === 'string' ? (uriPattern.exec(uri) ?? []) : [];
  const [view, type] = [views.get(name), types.find((one) => one.name === name)];
  const text = encoded === undefined ? undefined : decoded(encoded);
  if (project !== undefined) {
    const place = { project: decoded(project) ?? '', name, from: Number(from) };
    if (view !== undefined && encoded === undefined) return { ...place, view: view.operation };
    if (view === undefined && type !== undefined && text !== undefined) return { ...place, type, text };
  }
  const message = `There is no resource ${JSON.stringify(uri)}: resources/templates/list names their forms.`;
  throw new PlannerError('not_found', message, { resource: 'resource' });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
