import sanitize from 'sanitize-html';
import { limits } from '../../base/limits.ts';
import { markdownHtml, preformatted } from './comment-html.ts';

/**
 * The elements that a rendered text may contain: the elements of Markdown, and of HTML within it. No scripts, forms or
 * frames.
 */
const allowed: sanitize.IOptions = {
  allowedTags: [
    ...sanitize.defaults.allowedTags,
    ...['img', 'picture', 'source', 'del', 'ins', 'details', 'summary', 'input'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'srcset', 'alt', 'title', 'width', 'height', 'loading'],
    source: ['srcset', 'media', 'type'],
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled', 'aria-label'],
    pre: ['tabindex'],
    table: ['tabindex'],
    ol: ['start'],
    td: ['align', 'colspan', 'rowspan'],
    th: ['align', 'colspan', 'rowspan'],
    details: ['open'],
    '*': ['dir', 'lang'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  transformTags: {
    // A link that leads nowhere here is text.
    a: (tagName, { href = '', ...others }) =>
      /^planner:/i.test(href)
        ? { tagName: 'span', attribs: {} }
        : { tagName, attribs: { ...(href === '' ? {} : { href }), ...others, rel: 'nofollow noopener noreferrer' } },
    img: sanitize.simpleTransform('img', { loading: 'lazy' }),
    // Keys scroll only elements that can have the focus.
    pre: () => ({ tagName: 'pre', attribs: { tabindex: '0' } }),
    table: () => ({ tagName: 'table', attribs: { tabindex: '0' } }),
    input: (_, { checked }) => ({
      tagName: 'input',
      attribs: {
        type: 'checkbox',
        disabled: '',
        ...(checked === undefined ? {} : { checked }),
        'aria-label': checked === undefined ? 'Not done' : 'Done',
      },
    }),
  },
};

/** Markdown as safe HTML for a page of the service. A text over a limit, or one that takes too long to render, is preformatted. */
export function pageHtml(markdown: string): string {
  const html = markdownHtml(markdown, limits.renderedPageBytesMax);
  return html === undefined ? preformatted(markdown).replace('<pre>', '<pre tabindex="0">') : sanitize(html, allowed);
}
