import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import type { Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, placeholder as placeholderText } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { ReactElement } from 'react';
import { fileDrops } from './file-drops.ts';
import { formatKeys } from './format.ts';
import { linkCompletion } from './link-completion.ts';
import type { CompletedLink } from './link-completion.ts';
import styles from './markdown.module.css';
import { replacement } from './replacement.ts';

export interface SourceEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly projectId: string;
  /** Ctrl/Cmd-S. */
  readonly onSave?: (() => void) | undefined;
  readonly onBlur?: (() => void) | undefined;
  /** A link was completed from `[[`. */
  readonly onLink?: ((link: CompletedLink) => void) | undefined;
  readonly placeholder?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly autoFocus?: boolean | undefined;
  /** A further extension, such as highlights of passages. Must be the same object while unchanged. */
  readonly extension?: Extension | undefined;
  /** Called with the editor once it is created, for toolbars. */
  readonly onView?: ((view: EditorView | null) => void) | undefined;
  readonly hidden?: boolean | undefined;
}

/** An editor of a Markdown body. Line endings are kept. */
export function SourceEditor(props: SourceEditorProps): ReactElement {
  const separator = separatorOf(props.value);
  // The line separator is set when the editor is created.
  return <LineEditor key={separator ?? 'any'} separator={separator} {...props} />;
}

/** The line separator if it is not `\n`. In a text with mixed line endings, `\r` is an ordinary character. */
function separatorOf(text: string): string | undefined {
  if (!text.includes('\r')) return undefined;
  return /(^|[^\r])\n|\r(?!\n)/.test(text) ? '\n' : '\r\n';
}

/** Marks changes from outside, which were not typed. */
const fromOutside = Annotation.define<true>();

function LineEditor({
  separator,
  value,
  label,
  projectId,
  placeholder,
  readOnly = false,
  autoFocus = false,
  extension,
  onView,
  hidden = false,
  ...events
}: SourceEditorProps & { readonly separator: string | undefined }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const made = useRef<{ readonly view: EditorView; readonly more: Compartment; readonly lock: Compartment }>(null);
  const changed = useEffectEvent((text: string) => events.onChange(text));
  const saved = useEffectEvent(() => events.onSave?.());
  const left = useEffectEvent(() => events.onBlur?.());
  const linked = useEffectEvent((link: CompletedLink) => events.onLink?.(link));
  const shown = useEffectEvent((view: EditorView | null) => onView?.(view));
  const beginning = useEffectEvent(() => ({ value, readOnly, extension, autoFocus }));

  useEffect(() => {
    const begun = beginning();
    const [more, lock] = [new Compartment(), new Compartment()];
    const view = new EditorView({
      parent: place.current!,
      doc: begun.value,
      extensions: [
        ...(separator === undefined ? [] : [EditorState.lineSeparator.of(separator)]),
        ...plain({ label, projectId, placeholder }),
        linkCompletion(projectId, linked),
        keymap.of([{ key: 'Mod-s', run: () => (saved(), true) }]),
        EditorView.domEventHandlers({ blur: () => (left(), false) }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.annotation(fromOutside) === true))
            changed(update.state.sliceDoc());
        }),
        lock.of(locked(begun.readOnly)),
        more.of(begun.extension ?? []),
      ],
    });
    made.current = { view, more, lock };
    shown(view);
    if (begun.autoFocus) view.focus();
    return () => {
      shown(null);
      made.current = null;
      view.destroy();
    };
  }, [separator, label, projectId, placeholder]);

  useEffect(() => {
    const { view } = made.current!;
    const change = replacement(view.state.sliceDoc(), value);
    if (change !== undefined) view.dispatch({ changes: change, annotations: fromOutside.of(true) });
  }, [value]);
  useEffect(() => {
    const { view, more } = made.current!;
    view.dispatch({ effects: more.reconfigure(extension ?? []) });
  }, [extension]);
  useEffect(() => {
    const { view, lock } = made.current!;
    view.dispatch({ effects: lock.reconfigure(locked(readOnly)) });
  }, [readOnly]);

  return <div ref={place} className={styles['source']} hidden={hidden} />;
}

function locked(readOnly: boolean): Extension {
  return readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [];
}

/** The common configuration of the editors. Tab leaves the editor, like any other field. */
function plain({
  label,
  projectId,
  placeholder,
}: {
  readonly label: string;
  readonly projectId: string;
  readonly placeholder: string | undefined;
}): Extension[] {
  return [
    history(),
    drawSelection(),
    search({ top: true }),
    markdown({ base: markdownLanguage, completeHTMLTags: false }),
    syntaxHighlighting(highlights),
    theme,
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true', autocorrect: 'on' }),
    ...(placeholder === undefined ? [] : [placeholderText(placeholder)]),
    keymap.of([...formatKeys, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
    fileDrops(projectId),
  ];
}

const highlights = HighlightStyle.define([
  { tag: tags.heading, fontWeight: 'var(--bold)' },
  { tag: tags.strong, fontWeight: 'var(--bold)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.link, color: 'var(--accent)' },
  { tag: tags.url, color: 'var(--ink-3)' },
  { tag: tags.monospace, color: 'var(--info)' },
  { tag: tags.quote, color: 'var(--ink-2)' },
  { tag: tags.processingInstruction, color: 'var(--ink-3)' },
  { tag: tags.contentSeparator, color: 'var(--ink-3)' },
]);

// Its style sheets are in no layer, so that ours could not overrule them.
const theme = EditorView.theme({
  '&': { height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    minHeight: 'var(--editor-min, 160px)',
    maxHeight: 'var(--editor-max, none)',
    fontFamily: 'var(--mono)',
    fontSize: 'var(--text-3)',
    lineHeight: '1.62',
  },
  // Phones zoom into smaller text.
  '@media (max-width: 640px)': { '.cm-scroller': { fontSize: 'var(--text-4)' } },
  '.cm-content': { padding: 'var(--space-5) 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 var(--space-6)', textAlign: 'start', unicodeBidi: 'plaintext' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'light-dark(#cfd5ff, #3a4280) !important',
  },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-panels': { background: 'var(--surface-2)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': {
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    fontSize: 'var(--text-2)',
  },
  '.cm-button': {
    background: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    color: 'var(--ink)',
    fontSize: 'var(--text-2)',
  },
  '.cm-searchMatch': { background: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    boxShadow: 'var(--shadow-2)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font)',
    fontSize: 'var(--text-3)',
    maxHeight: '260px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: 'var(--space-2) var(--space-5)',
    display: 'flex',
    gap: 'var(--space-4)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-soft)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal', marginLeft: 'auto' },
  '.cm-uploading': { color: 'var(--ink-3)', fontStyle: 'italic' },
  '.cm-passage': { background: 'var(--warn-soft)', borderBottom: '2px solid var(--warn)' },
  '.cm-passage-chosen': { background: 'light-dark(#ffe2a8, #5c4416)' },
});
