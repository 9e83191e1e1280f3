import { limits } from '../../base/limits.ts';
import { htmlOf, isBlank, isTooDeep, preformatted, safeHtml } from './comment-html.ts';

/** The safe HTML of a comment, or the reason why it is rejected. */
export type CommentBody = { readonly html: string } | { readonly refused: 'too_deep' | 'blank' | 'too_large' };

/** Renders the Markdown or HTML of a comment. */
export function commentBody(sent: string): CommentBody {
  const html = htmlOf(sent);
  if (isTooDeep(html)) return { refused: 'too_deep' };
  return kept(safeHtml(html));
}

/** A comment as preformatted text. */
export function plainCommentBody(sent: string): CommentBody {
  return kept(preformatted(sent));
}

function kept(html: string): CommentBody {
  if (isBlank(html)) return { refused: 'blank' };
  return Buffer.byteLength(html) > limits.commentHtmlBytesMax ? { refused: 'too_large' } : { html };
}
