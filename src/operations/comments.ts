import type {
  AddArtifactCommentInput,
  AddCommentInput,
  AddDocumentCommentInput,
  CommentAnswer,
  CommentInput,
  CommentListAnswer,
  CommentRecord,
  CommentRow,
  DeletedAnswer,
  ListArtifactCommentsInput,
  ListCommentsInput,
  PlannerCollections,
  PlanReadTransaction,
  UpdateCommentInput,
} from '../domain/records/collections.ts';
import {
  addComment,
  commentById,
  commentFilter,
  type CommentFilter,
  commentRow,
  deleteComment,
  listComments,
  type NewComment,
  requireTarget,
  showComment,
  updateComment,
} from '../domain/links/comments.ts';
import { commentTargets, type CommentedRecordName } from '../domain/records/declared.ts';
import type { Tx } from '../store/index.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { ContextWith, Locator, RestOptions, Tag } from './declaration/operation.ts';
import { nextCursor, type PageQuery, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

/** The parameters of any list. */
type ListQuery = CommentFilter & PageQuery & { readonly since?: string };

const locate = { member: 'comment_id', resource: 'comment' } as const;

/** The target determines the project. An artifact may be any file, named by its path. */
const locateTarget: readonly Locator<Pick<ListCommentsInput, 'target_type' | 'target_id'>>[] = [
  ...Object.entries(commentTargets).map(([resource, on]) => ({
    ...{ member: 'target_id' as const, resource, loose: on === 'any' || undefined },
    when: (input: Pick<ListCommentsInput, 'target_type'>) => input.target_type === resource,
  })),
];

const commentTag = (view: PlanReadTransaction, { comment_id: id }: { readonly comment_id: string }): Tag =>
  resourceTag(commentById(view, id), []);

/** The tag of a list of comments. Throws if their target does not exist. */
function commentsTag(view: PlanReadTransaction, { target_type: type, target_id: id }: ListQuery): Tag {
  if (type !== undefined && id !== undefined) requireTarget(view, { target_type: type, target_id: id });
  return listTag(view, 'comment');
}

function listResponse(
  view: PlanReadTransaction,
  query: ListQuery,
  context: ContextWith<'renderings'>,
): CommentListAnswer {
  const renderings = context.renderings;
  const show = (comment: CommentRecord): CommentRow =>
    context.transport === 'mcp' ? commentRow(comment, renderings) : showComment(view, comment, renderings);
  const changed = changedSince(view, 'comment', query, commentsTag(view, query));
  if (changed !== undefined) {
    const matches = commentFilter(query);
    const find = (id: string): CommentRecord | undefined => {
      const comment = view.get('comment', id);
      return comment !== undefined && matches(comment) ? comment : undefined;
    };
    const { changed: comments, removed } = delta(changed, find, show);
    return { comments, removed };
  }
  const page = pageOf(listComments(view, query, positionAfter(query)), query, context, {
    show,
    position: positionOf,
  });
  return { comments: page.rows, ...nextCursor(page) };
}

function added(
  tx: Tx<PlannerCollections>,
  input: NewComment,
  { renderings }: ContextWith<'renderings'>,
): CommentAnswer {
  return { comment: showComment(tx, addComment(tx, input, renderings), renderings) };
}

const list: Read<ListCommentsInput, CommentListAnswer, 'renderings'> = {
  name: 'list_comments',
  summary: 'Comments across a project',
  group: groups.comments,
  input: 'ListCommentsInput',
  output: 'CommentListAnswer',
  scope: 'project',
  renders: true,
  effect: 'read',
  followable: true,
  locate: locateTarget,
  rest: { method: 'GET', path: '/projects/:project_id/comments' },
  mcp: {
    title: 'List comments',
    texts: true,
    description: 'Open comments of the project or of one target, oldest first. Address each, then resolve_comment.',
  },
  tag: commentsTag,
  run: listResponse,
};

const add: Write<AddCommentInput, CommentAnswer, 'renderings'> = {
  name: 'add_comment',
  summary: 'Comment on a document, task, note, submission or file',
  group: groups.comments,
  input: 'AddCommentInput',
  output: 'CommentAnswer',
  scope: 'project',
  renders: true,
  effect: 'write',
  locate: locateTarget,
  rest: { method: 'POST', path: '/projects/:project_id/comments', bare: 'comment' },
  mcp: {
    title: 'Add comment',
    texts: true,
    description: 'Comments on a target, to ask a person or to reply to one.',
  },
  run: (tx, input, context) => added(tx, input, context),
};

const get: Read<CommentInput, CommentAnswer, 'renderings'> = {
  name: 'get_comment',
  summary: 'One comment',
  group: groups.comments,
  input: 'CommentInput',
  output: 'CommentAnswer',
  scope: 'project',
  renders: true,
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/comments/:comment_id', bare: 'comment' },
  tag: commentTag,
  run: (view, { comment_id: id }, { renderings }) => ({
    comment: showComment(view, commentById(view, id), renderings),
  }),
};

const update: Write<UpdateCommentInput, CommentAnswer, 'renderings'> = {
  name: 'update_comment',
  summary: 'Edit, resolve or reopen a comment',
  group: groups.comments,
  input: 'UpdateCommentInput',
  output: 'CommentAnswer',
  scope: 'project',
  renders: true,
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/comments/:comment_id', bare: 'comment' },
  tag: commentTag,
  run: (tx, input, { renderings }) => ({
    comment: showComment(tx, updateComment(tx, input, renderings), renderings),
  }),
};

const resolve: Write<CommentInput, CommentAnswer, 'renderings'> = {
  name: 'resolve_comment',
  summary: 'Resolve a comment or an annotation of a file',
  group: groups.comments,
  input: 'CommentInput',
  output: 'CommentAnswer',
  scope: 'project',
  renders: true,
  effect: 'write',
  locate,
  rest: { method: 'POST', path: '/comments/:comment_id/resolve', bare: 'comment', status: 200 },
  mcp: {
    title: 'Resolve comment',
    texts: true,
    description: 'Marks a comment or annotation as resolved: lists omit it.',
    idempotent: true,
  },
  run: (tx, { comment_id: id }, { renderings }) => ({
    comment: showComment(tx, updateComment(tx, { comment_id: id, resolved: true }, renderings), renderings),
  }),
};

const remove: Write<CommentInput, DeletedAnswer> = {
  name: 'delete_comment',
  summary: 'Delete a comment',
  group: groups.comments,
  input: 'CommentInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/comments/:comment_id', headers: trashHeader },
  ...deletion(({ comment_id: id }) => id, deleteComment),
};

