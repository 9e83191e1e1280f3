import { later } from '../../loading/later.tsx';
import { Loading } from '../states.tsx';
import type { MarkdownEditorProps } from './markdown-editor.tsx';
import type { MarkdownViewProps } from './markdown-view.tsx';

/** The Markdown editor, loaded when it is first shown. */
export const LazyMarkdownEditor = later<MarkdownEditorProps>(
  async () => (await import('./markdown-editor.tsx')).MarkdownEditor,
  () => <Loading lines={3} />,
);

/** Rendered Markdown, loaded on first use. Until then the source is shown. */
export const LazyMarkdownView = later<MarkdownViewProps>(
  async () => (await import('./markdown-view.tsx')).MarkdownView,
  ({ text }) => <div style={{ whiteSpace: 'pre-wrap' }}>{text}</div>,
);
