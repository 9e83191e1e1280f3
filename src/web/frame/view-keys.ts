import { boardKeys } from '../views/board/board-keys.ts';
import { keyList as canvasKeys } from '../views/canvas/canvas-keys.ts';
import { listKeys } from '../views/list/keys.ts';
import type { KeyList } from '../shell/key-list.ts';

/** The keys that views handle themselves; each list is declared next to its handler. */
export const viewKeys: Readonly<Record<string, KeyList>> = {
  Board: boardKeys,
  List: listKeys,
  Canvas: canvasKeys,
  'Inbox and review': [
    ['j k', 'Next, previous'],
    ['a', 'Accept, approve or answer'],
    ['e', 'Edit before accepting'],
    ['l', 'Link with a task'],
    ['x', 'Reject or put off'],
    ['r', 'Send back with a reason'],
    ['o', 'Open'],
  ],
  Texts: [
    ['Ctrl S', 'Save'],
    ['Ctrl B', 'Bold'],
    ['Ctrl I', 'Italic'],
    ['Ctrl E', 'Code'],
    ['Ctrl Shift 8', 'Bullet list'],
    ['Ctrl Shift 9', 'Checklist'],
    ['Ctrl F', 'Find in the text'],
    ['[ [', 'Link to a document or task'],
    ['Ctrl Alt M', 'Comment on the selection of a document'],
  ],
  'Presentation of a prototype': [
    ['→ ←', 'Next, previous screen'],
    ['Home End', 'First, last screen'],
    ['Esc', 'End'],
  ],
};
