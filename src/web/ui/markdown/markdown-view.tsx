import { memo, useState } from 'react';
import type { ComponentProps, ReactElement } from 'react';
import Markdown from 'react-markdown';
import type { Components } from 'react-markdown';
import { Link } from 'react-router';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { classes } from '../class-names.ts';
import { keyedPieces } from './blocks.ts';
import styles from './markdown.module.css';
import { addressOf, plannerLink } from './planner-link.ts';

export interface MarkdownViewProps {
  readonly text: string;
  readonly projectId: string;
  readonly className?: string;
}

const schema = {
  ...defaultSchema,
  protocols: {
    ...defaultSchema.protocols,
    href: ['http', 'https', 'mailto', 'tel', 'planner'],
    src: ['http', 'https', 'data'],
  },
};

/** Each block has the direction of its text; a list has one for all its items. Code runs from left to right. */
function withDirection(): (root: Blocks) => void {
  return ({ children }) => {
    for (const block of children)
      if (block.properties !== undefined && block.tagName !== 'pre') block.properties['dir'] = 'auto';
  };
}

/** The part of the syntax tree that is used here. */
interface Blocks {
  readonly children: readonly { readonly tagName?: string; readonly properties?: Record<string, unknown> }[];
}

/** Rendered Markdown. HTML is shown as text; links to the project's records open them; nothing is loaded from other origins. */
export const MarkdownView = memo(function Prose({ text, projectId, className }: MarkdownViewProps): ReactElement {
  const [known, setKnown] = useState(() => keyedPieces(text));
  const shown = known.text === text ? known : keyedPieces(text, known);
  if (shown !== known) setKnown(shown);
  return (
    <div className={classes(styles['prose'], className)}>
      {shown.pieces.map((piece) => (
        <Piece key={piece.key} text={piece.text} projectId={projectId} />
      ))}
    </div>
  );
});

/** A part of a text. It is rendered again only if it has changed. */
const Piece = memo(function Rendered({ text, projectId }: Pick<MarkdownViewProps, 'text' | 'projectId'>): ReactElement {
  return (
    <Markdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[[rehypeSanitize, schema], withDirection]}
      // The sanitiser filters URLs: react-markdown's default would drop `planner:` URLs.
      urlTransform={(url) => url}
      components={componentsOf(projectId)}
    >
      {text}
    </Markdown>
  );
});

const componentsByProject = new Map<string, Components>();

/** The same components for the same project: new ones would remount every element with each letter typed. */
function componentsOf(projectId: string): Components {
  let components = componentsByProject.get(projectId);
  if (components === undefined) {
    components = {
      a: ({ node: _, href, children, ...rest }) => (
        <MarkdownLink {...rest} href={href} projectId={projectId}>
          {children}
        </MarkdownLink>
      ),
      img: ({ node: _, src, alt, title }) => <MarkdownImage src={src} alt={alt} title={title} />,
      table: ({ node: _, children, ...rest }) => (
        <div className={styles['wideTable']} role="region" aria-label="Table" tabIndex={0}>
          <table {...rest}>{children}</table>
        </div>
      ),
      pre: ({ node: _, children, ...rest }) => (
        <pre {...rest} tabIndex={0}>
          {children}
        </pre>
      ),
      input: ({ node: _, ...rest }) => <input {...rest} aria-label={rest.checked === true ? 'Done' : 'Not done'} />,
    };
    componentsByProject.set(projectId, components);
  }
  return components;
}

function MarkdownLink({
  href = '',
  projectId,
  children,
  ...rest
}: ComponentProps<'a'> & { readonly projectId: string }): ReactElement {
  const link = plannerLink(href);
  if (link !== undefined)
    return (
      <Link {...rest} to={addressOf(link, projectId)}>
        {children}
      </Link>
    );
  if (href.startsWith('#'))
    return (
      <a {...rest} href={href}>
        {children}
      </a>
    );
  return (
    <a {...rest} href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** An image of the service. An image from another origin is a link, so that reading a plan sends no request to it. */
function MarkdownImage({ src, alt = '', title }: Pick<ComponentProps<'img'>, 'src' | 'alt' | 'title'>): ReactElement {
  const address = typeof src === 'string' ? src : '';
  if (isOutside(address))
    return (
      <a href={address} target="_blank" rel="noopener noreferrer" title={title}>
        Picture elsewhere: {alt === '' ? address : alt}
      </a>
    );
  return <img src={address} alt={alt} title={title} loading="lazy" />;
}

function isOutside(address: string): boolean {
  if (!/^(https?:)?\/\//i.test(address)) return false;
  try {
    return new URL(address, window.location.href).origin !== window.location.origin;
  } catch {
    return true;
  }
}
