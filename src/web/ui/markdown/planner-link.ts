/** What a text names by `planner://<kind>/<id or title>`. */
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

/** Where the page shows what a link names: a task opens beside the view that one is in. */
export function addressOf({ kind, name }: PlannerLink, projectId: string): string {
  const id = encodeURIComponent(name);
  return kind === 'task' ? `?task=${id}` : `/projects/${projectId}/${views[kind]}/${id}`;
}

/** A Markdown link to a record. Its title is written so that no bracket in it ends the link. */
export function markdownLink(kind: PlannerLink['kind'], id: string, title: string): string {
  return `[${title.replaceAll(/[[\]\\]/g, '\\$&')}](planner://${kind}/${id})`;
}
