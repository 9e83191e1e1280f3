import ts from 'typescript';
import { code, sentence, table } from './markdown.ts';

/** Every limit with its value and the comment above it. `source` is the text of limits.ts. */
export function limitReference(limits: Readonly<Record<string, number>>, source: string): string {
  const comments = commentsIn(source);
  return table(
    ['Limit', 'Value', 'Meaning'],
    Object.entries(limits).map(([name, value]) => [code(name), valueText(name, value), comments.get(name) ?? '']),
  );
}

function commentsIn(source: string): Map<string, string> {
  const comments = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) comments.set(node.name.getText(), commentOf(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('limits.ts', source, ts.ScriptTarget.Latest, true));
  return comments;
}

function commentOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  return sentence(ts.getTextOfJSDocComment(comment?.comment) ?? '');
}

const powers = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/** A number; of bytes in a binary unit if it is a multiple of one. */
function valueText(name: string, value: number): string {
  const [unit, size] = (name.includes('Bytes') && powers.find(([, bytes]) => value % bytes === 0)) || [];
  return unit === undefined ? value.toLocaleString('en') : `${value / size} ${unit}`;
}
