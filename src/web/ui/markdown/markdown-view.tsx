import { createContext, memo, use, useCallback, useEffect, useRef, useState } from 'react';
import type { ComponentProps, ReactElement } from 'react';
import { Link } from 'react-router';
import { classes } from '../class-names.ts';
import { withToggled } from './checklist.ts';
import { MarkdownNodes } from './markdown-nodes.tsx';
import type { MarkdownComponents } from './markdown-nodes.tsx';
import styles from './markdown.module.css';
import { addressOf, plannerLink } from './planner-link.ts';
import { useMarkdownTree } from './use-markdown-tree.ts';

export interface MarkdownViewProps {
  readonly text: string;
  readonly projectId: string;
  readonly className?: string;
  /** The text is being typed: it is shown after the typed letter is drawn. */
  readonly live?: boolean;
  /** Checkboxes are ticked; called with the changed text. Without it they are disabled. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** Ticks a checkbox, and returns whether the text was changed; undefined if the text cannot be changed here. */
const Ticking = createContext<((box: HTMLInputElement) => boolean) | undefined>(undefined);

/** Rendered Markdown. HTML is left out; links to the project's records open them; nothing is loaded from other origins. */
export const MarkdownView = memo(function Prose({
  text,
  projectId,
  className,
  live = false,
  onText,
}: MarkdownViewProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const shown = useMarkdownTree(text, live);
  const latest = useRef({ text, shown, onText });
  useEffect(() => {
    latest.current = { text, shown, onText };
  });
  const tick = useCallback((box: HTMLInputElement) => {
    const now = latest.current;
    // While the preview is older than the text, its checkboxes do not correspond to the text.
    if (now.shown.text !== now.text) return false;
    const boxes = [...place.current!.querySelectorAll('input[type=checkbox]')];
    const changed = withToggled(now.text, boxes.indexOf(box));
    if (changed !== undefined) now.onText?.(changed);
    return changed !== undefined;
  }, []);
  return (
    <div ref={place} className={classes(styles['prose'], className)}>
      <Ticking value={onText === undefined ? undefined : tick}>
        <MarkdownNodes nodes={shown.nodes} components={componentsOf(projectId)} />
      </Ticking>
    </div>
  );
});

const componentsByProject = new Map<string, MarkdownComponents>();

/** Returns the same components for the same project: new ones would remount every element with each letter typed. */
function componentsOf(projectId: string): MarkdownComponents {
  let components = componentsByProject.get(projectId);
  if (components === undefined) {
    components = {
      a: ({ href, children, ...rest }) => (
        <MarkdownLink {...rest} href={href} projectId={projectId}>
          {children}
        </MarkdownLink>
      ),
      img: ({ src, alt, title }) => <MarkdownImage src={src} alt={alt} title={title} />,
      table: ({ children, ...rest }) => (
        <div className={styles['wideTable']} role="region" aria-label="Table" tabIndex={0}>
          <table {...rest}>{children}</table>
        </div>
      ),
      pre: ({ children, ...rest }) => (
        <pre {...rest} tabIndex={0}>
          {children}
        </pre>
      ),
      input: Checkbox,
    };
    componentsByProject.set(projectId, components);
  }
  return components;
}

function Checkbox(props: ComponentProps<'input'>): ReactElement {
  const tick = use(Ticking);
  const { checked = false } = props;
  // The text is drawn again a moment after it was changed: until then the box is as it was clicked.
  const [clicked, setClicked] = useState<boolean | undefined>(undefined);
  useEffect(() => setClicked(undefined), [checked]);
  if (tick === undefined) return <input {...props} aria-label={checked ? 'Done' : 'Not done'} />;
  return (
    <input
      {...props}
      checked={clicked ?? checked}
      disabled={false}
      aria-label="Done"
      onChange={({ currentTarget }) => {
        const { checked: now } = currentTarget;
        if (tick(currentTarget)) setClicked(now);
      }}
    />
  );
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
