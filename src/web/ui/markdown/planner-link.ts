/** A link of the form `planner://<kind>/<id or title>`. */
export interface PlannerLink {
  readonly kind: 'task' | 'document' | 'artifact' | 'note' | 'prototype' | 'goal';
  readonly name: string;
}

const pattern = /^planner:\/\/(task|document|artifact|note|prototype|goal)\/([^?#]+)/i;

export function plannerLink(href: string): PlannerLink | undefined {
  const [, kind, name] = pattern.exec(href) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  return { kind: kind.toLowerCase() as PlannerLink['kind'], name: decoded(name) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const views = {
  document: 'documents',
  artifact: 'artifacts',
  note: 'notes',
  prototype: 'prototypes',
  goal: 'goals',
} as const;

/** The address of a link's record in the page: a task opens next to the current view. */
export function addressOf({ kind, name }: PlannerLink, projectId: string): string {
  const id = encodeURIComponent(name);
  return kind === 'task' ? `?task=${id}` : `/projects/${projectId}/${views[kind]}/${id}`;
}

/** A Markdown link to a record. Brackets in its title are escaped. */
export function markdownLink(kind: PlannerLink['kind'], id: string, title: string): string {
  return `[${title.replaceAll(/[[\]\\]/g, '\\$&')}](planner://${kind}/${id})`;
}
