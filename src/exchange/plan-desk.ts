import type { Fields } from '../domain/exchange/draft.ts';
import { invalid } from '../base/errors.ts';
import type { Dated } from './dates.ts';
import { Members, type ImportedPlan } from './imported-plan.ts';
import { shown } from './members.ts';
import { PlanBuilder } from './plan-builder.ts';
import { requireObject } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';
import { statusOf } from './status-synonyms.ts';

const planDeskFormat = 'plandesk-export-v3';

export const planDesk: FileFormat = {
  kind: 'file',
  name: 'plan-desk',
  places: [],
  detects: ({ object = {} }) => {
    const { format, version } = object;
    return (
      (typeof format === 'string' && format.startsWith('plandesk-export-')) ||
      (format === undefined && version === 3 && 'project' in object)
    );
  },
  read: (file, { name }) => readPlanDesk(requireObject(file), name),
};

/**
 * Reads an export of Plan Desk (`plandesk-export-v3`). Its format is not published; this reader assumes the structure of its interface,
 * which Planner shares: a `project`, lists named after the resources, either at the top or in the project (`tags`, `goals`, `tasks`,
 * `folders`, `documents`, `edges`, `notes`, `prototypes`, `artifacts`, `files`, `comments`), fields with their names there, and positions
 * in a `canvas`. Unknown members of a task, goal or document are kept in its text, unknown lists are reported. Throws `invalid_argument`
 * for another version.
 */
export function readPlanDesk(document: Fields, name: string): ImportedPlan {
  const { format, version } = document;
  const stated = typeof format === 'string' ? format : `plandesk-export-v${shown(version)}`;
  if (stated === planDeskFormat) return new Desk(document, name).read();
  throw invalid(
    'format',
    `format is ${JSON.stringify(stated)}; supported is ${planDeskFormat}: export it again in that version.`,
  );
}

/** Bookkeeping members of the export, which are not kept. */
const bookkeeping = ['project_id', 'updated_at', 'links', 'backlinks', 'cycle_tasks', 'blocked', 'waiting_on', 'url'];

/** Fields of records that are imported unchanged, by list. */
const plain: Readonly<Record<string, readonly string[]>> = {
  notes: ['title', 'body', 'created_at'],
  prototypes: ['name', 'viewport', 'created_at'],
  artifacts: ['title', 'kind', 'content', 'prototype_id', 'created_at'],
  files: ['filename', 'mime', 'content_base64', 'created_at'],
};

class Desk {
  readonly #plan: PlanBuilder;
  readonly #whole: Members;
  readonly #project: Members;
  readonly #canvas: Members;
  /** Records by the ids that the export gives them. */
  readonly #ids = new Map<string, string>();

  constructor(document: Fields, name: string) {
    this.#whole = new Members(document);
    this.#project = new Members(objectOf(this.#whole.take('project')));
    this.#canvas = new Members(objectOf(this.#whole.take('canvas') ?? this.#project.take('canvas')));
    this.#plan = new PlanBuilder('Plan Desk', this.#project.text('name') ?? name);
    for (const member of ['format', 'version', 'exported_at']) this.#whole.take(member);
    for (const member of ['id', 'created_at', 'updated_at', 'default_goal_id']) this.#project.take(member);
  }

