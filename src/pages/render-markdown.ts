import { Marked } from 'marked';
import sanitize from 'sanitize-html';
import { Html, markup } from '../http/markup.ts';

const marked = new Marked({ gfm: true, async: false });

/** What may stand in a rendered text: what Markdown makes, and the HTML that people write in it. Nothing that runs, submits or frames. */
const allowed: sanitize.IOptions = {
  allowedTags: [
    ...sanitize.defaults.allowedTags,
    ...['img', 'picture', 'source', 'del', 'ins', 'details', 'summary', 'input'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'srcset', 'alt', 'title', 'width', 'height', 'loading'],
    source: ['srcset', 'media', 'type'],
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled'],
    ol: ['start'],
    td: ['align', 'colspan', 'rowspan'],
    th: ['align', 'colspan', 'rowspan'],
    details: ['open'],
    '*': ['dir', 'lang'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'], source: ['http', 'https', 'data'] },
  transformTags: {
    a: sanitize.simpleTransform('a', { rel: 'nofollow noopener noreferrer' }),
    img: sanitize.simpleTransform('img', { loading: 'lazy' }),
    input: (_, { checked }) => ({
      tagName: 'input',
      attribs: { type: 'checkbox', disabled: '', ...(checked === undefined ? {} : { checked }) },
    }),
  },
};

/** Markdown as HTML for a page. One that was made to break renderers is shown as it stands. */
export function renderMarkdown(markdown: string): Html {
  try {
    return new Html(sanitize(marked.parse(markdown) as string, allowed));
  } catch {
    return markup`<pre>${markdown}</pre>`;
  }
}
