import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Parses Markdown with GitHub's tables, task lists, footnotes, strikethrough and links. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, options);
}
