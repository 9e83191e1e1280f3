import ts from 'typescript';
import type { Change } from './change.ts';

/** Calls whose texts with spaces are values and no messages. */
const takesValues = /(?:header|set|append|vary|type|write)\w*$/i;
/** Members whose texts people read. */
const readByPeople: ReadonlySet<string> = new Set([
  ...['message', 'reason', 'remedy', 'hint', 'title', 'description', 'summary', 'instructions', 'what'],
]);

/** Changes of strings, truth values, patterns, lists and of methods that have an opposite. */
export function literalChanges(node: ts.Node, tree: ts.SourceFile): Change[] {
  const at = { start: node.getStart(tree), end: node.end };
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ ...at, text: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ ...at, text: 'true' }];
  if (ts.isRegularExpressionLiteral(node)) return patternTexts(node.text).map((text) => ({ ...at, text }));
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((_, index) => withoutElement(node, index, tree));
  if (ts.isSpreadAssignment(node)) return [{ ...at, text: '...{}' }];
  if (ts.isIdentifier(node)) return oppositeTexts(node).map((text) => ({ ...at, text }));
  return isValueText(node) ? [{ ...at, text: "''" }] : [];
}

/** Without what ties a pattern to the beginning and the end, and with its letters taken as they are. */
function patternTexts(pattern: string): string[] {
  const end = pattern.lastIndexOf('/');
  const [body, flags] = [pattern.slice(1, end), pattern.slice(end + 1)];
  const weaker: string[] = [];
  if (body.startsWith('^')) weaker.push(`/${body.slice(1)}/${flags}`);
  if (body.endsWith('$') && !body.endsWith('\\$')) weaker.push(`/${body.slice(0, -1)}/${flags}`);
  if (flags.includes('i')) weaker.push(`/${body}/${flags.replace('i', '')}`);
  if (flags.includes('g')) weaker.push(`/${body}/${flags.replace('g', '')}`);
  return weaker;
}

/** A list without one of its elements: an argument of git, a directive, a name on a list of what is refused. */
function withoutElement(list: ts.ArrayLiteralExpression, index: number, tree: ts.SourceFile): Change {
  const element = list.elements[index]!;
  const [previous, next] = [list.elements[index - 1], list.elements[index + 1]];
  const shown = `list without ${element.getText(tree)}`;
  if (next !== undefined) return { start: element.getStart(tree), end: next.getStart(tree), text: '', shown };
  const start = previous === undefined ? element.getStart(tree) : previous.end;
  return { start, end: element.end, text: '', shown };
}

const opposites: ReadonlyMap<string, string> = new Map([
  ['every', 'some'],
  ['some', 'every'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
]);

function oppositeTexts(node: ts.Identifier): string[] {
  const { parent } = node;
  if (parent === undefined || !ts.isPropertyAccessExpression(parent) || parent.name !== node) return [];
  if (!ts.isCallExpression(parent.parent) || parent.parent.expression !== parent) return [];
  const opposite = opposites.get(node.text);
  return opposite === undefined ? [] : [opposite];
}

/** Whether a node is a string that the program acts on. Elements of lists are removed and not emptied. */
function isValueText(node: ts.Node): boolean {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return false;
  if (ts.isStringLiteralLike(node) && node.text === '') return false;
  const { parent } = node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node && !readByPeople.has(nameOf(parent.name));
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && !isMessage(node);
  if (ts.isBindingElement(parent) || ts.isParameter(parent)) return parent.initializer === node;
  if (ts.isVariableDeclaration(parent) || ts.isReturnStatement(parent) || ts.isArrowFunction(parent))
    return !isMessage(node);
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && !isMessage(node);
}

function nameOf(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : '';
}

/** Whether a text is a sentence for people. */
function isMessage(node: ts.Node): boolean {
  if (!/\s/.test(node.getText())) return false;
  for (let at = node.parent; at !== undefined && !ts.isStatement(at); at = at.parent)
    if (ts.isCallExpression(at) && takesValues.test(at.expression.getText())) return false;
  return true;
}
