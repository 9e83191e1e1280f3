import type { ReactElement } from 'react';
import { later } from '../../loading/later.tsx';
import { Skeleton, UnknownLine } from '../states.tsx';
import type { MarkdownEditorProps } from './markdown-editor.tsx';
import type { MarkdownViewProps } from './markdown-view.tsx';

/** The Markdown editor, loaded when it is first shown. */
export const LazyMarkdownEditor = later<MarkdownEditorProps>(
  async () => (await import('./markdown-editor.tsx')).MarkdownEditor,
  () => <Skeleton />,
);

/** A column has about this many characters in a line. */
const lineCharacters = 80;
const linesMax = 12;

function UnknownText({ characters }: { readonly characters: number }): ReactElement {
  const lines = Math.min(linesMax, Math.ceil(characters / lineCharacters));
  return (
    <>
      {Array.from({ length: lines }, (_, at) => (
        <UnknownLine key={at} width={at === lines - 1 ? '60%' : '100%'} />
      ))}
    </>
  );
}

/** Rendered Markdown, loaded on first use. */
export const LazyMarkdownView = later<MarkdownViewProps>(
  async () => (await import('./markdown-view.tsx')).MarkdownView,
  ({ text }) => <UnknownText characters={text.length} />,
);
