import { useId, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { EditorView } from '@codemirror/view';
import { classes } from '../class-names.ts';
import { usePrinting } from '../printing.ts';
import { FormatTools } from './format-tools.tsx';
import { MarkdownView } from './markdown-view.tsx';
import styles from './markdown.module.css';
import { SourceEditor } from './source-editor.tsx';
import type { SourceEditorProps } from './source-editor.tsx';

/** The source, the source next to the preview, or the preview. */
export type EditorMode = 'write' | 'beside' | 'preview';

export interface MarkdownEditorProps extends Omit<SourceEditorProps, 'onView' | 'hidden'> {
  /** The initial mode. */
  readonly mode?: EditorMode;
  readonly onMode?: (mode: EditorMode) => void;
  /** True if there is room for both side by side. */
  readonly wide?: boolean;
  readonly className?: string;
  readonly onView?: (view: EditorView | null) => void;
  /** Called with the element of the preview while it is shown. */
  readonly onPreview?: (element: HTMLElement | null) => void;
  /** A source other than Markdown: without formatting and preview. */
  readonly plain?: boolean;
  /** At the end of the toolbar. */
  readonly tools?: ReactNode;
}

const modeNames: Readonly<Record<EditorMode, string>> = { write: 'Write', beside: 'Both', preview: 'Preview' };

/**
 * A Markdown editor with preview. Pasted or dropped files are uploaded, `[[` completes links to the project's records. Large: load it
 * lazily (`lazy.tsx`).
 */
export function MarkdownEditor({
  mode: begin = 'write',
  onMode,
  wide = false,
  className,
  onView,
  onPreview,
  plain = false,
  tools,
  ...source
}: MarkdownEditorProps): ReactElement {
  const [mode, setMode] = useState(begin);
  const [view, setView] = useState<EditorView | null>(null);
  const id = useId();
  // On paper a document is its preview.
  const printing = usePrinting() && !plain;
  const choose = (next: EditorMode): void => {
    setMode(next);
    onMode?.(next);
  };
  return (
    <div className={classes(styles['editor'], className)}>
      {plain ? null : (
        <div className={styles['tools']} role="toolbar" aria-label={`Formatting of ${source.label}`} aria-controls={id}>
          {mode === 'preview' ? null : (
            <FormatTools view={source.readOnly === true ? null : view} projectId={source.projectId} />
          )}
          <span className={styles['toolsSpace']} />
          {tools}
          <div className={styles['modes']} role="group" aria-label="Show">
            {(Object.keys(modeNames) as EditorMode[])
              .filter((each) => wide || each !== 'beside')
              .map((each) => (
                <button
                  key={each}
                  type="button"
                  className={styles['mode']}
                  aria-pressed={mode === each}
                  onClick={() => choose(each)}
                >
                  {modeNames[each]}
                </button>
              ))}
          </div>
        </div>
      )}
      <div id={id} className={classes(styles['panes'], mode === 'beside' && styles['beside'])}>
        <SourceEditor
          {...source}
          hidden={mode === 'preview'}
          onView={(next) => {
            setView(next);
            onView?.(next);
          }}
        />
        {mode === 'write' && !printing ? null : (
          <div
            ref={mode === 'write' ? undefined : onPreview}
            className={styles['preview']}
            role="region"
            aria-label={`Preview of ${source.label}`}
            tabIndex={0}
          >
            {source.value.trim() === '' ? (
              <p className={styles['nothing']}>Nothing to show yet.</p>
            ) : (
              <MarkdownView
                live={!printing}
                text={source.value}
                projectId={source.projectId}
                onText={source.readOnly === true ? undefined : source.onChange}
              />
            )}
          </div>
        )}
      </div>
    </div>
  );
}
