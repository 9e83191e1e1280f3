import type {
  CreateTagInput,
  DeletedAnswer,
  ListTagsInput,
  PlanReadTransaction,
  TagAnswer,
  TagInput,
  TagListAnswer,
  TagRecord,
  UpdateTagInput,
} from '../domain/records/collections.ts';
import { foldTagName } from '../domain/records/tag-name.ts';
import { createTag, deleteTag, listTags, showTag, tagById, updateTag } from '../domain/plan/tags.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { isCurrent, versionsTag } from './pipeline/list-tag.ts';
import type { Tag as EntityTag } from './declaration/operation.ts';
import { decodeCursor, nextCursor, pageOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

const locate = { member: 'tag_id', resource: 'tag' } as const;

const tagTag = (view: PlanReadTransaction, { tag_id: id }: { readonly tag_id: string }): EntityTag =>
  resourceTag(tagById(view, id), []);

/** The list also contains tags that only tasks use. */
const tagsTag = (view: PlanReadTransaction): EntityTag => versionsTag(view, 'tag', 'task');

const list: Read<ListTagsInput, TagListAnswer> = {
  name: 'list_tags',
  summary: 'Tags of a project',
  group: groups.tags,
  input: 'ListTagsInput',
  output: 'TagListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/tags' },
  mcp: {
    title: 'List tags',
    description:
      'The tags of the project by name. Tasks take tags by name, see create_task; list_tasks and get_next_task filter by them.',
  },
  tag: tagsTag,
  run: (view, input, context) => {
    if (isCurrent(input, tagsTag(view))) return { tags: [], removed: [] };
    const after = input.cursor === undefined ? undefined : decodeCursor(input.cursor, 2);
    const behind = listTags(view).filter((tag) => after === undefined || isBehind(positionOf(tag), after));
    const page = pageOf(behind, input, context, { show: (tag) => showTag(view, tag), position: positionOf });
    return { tags: page.rows, ...nextCursor(page) };
  },
};

/** Tags are listed by name: their creation times differ between clones. */
function positionOf({ name, id }: TagRecord): readonly string[] {
  return [foldTagName(name), id];
}

function isBehind([name = '', id = '']: readonly string[], [afterName = '', afterId = '']: readonly string[]): boolean {
  return name === afterName ? id > afterId : name > afterName;
}

const get: Read<TagInput, TagAnswer> = {
  name: 'get_tag',
  summary: 'One tag',
  group: groups.tags,
  input: 'TagInput',
  output: 'TagAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/tags/:tag_id', bare: 'tag' },
  tag: tagTag,
  run: (view, { tag_id: id }) => ({ tag: showTag(view, tagById(view, id)) }),
};

const create: Write<CreateTagInput, TagAnswer> = {
  name: 'create_tag',
  summary: 'Create a tag',
  group: groups.tags,
  input: 'CreateTagInput',
  output: 'TagAnswer',
  scope: 'project',
  effect: 'write',
  rest: { method: 'POST', path: '/projects/:project_id/tags', bare: 'tag' },
  run: (tx, input) => ({ tag: showTag(tx, createTag(tx, input)) }),
};

const update: Write<UpdateTagInput, TagAnswer> = {
  name: 'update_tag',
  summary: 'Rename or recolor a tag',
  group: groups.tags,
  input: 'UpdateTagInput',
  output: 'TagAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/tags/:tag_id', bare: 'tag' },
  tag: tagTag,
  run: (tx, input) => ({ tag: showTag(tx, updateTag(tx, input)) }),
};

const remove: Write<TagInput, DeletedAnswer> = {
  name: 'delete_tag',
  summary: 'Remove a tag from its tasks and delete it',
  group: groups.tags,
  input: 'TagInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/tags/:tag_id', headers: trashHeader },
  ...deletion(({ tag_id: id }) => id, deleteTag),
};

export const tagOperations: readonly PlannerOperation[] = [list, get, create, update, remove];
