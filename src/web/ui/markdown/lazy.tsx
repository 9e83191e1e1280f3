import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { Loading } from '../states.tsx';
import type { MarkdownEditorProps } from './markdown-editor.tsx';
import type { MarkdownViewProps } from './markdown-view.tsx';

const Editor = lazy(async () => ({ default: (await import('./markdown-editor.tsx')).MarkdownEditor }));
const View = lazy(async () => ({ default: (await import('./markdown-view.tsx')).MarkdownView }));

/** The Markdown editor, loaded when it is first shown. */
export function LazyMarkdownEditor(props: MarkdownEditorProps): ReactElement {
  return (
    <Suspense fallback={<Loading lines={3} />}>
      <Editor {...props} />
    </Suspense>
  );
}

/** Rendered Markdown, loaded on first use. Until then the source is shown. */
export function LazyMarkdownView(props: MarkdownViewProps): ReactElement {
  return (
    <Suspense fallback={<div style={{ whiteSpace: 'pre-wrap' }}>{props.text}</div>}>
      <View {...props} />
    </Suspense>
  );
}
