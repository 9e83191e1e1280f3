import { limits } from '../base/limits.ts';
import { cancelled } from './status-synonyms.ts';
import { tickBoxOf } from './tick-box.ts';

/** The status that a colour of JSON Canvas means, in our own export and when it is imported again. */
const statuses: Readonly<Record<string, string>> = { '3': 'in_progress', '4': 'done', '5': 'scope' };
const colours = new Map(Object.entries(statuses).map(([colour, status]) => [status, colour]));

/** The label of a node without text. */
export const untitled = '(untitled)';

/** The colour of a status; undefined for a status without one. */
export function colourOf(status: string): string | undefined {
  return colours.get(status);
}

/** Returns whether a colour represents a status. */
export function isStatusColour(colour: string | null): boolean {
  return colour !== null && statuses[colour] !== undefined;
}

/** The status of a node, or `cancelled`: the one in its tick box, whatever its colour, unless the box is empty. */
export function statusOfNode(before: string, colour: string | null): string {
  const boxed = tickBoxOf(`${box.exec(before)?.[0] ?? ''} x`)?.status ?? 'todo';
  return boxed === 'todo' ? (statuses[colour ?? ''] ?? 'todo') : boxed;
}

/** The status of the task that a node with this status becomes. */
export function statusOfTask(status: string): string {
  return status === cancelled ? 'done' : status;
}

const box = /\[[ xX/-]\]/;

/** A text as a task: `before + label + between + description` is the text, unless it had to be changed to fit. */
export interface NodeText {
  /** A tick box and a heading mark, which are not part of the label. */
  readonly before: string;
  readonly label: string;
  /** The line breaks between the label and the description. */
  readonly between: string;
  readonly description: string;
}

/** Reads the text of a node: the first line is the label, the rest the description. */
export function readNodeText(text: string): NodeText {
  const start = text.length - text.trimStart().length;
  const end = text.includes('\n', start) ? text.indexOf('\n', start) : text.length;
  const mark = /^(?:[-*] \[[ xX/-]\] )?(?:#{1,6} +)?/.exec(text.slice(start, end))?.[0] ?? '';
  const before = text.slice(0, start + mark.length);
  const first = text.slice(before.length, end).trimEnd();
  const label = oneLine(first);
  // A first line that is cut is whole in the description.
  if (label.length > limits.nameCharactersMax) return { before, label: cut(label), between: '\n\n', description: text };
  let body = end;
  while (text[body] === '\n') body++;
  const between = text.slice(before.length + first.length, body);
  return { before, label: label === '' ? untitled : label, between, description: text.slice(body) };
}

/** The text of a node without a text so far: the label is its heading. */
export function newNodeText(label: string, description: string): NodeText {
  return { before: '# ', label, between: description === '' ? '' : '\n\n', description };
}

export function textOfNode({ before, label, between, description }: NodeText): string {
  return before + label + (between === '' && description !== '' ? '\n\n' : between) + description;
}

/** The beginning of a text with its tick box as the status requires; unchanged without a tick box. */
export function tick(before: string, done: boolean): string {
  return before.replace(box, done ? '[x]' : '[ ]');
}

/** The title that a text becomes. */
function titleOf(text: string): string {
  return cut(oneLine(text)) || untitled;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function cut(line: string): string {
  return line.length <= limits.nameCharactersMax
    ? line
    : `${line.slice(0, limits.nameCharactersMax - 1).toWellFormed()}…`;
}

/** The document that a node of a file or a link becomes. */
export function documentOfNode(members: Readonly<Record<string, unknown>>): {
  readonly title: string;
  readonly body: string;
} {
  const text = (name: string): string | undefined => {
    const value = members[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [file, url, subpath = ''] = [text('file'), text('url'), text('subpath')];
  const title = titleOf(file ?? url ?? text('type') ?? '');
  if (file !== undefined) return { title, body: `[${file}](${encodeURI(file.toWellFormed())}${subpath})` };
  return { title, body: url === undefined ? '' : `<${url}>` };
}

/** The ends of an edge with an arrow direction. JSON Canvas draws an arrow at the target, unless the edge specifies otherwise. */
export function arrowEnds(direction: string | undefined): { readonly fromEnd?: string; readonly toEnd?: string } {
  return {
    ...((direction === 'both' || direction === 'backward') && { fromEnd: 'arrow' }),
    ...((direction === 'none' || direction === 'backward') && { toEnd: 'none' }),
  };
}
