import { useId, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { EditorView } from '@codemirror/view';
import { classes } from '../class-names.ts';
import { FormatTools } from './format-tools.tsx';
import { MarkdownView } from './markdown-view.tsx';
import styles from './markdown.module.css';
import { SourceEditor } from './source-editor.tsx';
import type { SourceEditorProps } from './source-editor.tsx';

/** The text alone, the text and what it reads like, or what it reads like alone. */
export type EditorMode = 'write' | 'beside' | 'preview';

export interface MarkdownEditorProps extends Omit<SourceEditorProps, 'onView' | 'hidden'> {
  /** Which of the three is shown at first. */
  readonly mode?: EditorMode;
  readonly onMode?: (mode: EditorMode) => void;
  /** Whether both may stand beside each other: where there is room. */
  readonly wide?: boolean;
  readonly className?: string;
  readonly onView?: (view: EditorView | null) => void;
  /** The element that the text is read in, while it is shown. */
  readonly onPreview?: (element: HTMLElement | null) => void;
  /** The source of something else than Markdown: without formatting and preview. */
  readonly plain?: boolean;
  /** Stands at the end of the tools. */
  readonly tools?: ReactNode;
}

const modeNames: Readonly<Record<EditorMode, string>> = { write: 'Write', beside: 'Both', preview: 'Preview' };

/**
 * A Markdown text to be written, with its preview. Pictures and other files that are pasted or dropped are kept by the service, `[[` offers
 * what the project holds. Heavy: load it lazily (`lazy.tsx`).
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
        {mode === 'write' ? null : (
          <div
            ref={onPreview}
            className={styles['preview']}
            role="region"
            aria-label={`Preview of ${source.label}`}
            tabIndex={0}
          >
            {source.value.trim() === '' ? (
              <p className={styles['nothing']}>Nothing to show yet.</p>
            ) : (
              <MarkdownView text={source.value} projectId={source.projectId} />
            )}
          </div>
        )}
      </div>
    </div>
  );
}
