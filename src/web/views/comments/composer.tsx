import Image from '@tiptap/extension-image';
import { EditorContent, useEditor } from '@tiptap/react';
import type { Editor } from '@tiptap/react';
import StarterKit from '@tiptap/starter-kit';
import { useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { toast } from 'sonner';
import {
  commentKey,
  draftStorage,
  holdComment,
  openDraft,
  storeComment,
  storedComment,
} from '../../drafts/draft-store.ts';
import type { StoredComment } from '../../drafts/draft-store.ts';
import { isAway } from '../../drafts/draft-keeper.ts';
import { ServiceError, upload } from '../../rest/client.ts';
import { Button } from '../../ui/button.tsx';
import styles from './comments.module.css';
import { ComposerTools } from './composer-tools.tsx';
import { showError } from '../../rest/show-error.ts';

export interface ComposerProps {
  readonly projectId: string;
  readonly label: string;
  /** The initial HTML. */
  readonly begin?: string;
  /** The target of the text: a draft of it survives a reload, and is sent later if the service does not respond. */
  readonly draft: Omit<StoredComment, 'html' | 'due'>;
  readonly action: string;
  /** Sends the text. If the promise rejects, the text is kept. */
  readonly onSend: (html: string) => Promise<unknown>;
  readonly onCancel?: () => void;
  readonly autoFocus?: boolean;
  readonly busy?: boolean;
  /** Above the text. */
  readonly head?: ReactNode;
}

/** An editor of formatted text with pictures. Ctrl/Cmd-Enter sends it. */
export function Composer({
  projectId,
  label,
  begin = '',
  draft,
  action,
  onSend,
  onCancel,
  autoFocus = false,
  busy = false,
  head,
}: ComposerProps): ReactElement {
  const [blank, setBlank] = useState(true);
  const draftKey = commentKey(draft);
  useEffect(() => openDraft(draftKey), [draftKey]);
  const keep = (html: string, isEmpty: boolean): void => {
    setBlank(isEmpty);
    if (isEmpty) draftStorage.removeItem(draftKey);
    else storeComment(draftKey, { ...draft, html });
  };
  const editor: Editor | null = useEditor({
    extensions: [
      StarterKit.configure({ heading: false, horizontalRule: false, link: { openOnClick: false } }),
      Image.configure({ inline: true }),
    ],
    content: storedComment(draftKey)?.html ?? begin,
    autofocus: autoFocus ? 'end' : false,
    editorProps: {
      attributes: { 'aria-label': label, 'aria-multiline': 'true', role: 'textbox', class: styles['text']! },
      handlePaste: (_, event) => take(event.clipboardData),
      handleDrop: (_, event) => take(event.dataTransfer),
      handleKeyDown: (_, event) => {
        if (event.key === 'Escape' && onCancel !== undefined) return (onCancel(), true);
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return false;
        void send();
        return true;
      },
    },
    onCreate: (props) => setBlank(isBlank(props.editor)),
    onUpdate: (props) => keep(props.editor.getHTML(), isBlank(props.editor)),
  });
  const send = async (): Promise<void> => {
    if (editor === null || isBlank(editor) || busy) return;
    try {
      await onSend(editor.getHTML());
    } catch (error) {
      // The change shows its own error.
      if (!isAway(error)) return;
      holdComment({ ...draft, html: editor.getHTML() });
      toast.info('It is sent as soon as the service responds.');
      onCancel?.();
    }
    if (editor.isDestroyed) return draftStorage.removeItem(draftKey);
    editor.commands.clearContent();
    keep('', true);
  };
  const take = (data: DataTransfer | null): boolean => {
    if (data === null || data.types.includes('text/plain') || data.files.length === 0 || editor === null) return false;
    void addPictures(editor, projectId, [...data.files]);
    return true;
  };
  return (
    <div className={styles['composer']} data-blank={blank}>
      {head}
      <EditorContent editor={editor} />
      <div className={styles['composerFoot']}>
        {editor === null ? null : (
          <ComposerTools editor={editor} onFiles={(files) => void addPictures(editor, projectId, files)} />
        )}
        <div className={styles['composerActions']}>
          {onCancel === undefined ? null : (
            <Button small onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button small look="primary" disabled={blank || busy} onClick={() => void send()}>
            {action}
          </Button>
        </div>
      </div>
    </div>
  );
}

function isBlank(editor: Editor): boolean {
  return editor.getText().trim() === '' && !editor.getHTML().includes('<img');
}

/** Uploads files: images are inserted inline, other files as links. */
async function addPictures(editor: Editor, projectId: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const name = file.name === '' ? `pasted.${file.type.split('/')[1] ?? 'bin'}` : file.name;
    try {
      const kept = await upload('create_file', { project_id: projectId }, file, name);
      if (editor.isDestroyed) return;
      if (kept.mime.startsWith('image/')) editor.chain().focus().setImage({ src: kept.url, alt: kept.filename }).run();
      else
        editor
          .chain()
          .focus()
          .insertContent({ type: 'text', text: kept.filename, marks: [{ type: 'link', attrs: { href: kept.url } }] })
          .run();
    } catch (error) {
      const why = error instanceof ServiceError ? error.message : String(error);
      showError(`${name} could not be uploaded.`, why);
    }
  }
}
