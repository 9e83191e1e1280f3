import { useEditorState } from '@tiptap/react';
import type { Editor } from '@tiptap/react';
import { Bold, Code, ImagePlus, Italic, Link2, List, ListOrdered, Strikethrough, TextQuote } from '../../ui/icons.ts';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

const tools = [
  {
    name: 'bold',
    label: 'Bold',
    icon: Bold,
    keys: 'Ctrl B',
    run: (editor: Editor) => editor.chain().focus().toggleBold(),
  },
  {
    name: 'italic',
    label: 'Italic',
    icon: Italic,
    keys: 'Ctrl I',
    run: (editor: Editor) => editor.chain().focus().toggleItalic(),
  },
  {
    name: 'strike',
    label: 'Crossed out',
    icon: Strikethrough,
    run: (editor: Editor) => editor.chain().focus().toggleStrike(),
  },
  {
    name: 'code',
    label: 'Code',
    icon: Code,
    keys: 'Ctrl E',
    run: (editor: Editor) => editor.chain().focus().toggleCode(),
  },
  {
    name: 'bulletList',
    label: 'Bullet list',
    icon: List,
    run: (editor: Editor) => editor.chain().focus().toggleBulletList(),
  },
  {
    name: 'orderedList',
    label: 'Numbered list',
    icon: ListOrdered,
    run: (editor: Editor) => editor.chain().focus().toggleOrderedList(),
  },
  {
    name: 'blockquote',
    label: 'Quote',
    icon: TextQuote,
    run: (editor: Editor) => editor.chain().focus().toggleBlockquote(),
  },
] as const;

/** The formatting buttons of a comment. */
export function ComposerTools({
  editor,
  onFiles,
}: {
  readonly editor: Editor;
  readonly onFiles: (files: readonly File[]) => void;
}): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [linking, setLinking] = useState(false);
  const active = useEditorState({
    editor,
    selector: ({ editor: current }) =>
      new Set([...tools.map(({ name }) => name), 'link'].filter((name) => current.isActive(name))),
    equalityFn: (a, b) => b !== null && a.size === b.size && [...a].every((name) => b.has(name)),
  });
  return (
    <>
      {tools.map(({ name, label, icon: Icon, run, ...more }) => (
        <IconButton
          key={name}
          small
          label={label}
          icon={<Icon size={14} />}
          {...('keys' in more ? { keys: more.keys } : {})}
          aria-pressed={active.has(name)}
          onClick={() => run(editor).run()}
        />
      ))}
      <IconButton
        small
        label="Link"
        icon={<Link2 size={14} />}
        aria-pressed={active.has('link')}
        onClick={() => setLinking(true)}
      />
      <IconButton small label="Picture" icon={<ImagePlus size={14} />} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Picture to add"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {linking ? <LinkDialog editor={editor} onClose={() => setLinking(false)} /> : null}
    </>
  );
}

function LinkDialog({ editor, onClose }: { readonly editor: Editor; readonly onClose: () => void }): ReactElement {
  const [address, setAddress] = useState(String(editor.getAttributes('link')['href'] ?? 'https://'));
  const put = (): void => {
    const href = address.trim();
    const chain = editor.chain().focus().extendMarkRange('link');
    if (href === '' || href === 'https://') chain.unsetLink().run();
    else if (editor.state.selection.empty && !editor.isActive('link'))
      chain.insertContent({ type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] }).run();
    else chain.setLink({ href }).run();
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title="Link">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          put();
        }}
      >
        <TextField
          label="Address"
          hint="Leave empty to remove the link."
          value={address}
          onChange={setAddress}
          autoFocus
        />
        <DialogFoot>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Set the link
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