/** The annotations of one artifact or file. */
function aboutArtifact({ artifact_id: id, ...query }: ListArtifactCommentsInput): ListQuery {
  return { ...query, target_type: 'artifact', target_id: id };
}

const locateArtifact = { member: 'artifact_id', resource: 'artifact', loose: true } as const;

const listOfArtifact: Read<ListArtifactCommentsInput, CommentListAnswer, 'renderings'> = {
  name: 'list_artifact_comments',
  summary: 'Annotations of a file or artifact',
  group: groups.comments,
  input: 'ListArtifactCommentsInput',
  output: 'CommentListAnswer',
  scope: 'project',
  renders: true,
  effect: 'read',
  followable: true,
  locate: locateArtifact,
  rest: { method: 'GET', path: '/projects/:project_id/artifact-comments' },
  mcp: {
    title: 'List artifact comments',
    texts: true,
    description: 'Open annotations. Address them, update_artifact under the same id, then resolve_comment.',
  },
  tag: (view, input) => commentsTag(view, aboutArtifact(input)),
  run: (view, input, context) => listResponse(view, aboutArtifact(input), context),
};

const addToArtifact: Write<AddArtifactCommentInput, CommentAnswer, 'renderings'> = {
  name: 'add_artifact_comment',
  summary: 'Annotate a file or artifact',
  group: groups.comments,
  input: 'AddArtifactCommentInput',
  output: 'CommentAnswer',
  scope: 'project',
  renders: true,
  effect: 'write',
  locate: locateArtifact,
  rest: {
    method: 'POST',
    path: '/projects/:project_id/artifact-comments',
    bare: 'comment',
    example: {
      artifact_id: 'design/checkout.html',
      body: 'Too small on a phone.',
      anchor: { type: 'TextQuoteSelector', exact: 'Pay now' },
    },
  },
  mcp: {
    title: 'Add artifact comment',
    texts: true,
    description: 'Annotates an artifact or any file; anchor or passage names the passage.',
  },
  run: (tx, { artifact_id: id, ...input }, context) =>
    added(tx, { ...input, target_type: 'artifact', target_id: id }, context),
};

/** The routes of comments on one kind of record, whose id is in the path. */
function commentsOn(noun: CommentedRecordName, example: RestOptions['example']): readonly PlannerOperation[] {
  const Noun = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const member = `${noun}_id` as const;
  type Named = { readonly [key in typeof member]: string };
  type Addition = Named & Pick<AddDocumentCommentInput, 'body' | 'passage' | 'anchor'>;
  const about = ({ [member]: id, ...input }: Named): ListQuery => ({ ...input, target_type: noun, target_id: id });
  const common = {
    group: groups.comments,
    scope: 'project',
    renders: true,
    locate: { member, resource: noun },
  } as const;
  const rest = { path: `/${noun}s/:${member}/comments` };
  const listed: Read<Named, CommentListAnswer, 'renderings'> = {
    ...common,
    name: `list_${noun}_comments`,
    summary: `Comments on a ${noun}`,
    input: `List${Noun}CommentsInput`,
    output: 'CommentListAnswer',
    effect: 'read',
    followable: true,
    rest: { ...rest, method: 'GET' },
    tag: (view, input) => commentsTag(view, about(input)),
    run: (view, input, context) => listResponse(view, about(input), context),
  };
  const addTo: Write<Addition, CommentAnswer, 'renderings'> = {
    ...common,
    name: `add_${noun}_comment`,
    summary: `Comment on a ${noun}`,
    input: `Add${Noun}CommentInput`,
    output: 'CommentAnswer',
    effect: 'write',
    rest: { ...rest, method: 'POST', bare: 'comment', ...(example && { example }) },
    run: (tx, { [member]: id, ...input }, context) =>
      added(tx, { ...input, target_type: noun, target_id: id }, context),
  };
  return [listed, addTo];
}

/** The kinds of records that have routes of comments, and the example of a comment on each. */
const examples: Readonly<Record<CommentedRecordName, RestOptions['example']>> = {
  document: undefined,
  task: {
    body: 'Which cards? See [the fees](planner://document/doc_4n0c2m3p6r9s2e5b).',
    passage: 'cards',
  },
  note: undefined,
  submission: undefined,
};

export const commentOperations: readonly PlannerOperation[] = [
  ...[list, add, get, update, resolve, remove, listOfArtifact, addToArtifact],
  ...Object.entries(examples).flatMap(([noun, example]) => commentsOn(noun as CommentedRecordName, example)),
];
