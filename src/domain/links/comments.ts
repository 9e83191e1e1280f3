import { byCreation } from '../../store/index.ts';
import type { Belonging } from '../../store/index.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { Steps } from '../../base/slices.ts';
import type {
  Comment,
  CommentRecord,
  CommentRow,
  CommentTarget,
  PlanReadTransaction,
  PlanTransaction,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { commentTargets, type CommentedName } from '../records/declared.ts';
import { shown } from '../records/shown.ts';
import type { CommentBody } from '../text/comment-body.ts';
import { textOf } from '../text/comment-html.ts';
import type { Renderings } from '../text/renderers.ts';
import { discard } from '../records/trash.ts';

/** The target of a comment. */
export interface Target {
  readonly target_type: CommentTarget;
  readonly target_id: string;
}

export interface NewComment extends Target {
  readonly body: string;
  readonly passage?: string | null;
  readonly anchor?: CommentRecord['anchor'];
}

/** The filter of a list of comments. */
export interface CommentFilter {
  readonly target_type?: CommentTarget;
  readonly target_id?: string;
  readonly include_resolved?: boolean;
}

/** Throws `not_found`. */
export function commentById(view: PlanReadTransaction, id: string): CommentRecord {
  const comment = view.get('comment', id);
  if (comment === undefined) throw notFound('comment', id);
  return comment;
}

/**
 * Throws `not_found` for a missing record, unless its collection declares that comments need no record: a file outside the project can be
 * annotated.
 */
export function requireTarget(view: PlanReadTransaction, { target_type: type, target_id: id }: Target): void {
  if (commentTargets[type] === 'record' && view.get(type, id) === undefined) throw notFound(type, id);
}

/** Creates a comment from Markdown or HTML, with the caller as author. */
export function addComment(tx: PlanTransaction, input: NewComment, renderings: Renderings): CommentRecord {
  const { target_type: type, target_id: target, passage = null, anchor = null } = input;
  requireTarget(tx, input);
  requireSelector(anchor);
  const fields = { target_type: type, target_id: target, passage, anchor, author: tx.author };
  return tx.put(
    'comment',
    newRecord('comment', { id: tx.newId('comment'), created_at: tx.now, ...fields, ...stored(input.body, renderings) }),
  );
}

function requireSelector(anchor: CommentRecord['anchor']): void {
  if (anchor === null) return;
  if (typeof anchor['type'] !== 'string' || anchor['type'].trim() === '')
    throw invalid(
      'anchor.type',
      'anchor must be a selector with a type, for example {"type": "TextQuoteSelector", "exact": ...}.',
    );
  if (Buffer.byteLength(JSON.stringify(anchor)) <= limits.commentAnchorBytesMax) return;
  throw invalid(
    'anchor',
    `anchor is larger than ${limits.commentAnchorBytesMax} bytes as JSON: select a shorter passage.`,
  );
}

/**
 * The text of a comment as it is stored: its safe HTML, and the sent text. Throws `invalid_argument` if it cannot be
 * kept.
 */
function stored(sent: string, renderings: Renderings): Pick<CommentRecord, 'body' | 'source'> {
  const body = storedBody(renderings.of('comment', sent, null));
  return { body, source: body === sent ? null : sent };
}

function storedBody(body: CommentBody): string {
  if ('html' in body) return body.html;
  if (body.refused === 'too_deep')
    throw invalid('body', `body is HTML nested more than ${limits.htmlDepthMax} elements deep: reduce the nesting.`);
  if (body.refused === 'blank')
    throw invalid('body', 'body must contain text or an image: sanitizing left nothing to show.');
  throw invalid('body', `body is larger than ${limits.commentHtmlBytesMax} bytes as HTML: put it into a document.`);
}

/** Changes the body of a comment, or resolves or reopens it. */
export function updateComment(
  tx: PlanTransaction,
  {
    comment_id: id,
    body,
    resolved,
  }: { readonly comment_id: string; readonly body?: string; readonly resolved?: boolean },
  renderings: Renderings,
): CommentRecord {
  const former = commentById(tx, id);
  // A body that equals the one returned before is HTML, whatever it begins with.
  const same = body === undefined || body === bodyOf(former, renderings);
  return tx.put('comment', {
    ...former,
    ...(same ? undefined : stored(body, renderings)),
    resolved: resolved ?? former.resolved,
  });
}

/** The beginning of a comment that the trash shows. */
const labelCharacters = 120;

/** Deletes a comment. Returns the id of its entry in the trash. */
export function* deleteComment(tx: PlanTransaction, id: string): Steps<string> {
  const { body } = commentById(tx, id);
  const label = textOf(body, labelCharacters).replace(/\s+/g, ' ').trim().slice(0, labelCharacters);
  return yield* discard(tx, { type: 'comment', id, label }, () => tx.removeInSteps('comment', id));
}

/** Removes a record with its comments: they are deleted and restored together. Every deletion of a record that may have comments uses this. */
export function* removeWithComments(tx: PlanTransaction, type: CommentedName, id: string): Steps<void> {
  const comments = tx.by('comment', 'target', keyOf(type, id)).sort(byCreation);
  const belongings: Belonging[] = comments.map((record) => ({ collection: 'comment', record }));
  yield* tx.removeInSteps(type, id, belongings);
}

/** The comments of a project, or of one target, by created_at, id, after `after`; without resolved ones unless requested. */
export function* listComments(
  view: PlanReadTransaction,
  filter: CommentFilter,
  after?: { readonly created_at: string; readonly id: string },
): IterableIterator<CommentRecord> {
  const { target_type: type, target_id: id } = filter;
  const matches = commentFilter(filter);
  if (type === undefined || id === undefined) {
    for (const comment of view.list('comment', after)) if (matches(comment)) yield comment;
    return;
  }
  for (const comment of view.by('comment', 'target', keyOf(type, id)).sort(byCreation))
    if ((after === undefined || byCreation(comment, after) > 0) && matches(comment)) yield comment;
}

/** Returns the predicate of a filter. */
export function commentFilter(filter: CommentFilter): (comment: CommentRecord) => boolean {
  const { target_type: type, target_id: id, include_resolved: all = false } = filter;
  if (id !== undefined && type === undefined)
    throw invalid('target_type', 'target_id requires target_type: an id alone does not name a type of resource.');
  return (one) =>
    (all || !one.resolved) &&
    (type === undefined || one.target_type === type) &&
    (id === undefined || one.target_id === id);
}

/** The key in the collection's index. */
function keyOf(type: CommentTarget, id: string): string {
  return `${type}:${id}`;
}

/** Records whose body was checked and is already safe. */
const safe = new WeakSet<CommentRecord>();

/** A comment's sanitised body, also if a person or another program wrote its file. */
function bodyOf(comment: CommentRecord, renderings: Renderings): string {
  const { body } = comment;
  if (safe.has(comment)) return body;
  const cleaned = renderings.of('sanitised', body, null);
  if (cleaned === body) safe.add(comment);
  return cleaned;
}

/** A comment in the form for callers. */
export function showComment(view: PlanReadTransaction, comment: CommentRecord, renderings: Renderings): Comment {
  const { source } = comment;
  const body = bodyOf(comment, renderings);
  return shown.comment.details(comment, { project_id: view.project, body, source: source ?? comment.body });
}

/** A comment in an agent's list, without null and implied members. */
export function commentRow(comment: CommentRecord, renderings: Renderings): CommentRow {
  return shown.comment.row(comment, { body: bodyOf(comment, renderings) });
}