  read(): ImportedPlan {
    const description = this.#project.text('description');
    if (description !== undefined) this.#plan.describe(description);
    const nodes = new Map(this.#canvas.objects('nodes').map((node) => [node['id'], node]));
    const tags = new Map(this.#list('tags').map(({ id, name }) => [id, name]));
    const folders = new Map(this.#list('folders').map((folder) => [folder['id'], folder]));
    for (const goal of this.#list('goals')) this.#addGoal(new Members(goal));
    for (const task of this.#list('tasks')) this.#addTask(new Members(task), nodes, tags);
    for (const document of this.#list('documents')) this.#addDocument(new Members(document), nodes, folders);
    for (const [list, fields] of Object.entries(plain))
      for (const record of this.#list(list)) this.#addPlain(list, fields, record);
    for (const comment of this.#list('comments')) this.#addComment(new Members(comment));
    for (const edge of [...this.#list('edges'), ...this.#canvas.objects('edges')]) this.#join(new Members(edge));
    for (const members of [this.#whole, this.#project, this.#canvas]) {
      for (const member of Object.keys(members.rest()))
        this.#plan.leftOut({ of: 'list or member', reason: 'it is unknown', where: member });
    }
    return this.#plan.finish();
  }

  #list(name: string): Fields[] {
    return [...this.#whole.objects(name), ...this.#project.objects(name)];
  }

  #addGoal(members: Members): void {
    const id = members.text('id') ?? '';
    const objective = members.text('objective') ?? members.text('description') ?? '';
    const status = members.text('status') ?? 'active';
    const known = ['active', 'paused', 'complete', 'blocked'].includes(status);
    const goal = this.#plan.goal({
      ...{
        name: members.text('name') ?? members.text('title') ?? objective,
        objective,
        status: known ? status : 'active',
      },
      created: createdOf(members),
      kept: { id, ...(known ? undefined : { status }), ...restOf(members) },
    });
    this.#ids.set(id, goal);
  }

  #addTask(members: Members, nodes: ReadonlyMap<unknown, Fields>, tags: ReadonlyMap<unknown, unknown>): void {
    const id = members.text('id') ?? '';
    const word = members.text('status') ?? 'todo';
    const { status, exact } = statusOf(word);
    const place = placeOf(members.take('position'), nodes.get(id));
    const named = [members.take('tags') ?? members.take('tag_ids')]
      .flat()
      .map((tag) => objectOf(tag)['name'] ?? tags.get(tag) ?? tag);
    const task = this.#plan.task({
      ...{
        label: members.text('label') ?? members.text('title') ?? id,
        status,
        assignee: members.text('assignee') ?? null,
      },
      ...{ description: members.text('description') ?? '', goal: this.#ids.get(members.text('goal_id') ?? '') },
      ...{ due: { name: 'due_date', text: members.text('due_date') }, created: createdOf(members) },
      ...among(members, 'priority', ['urgent', 'high', 'medium', 'low']),
      ...among(members, 'severity', ['low', 'medium', 'high']),
      ...place,
      tags: named.filter((tag) => typeof tag === 'string'),
      kept: { id, ...(exact ? undefined : { status: word }), ...restOf(members) },
    });
    this.#ids.set(id, task);
  }

  #addDocument(members: Members, nodes: ReadonlyMap<unknown, Fields>, folders: ReadonlyMap<unknown, Fields>): void {
    const id = members.text('id') ?? '';
    const names: string[] = [];
    // If a folder contains itself, the path ends before it repeats.
    const seen = new Set<Fields>();
    for (let folder = folders.get(members.take('folder_id')); folder && !seen.has(folder);) {
      seen.add(folder);
      names.unshift(shown(folder['name'] ?? folder['id']));
      folder = folders.get(folder['parent_folder_id']);
    }
    const { position } = placeOf(members.take('position'), nodes.get(id));
    const document = this.#plan.document({
      ...{ title: members.text('title') ?? id, body: members.text('body') ?? '', folder: names },
      ...{ status: members.text('status') ?? members.text('status_line') ?? null, created: createdOf(members) },
      ...(position && { position }),
      kept: restOf(members),
    });
    this.#ids.set(id, document);
  }

  #addPlain(list: string, names: readonly string[], record: Fields): void {
    const present = names.filter((name) => record[name] !== undefined && record[name] !== null);
    const fields: Fields = Object.fromEntries(present.map((name) => [name, record[name]]));
    const { prototype_id: prototype } = fields;
    const screen = typeof prototype === 'string' && { prototype_id: this.#ids.get(prototype) ?? null };
    const made = this.#plan.record(list, { ...fields, ...screen });
    this.#ids.set(shown(record['id']), made);
    const unknown = Object.keys(record).filter(
      (name) => !names.includes(name) && !['id', 'size', 'sha256', 'screens', ...bookkeeping].includes(name),
    );
    for (const name of unknown)
      this.#plan.leftOut({ of: `member of a record in ${list}`, reason: 'it is unknown', where: name });
  }

  #addComment(members: Members): void {
    const target = this.#ids.get(members.text('target_id') ?? '');
    const where = members.text('id') ?? '';
    if (target === undefined)
      return this.#plan.leftOut({ of: 'comment', reason: 'it is on what is not in the export', where });
    this.#plan.comment(target, {
      ...{
        body: members.text('body') ?? '',
        author: members.text('author') ?? '',
        created: createdOf(members),
      },
      ...(members.take('resolved') === true && { resolved: true }),
      ...(typeof members.take('passage') === 'string' && { passage: members.text('passage')! }),
    });
  }

  #join(members: Members): void {
    const [from, to] = [
      members.text('from_id') ?? members.text('from') ?? '',
      members.text('to_id') ?? members.text('to') ?? '',
    ];
    const [near, far] = [this.#ids.get(from), this.#ids.get(to)];
    const where = `${from} → ${to}`;
    if (near === undefined || far === undefined)
      return this.#plan.leftOut({ of: 'edge', reason: 'it leads to what is not in the export', where });
    const [style, arrow] = [members.text('style'), members.text('arrow_direction')];
    this.#plan.relate(near, far, members.text('label') ?? '', where, {
      ...(style !== undefined && { style }),
      ...(arrow !== undefined && { arrow_direction: arrow }),
    });
  }
}

function createdOf(members: Members): Dated {
  return { name: 'created_at', text: members.text('created_at') };
}

/** The members of a record that were not read and matter to a person. */
function restOf(members: Members): Fields {
  for (const member of bookkeeping) members.take(member);
  return members.rest();
}

/** A member with one of these values; any other value is kept. */
function among(members: Members, name: string, values: readonly string[]): Fields {
  const value = members.rest()[name];
  return typeof value === 'string' && values.includes(value) ? { [name]: members.take(name) } : {};
}

function placeOf(position: unknown, node: Fields | undefined): { readonly position?: Fields; readonly size?: Fields } {
  const { x, y } = { ...objectOf(position), ...node };
  if (typeof x !== 'number' || typeof y !== 'number') return {};
  const { width = null, height = null } = node ?? {};
  return { position: { x, y }, ...(width === null && height === null ? undefined : { size: { width, height } }) };
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
