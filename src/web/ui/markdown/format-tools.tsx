import type { EditorView } from '@codemirror/view';
import { Bold, Code, Heading2, ImagePlus, Italic, Link2, List, ListChecks, ListOrdered, TextQuote } from '../icons.ts';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { IconButton } from '../button.tsx';
import { keepFiles } from './file-drops.ts';
import { insertLink, prefixLines, wrap } from './format.ts';

interface Tool {
  readonly label: string;
  readonly icon: typeof Bold;
  readonly keys?: string;
  readonly run: (view: EditorView) => boolean;
}

const tools: readonly Tool[] = [
  { label: 'Bold', icon: Bold, keys: 'Ctrl B', run: (view) => wrap(view, '**') },
  { label: 'Italic', icon: Italic, keys: 'Ctrl I', run: (view) => wrap(view, '_') },
  { label: 'Heading', icon: Heading2, run: (view) => prefixLines(view, '## ', /^#{1,6} /) },
  { label: 'Bullet list', icon: List, keys: 'Ctrl Shift 8', run: (view) => prefixLines(view, '- ', /^[-*] /) },
  { label: 'Numbered list', icon: ListOrdered, run: (view) => prefixLines(view, '1. ', /^\d+\. /) },
  {
    label: 'Checklist',
    icon: ListChecks,
    keys: 'Ctrl Shift 9',
    run: (view) => prefixLines(view, '- [ ] ', /^[-*] \[[ xX]\] /),
  },
  { label: 'Quote', icon: TextQuote, run: (view) => prefixLines(view, '> ', /^> /) },
  { label: 'Code', icon: Code, keys: 'Ctrl E', run: (view) => wrap(view, '`') },
  { label: 'Link', icon: Link2, run: insertLink },
];

/** The formatting buttons; disabled without an editor. */
export function FormatTools({
  view,
  projectId,
}: {
  readonly view: EditorView | null;
  readonly projectId: string;
}): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {tools.map(({ label, icon: Icon, keys, run }) => (
        <IconButton
          key={label}
          small
          label={label}
          icon={<Icon size={15} />}
          {...(keys === undefined ? {} : { keys })}
          disabled={view === null}
          onClick={() => view !== null && run(view)}
        />
      ))}
      <IconButton
        small
        label="Picture or file"
        icon={<ImagePlus size={15} />}
        disabled={view === null}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Upload a picture or file"
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          if (view !== null) void keepFiles(view, projectId, files, view.state.selection.main.head);
        }}
      />
    </>
  );
}
