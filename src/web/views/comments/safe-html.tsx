import { createElement, Fragment, useMemo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router';
import { addressOf, plannerLink } from '../../ui/markdown/planner-link.ts';

export interface SafeHtmlProps {
  /** HTML that the service has sanitised. */
  readonly html: string;
  readonly projectId: string;
  readonly className?: string;
}

/**
 * Renders HTML as elements of the page, restricted to formatted text: the service's HTML is checked again here, and is never inserted as markup.
 */
export function SafeHtml({ html, projectId, className }: SafeHtmlProps): ReactElement {
  const content = useMemo(() => {
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    return [...body.childNodes].map((node, at) => nodeOf(node, at, projectId, { dir: 'auto' }));
  }, [html, projectId]);
  return <div className={className}>{content}</div>;
}

const elements = new Set(
  (
    'h1 h2 h3 h4 h5 h6 p div blockquote pre hr br ul ol li dl dt dd table caption thead tbody tfoot tr th td figure figcaption details ' +
    'summary a abbr b cite code del em i img input ins kbd mark q s samp small span strong sub sup u var'
  ).split(' '),
);
const empty = new Set(['hr', 'br', 'img', 'input']);

function childrenOf(parent: Node, projectId: string): ReactNode[] {
  return [...parent.childNodes].map((node, at) => nodeOf(node, at, projectId));
}

function nodeOf(node: Node, key: number, projectId: string, more: Readonly<Record<string, string>> = {}): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof HTMLElement)) return null;
  const tag = node.localName;
  if (!elements.has(tag)) return <Fragment key={key}>{childrenOf(node, projectId)}</Fragment>;
  if (tag === 'a') return linkOf(node, key, projectId);
  if (tag === 'img') return imageOf(node, key);
  const props = { key, ...more, ...(tag === 'input' ? boxOf(node) : {}), ...(tag === 'details' ? { open: true } : {}) };
  return empty.has(tag) ? createElement(tag, props) : createElement(tag, props, ...childrenOf(node, projectId));
}

function boxOf(node: HTMLElement): Record<string, unknown> {
  const checked = node.hasAttribute('checked');
  return { type: 'checkbox', checked, disabled: true, readOnly: true, 'aria-label': checked ? 'Done' : 'Not done' };
}

function linkOf(node: HTMLElement, key: number, projectId: string): ReactNode {
  const href = node.getAttribute('href') ?? '';
  const inside = childrenOf(node, projectId);
  const link = plannerLink(href);
  if (link !== undefined)
    return (
      <Link key={key} to={addressOf(link, projectId)}>
        {inside}
      </Link>
    );
  if (!/^(https?:|mailto:|tel:|\/)/i.test(href)) return <Fragment key={key}>{inside}</Fragment>;
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer">
      {inside}
    </a>
  );
}

/** An image of the service, or an inline one. An image from another origin is a link. */
function imageOf(node: HTMLElement, key: number): ReactNode {
  const src = node.getAttribute('src') ?? '';
  const alt = node.getAttribute('alt') ?? '';
  if (/^\/(?!\/)|^data:image\/(png|jpeg|gif|webp|avif);/i.test(src))
    return <img key={key} src={src} alt={alt} loading="lazy" />;
  return (
    <a key={key} href={src} target="_blank" rel="noopener noreferrer">
      Picture elsewhere{alt === '' ? '' : `: ${alt}`}
    </a>
  );
}
