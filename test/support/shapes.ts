import type { Field, FieldKind, Shape } from '../../src/store/record/collection.ts';

export function field(name: string, kind: FieldKind = 'text', absent: unknown = null, always = false): Field {
  return always ? { name, kind, absent, always } : { name, kind, absent };
}

/** A record with a field of every kind and a body. */
export const taskShape: Shape = {
  format: 'markdown',
  fields: [
    field('status', 'text', 'todo', true),
    field('id', 'text', null, true),
    field('assignee'),
    field('label', 'text', '', true),
    field('created_at', 'text', null, true),
    field('priority'),
    field('notes'),
    field('weight', 'number'),
    field('urgent', 'boolean', false),
    field('position', 'json'),
    field('tags', 'texts', []),
    field('links', 'links', []),
  ],
  body: 'description',
};

/** A page of Markdown that may have nothing but its text. */
export const documentShape: Shape = {
  format: 'markdown',
  fields: [
    field('status'),
    field('id'),
    field('title'),
    field('created_at'),
    field('position', 'json'),
    field('links', 'links', []),
  ],
  body: 'body',
};

/** A record in JSON with a field of every kind. */
export const canvasShape: Shape = {
  format: 'json',
  fields: [
    field('id', 'text', null, true),
    field('name', 'text', '', true),
    field('color'),
    field('size', 'number'),
    field('shown', 'boolean', true),
    field('layout', 'json'),
    field('aliases', 'texts', []),
    field('links', 'links', []),
  ],
};

/** The shape with a term of another tool for a status. */
export function withTerms(shape: Shape): Shape {
  const synonyms = new Map([['inprogress', 'in_progress']]);
  return { ...shape, fields: shape.fields.map((field) => (field.name === 'status' ? { ...field, synonyms } : field)) };
}
