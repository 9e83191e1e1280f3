import { artifactRow } from '../domain/content/artifacts.ts';
import type {
  CreatePrototypeInput,
  DeletedAnswer,
  GetPrototypeInput,
  ListPrototypesInput,
  PlanReadTransaction,
  PrototypeAnswer,
  PrototypeInput,
  PrototypeListAnswer,
  PrototypeRecord,
  UpdatePrototypeInput,
} from '../domain/records/collections.ts';
import { backlinksOf, linksOf } from '../domain/links/edges.ts';
import {
  createPrototype,
  deletePrototype,
  prototypeById,
  prototypeRow,
  screensOf,
  showPrototype,
  showPrototypeDetail,
  updatePrototype,
} from '../domain/content/prototypes.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

const locate = { member: 'prototype_id', resource: 'prototype' } as const;

function prototypeTag(view: PlanReadTransaction, { prototype_id: id }: { readonly prototype_id: string }): Tag {
  const screens = screensOf(view, id).map(artifactRow);
  return resourceTag(prototypeById(view, id), [screens, linksOf(view, id), backlinksOf(view, id)]);
}

const create: Write<CreatePrototypeInput, PrototypeAnswer> = {
  name: 'create_prototype',
  summary: 'Create a prototype',
  group: groups.prototypes,
  input: 'CreatePrototypeInput',
  output: 'PrototypeAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/prototypes',
    bare: 'prototype',
    example: { name: 'Checkout', viewport: { width: 390, height: 844 } },
  },
  mcp: {
    title: 'Create prototype',
    description: 'Creates a flow of screens (create_artifact: html, prototype_id). Viewport default: 1280 x 800.',
  },
  run: (tx, input, context) => answer(tx, createPrototype(tx, input), {}, context),
};

/** A prototype with its screens, limited for an agent. */
function answer(
  view: PlanReadTransaction,
  prototype: PrototypeRecord,
  input: Pick<GetPrototypeInput, 'limit' | 'cursor'>,
  context: Context,
): PrototypeAnswer {
  const screens = screensOf(view, prototype.id);
  const after = positionAfter(input);
  const behind = screens.filter(
    (one) =>
      after === undefined ||
      one.created_at > after.created_at ||
      (one.created_at === after.created_at && one.id > after.id),
  );
  const page = pageOf(behind, input, context, { show: artifactRow, position: positionOf });
  const total = context.transport === 'mcp' ? { screens_total: screens.length } : {};
  return {
    prototype: { ...showPrototypeDetail(view, prototype), screens: page.rows, ...total },
    ...nextCursor(page),
  };
}

const get: Read<GetPrototypeInput, PrototypeAnswer> = {
  name: 'get_prototype',
  summary: 'One prototype with its screens',
  group: groups.prototypes,
  input: 'GetPrototypeInput',
  output: 'PrototypeAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/prototypes/:prototype_id', bare: 'prototype' },
  mcp: { title: 'Get prototype', description: 'A prototype with its screens; get_artifact reads one.' },
  tag: prototypeTag,
  run: (view, input, context) => answer(view, prototypeById(view, input.prototype_id), input, context),
};

const prototypesTag = (view: PlanReadTransaction): Tag => listTag(view, 'prototype');

const list: Read<ListPrototypesInput, PrototypeListAnswer> = {
  name: 'list_prototypes',
  summary: 'Prototypes of a project',
  group: groups.prototypes,
  input: 'ListPrototypesInput',
  output: 'PrototypeListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/prototypes' },
  mcp: { title: 'List prototypes', description: 'Prototypes with the number of their screens.' },
  tag: prototypesTag,
  run: listResponse,
};

function listResponse(view: PlanReadTransaction, input: ListPrototypesInput, context: Context): PrototypeListAnswer {
  const show = (one: PrototypeRecord): PrototypeListAnswer['prototypes'][number] =>
    context.transport === 'mcp' ? prototypeRow(view, one) : showPrototype(view, one);
  const changed = changedSince(view, 'prototype', input, prototypesTag(view));
  if (changed !== undefined) {
    const { changed: prototypes, removed } = delta(changed, (id) => view.get('prototype', id), show);
    return { prototypes, removed };
  }
  const page = pageOf(view.list('prototype', positionAfter(input)), input, context, { show, position: positionOf });
  return { prototypes: page.rows, ...nextCursor(page) };
}

const update: Write<UpdatePrototypeInput, PrototypeAnswer> = {
  name: 'update_prototype',
  summary: 'Rename a prototype or change its viewport',
  group: groups.prototypes,
  input: 'UpdatePrototypeInput',
  output: 'PrototypeAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/prototypes/:prototype_id', bare: 'prototype' },
  mcp: { title: 'Update prototype', description: 'Renames a prototype or changes its viewport.', idempotent: true },
  tag: prototypeTag,
  run: (tx, input, context) => answer(tx, updatePrototype(tx, input), {}, context),
};

const remove: Write<PrototypeInput, DeletedAnswer> = {
  name: 'delete_prototype',
  summary: 'Delete a prototype; its screens remain as artifacts',
  group: groups.prototypes,
  input: 'PrototypeInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/prototypes/:prototype_id', headers: trashHeader },
  ...deletion(({ prototype_id: id }) => id, deletePrototype),
};

export const prototypeOperations: readonly PlannerOperation[] = [create, get, list, update, remove];
