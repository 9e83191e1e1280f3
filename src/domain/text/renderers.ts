import { limits } from '../../base/limits.ts';
import { withArtifactUrls } from './artifact-urls.ts';
import type { ArtifactUrls } from './artifact-urls.ts';
import { commentBody, plainCommentBody } from './comment-body.ts';
import type { CommentBody } from './comment-body.ts';
import { htmlOf, preformatted, safeHtml, servedHtml } from './comment-html.ts';
import { withHtmlUrls } from './html-urls.ts';
import { pageHtml } from './page-html.ts';
import { shareRewrite } from './share-rewrite.ts';
import type { ShareUrls } from './share-rewrite.ts';
import { textMarkdown } from './text-markdown.ts';
import type { WrittenText } from './text-markdown.ts';
import type { SourceText } from './source-text.ts';
import { namedByUrls } from './text-urls.ts';
import type { NamedByUrls, UrlOptions } from './text-urls.ts';
import { replacedText, unifiedDiff } from './unified-diff.ts';
import type { DiffOptions } from './unified-diff.ts';

/** A function of a text and options that can be cloned, so that it may run in another thread. */
interface Renderer<Options, Output> {
  readonly render: (text: string, options: Options) => Output;
  /** The fallback if rendering takes too long. It takes linear time. */
  readonly plain: (text: string, options: Options) => Output;
}

export interface SharedMarkdownOptions extends ShareUrls {
  /** Its position among the texts of the resource. */
  readonly at: number;
  /** The labels that the preceding texts define. */
  readonly identifiers: readonly string[];
}

const comment: Renderer<null, CommentBody> = { render: commentBody, plain: plainCommentBody };

/** HTML that may have been written by another program. */
const sanitised: Renderer<null, string> = { render: servedHtml, plain: preformatted };

const artifact: Renderer<null, string> = {
  render: (markdown) => safeHtml(htmlOf(markdown, limits.renderedArtifactBytesMax)),
  plain: preformatted,
};

const artifactUrls: Renderer<ArtifactUrls, string> = { render: withArtifactUrls, plain: (html) => html };

const named: Renderer<UrlOptions, NamedByUrls> = { render: namedByUrls, plain: () => ({ files: [], screens: [] }) };

const sharedText: Renderer<ShareUrls, string> = {
  render: (body, urls) => pageHtml(textMarkdown(body, shareRewrite(urls))),
  plain: preformatted,
};

const sharedScreen: Renderer<ShareUrls, string> = {
  render: (html, urls) => withHtmlUrls(html, shareRewrite(urls)),
  plain: (html) => html,
};

const sharedMarkdown: Renderer<SharedMarkdownOptions, WrittenText> = {
  render: (body, { at, identifiers, ...urls }) => {
    const known = new Set(identifiers);
    const markdown = textMarkdown(body, shareRewrite(urls), at, known);
    return { markdown, identifiers: [...known] };
  },
  plain: (markdown, { identifiers }) => ({ markdown, identifiers }),
};

const unified: Renderer<DiffOptions, string> = { render: unifiedDiff, plain: replacedText };

/** All renderers of callers' texts, by name. */
export const renderers = {
  comment,
  sanitised,
  artifact,
  artifactUrls,
  named,
  sharedText,
  sharedScreen,
  sharedMarkdown,
  unified,
};

export type Renderers = typeof renderers;
export type RendererName = keyof Renderers;
export type OptionsOf<N extends RendererName> = Parameters<Renderers[N]['render']>[1];
export type OutputOf<N extends RendererName> = ReturnType<Renderers[N]['render']>;

/** A text to be rendered. */
export interface RenderJob<N extends RendererName = RendererName> {
  readonly name: N;
  readonly text: SourceText;
  readonly options: OptionsOf<N>;
}

/** Renders in the calling thread; with `plain`, the fallback. */
export function render<N extends RendererName>({ name, text, options }: RenderJob<N>, plain = false): OutputOf<N> {
  const renderer = renderers[name] as unknown as Renderer<OptionsOf<N>, OutputOf<N>>;
  return plain ? renderer.plain(text.body, options) : renderer.render(text.body, options);
}

/** The source of rendered texts for rules. */
export interface Renderings {
  of<N extends RendererName>(name: N, text: string | SourceText, options: OptionsOf<N>): OutputOf<N>;
  /** Renders texts that are sent after the call was executed. */
  later<N extends RendererName>(name: N, text: string | SourceText, options: OptionsOf<N>): Promise<OutputOf<N>>;
}
