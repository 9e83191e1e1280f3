import ts from 'typescript';
import type { Change } from './change.ts';
import { literalChanges } from './literal-mutators.ts';

/** The changes that mutate one node itself, not what is inside it. */
export function changesOf(node: ts.Node, tree: ts.SourceFile): Change[] {
  const at = { start: node.getStart(tree), end: node.end };
  const texts = [...conditionTexts(node, tree), ...operatorTexts(node, tree), ...removalTexts(node)];
  return [...texts.map((text) => ({ ...at, text })), ...blockChanges(node, tree), ...literalChanges(node, tree)];
}

/** A condition or a truth value that is returned becomes true and false. */
function conditionTexts(node: ts.Node, tree: ts.SourceFile): string[] {
  if (isCondition(node)) return ['true', 'false'];
  const isResult =
    (ts.isReturnStatement(node.parent ?? node) && node.parent !== undefined) ||
    (node.parent !== undefined && ts.isArrowFunction(node.parent) && node.parent.body === node);
  return isResult && isTruthValue(node, tree) ? ['true', 'false'] : [];
}

/** Whether a node decides an `if` or a `? :`. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  );
}

const comparisons: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
]);
const equalities: ReadonlySet<string> = new Set(['!==', '===']);
const arithmetic: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
]);
const logical: ReadonlySet<ts.SyntaxKind> = new Set([ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken]);

function isTruthValue(node: ts.Node, tree: ts.SourceFile): boolean {
  if (ts.isParenthesizedExpression(node)) return isTruthValue(node.expression, tree);
  if (ts.isPrefixUnaryExpression(node)) return node.operator === ts.SyntaxKind.ExclamationToken;
  if (ts.isBinaryExpression(node))
    return comparisons.has(node.operatorToken.kind) || logical.has(node.operatorToken.kind);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  return /^(?:has|includes|startsWith|endsWith|test|some|every|is[A-Z]\w*)$/.test(node.expression.name.text);
}

/** One operand of a chain is left out, a comparison includes its bound, a sign or a negation is reversed. */
function operatorTexts(node: ts.Node, tree: ts.SourceFile): string[] {
  // The operands of a condition are left out one by one, and the condition becomes true and false: that says more than a negation.
  const isDecided = conditionTexts(node, tree).length > 0 || isOperand(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return isDecided ? [] : [node.operand.getText(tree)];
  if (!ts.isBinaryExpression(node)) return [];
  const { left, operatorToken, right } = node;
  if (logical.has(operatorToken.kind)) return isInnerChain(node) ? [] : withoutOneOperand(node, tree);
  const [before, after] = [left.getText(tree), right.getText(tree)];
  const comparison = comparisons.get(operatorToken.kind);
  if (comparison !== undefined)
    return equalities.has(comparison) && isDecided ? [] : [`${before} ${comparison} ${after}`];
  const sign = arithmetic.get(operatorToken.kind);
  return sign === undefined || [left, right].some(isText) ? [] : [`${before} ${sign} ${after}`];
}

function isOperand({ parent }: ts.Node): boolean {
  return parent !== undefined && ts.isBinaryExpression(parent) && logical.has(parent.operatorToken.kind);
}

/** Whether a chain is the beginning of a longer one of the same operator: `a && b` in `a && b && c`. */
function isInnerChain({ parent, operatorToken }: ts.BinaryExpression): boolean {
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === operatorToken.kind;
}

function withoutOneOperand(chain: ts.BinaryExpression, tree: ts.SourceFile): string[] {
  const kind = chain.operatorToken.kind;
  const operands: string[] = [];
  let rest: ts.Expression = chain;
  for (; ts.isBinaryExpression(rest) && rest.operatorToken.kind === kind; rest = rest.left)
    operands.unshift(rest.right.getText(tree));
  operands.unshift(rest.getText(tree));
  const operator = ` ${chain.operatorToken.getText(tree)} `;
  return operands.map((_, left) => operands.filter((__, index) => index !== left).join(operator));
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** A statement goes: a call, an assignment, a throw, an early return. */
function removalTexts(node: ts.Node): string[] {
  const isRemovable =
    ts.isExpressionStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isBreakOrContinueStatement(node) ||
    (ts.isReturnStatement(node) && node.expression === undefined);
  return isRemovable && !isAllOfBranch(node) && !isOfConstructor(node) ? [';'] : [];
}

/** Whether a statement is all that an `if` without `else` does: false as its condition removes it already. */
function isAllOfBranch(statement: ts.Statement): boolean {
  const { parent } = statement;
  const branch = ts.isBlock(parent) && parent.statements.length === 1 ? parent : statement;
  return ts.isIfStatement(branch.parent) && branch.parent.elseStatement === undefined;
}

/** Without what a constructor sets, nothing works: that shows nothing of the tests. */
function isOfConstructor({ parent }: ts.Statement): boolean {
  return ts.isBlock(parent) && ts.isConstructorDeclaration(parent.parent);
}

/** The body of a function without result, a catch or a finally is emptied, if that is more than to remove its one statement. */
function blockChanges(node: ts.Node, tree: ts.SourceFile): Change[] {
  if (!ts.isBlock(node)) return [];
  const { parent, statements } = node;
  const isHandler = ts.isCatchClause(parent) || (ts.isTryStatement(parent) && parent.finallyBlock === node);
  const isBody =
    (ts.isFunctionDeclaration(parent) || ts.isMethodDeclaration(parent)) &&
    /^(?:void|Promise<void>)$/.test(parent.type?.getText(tree) ?? '');
  const only = statements.length === 1 ? statements[0] : undefined;
  const isRemovedAlready = only === undefined ? statements.length === 0 : removalTexts(only).length > 0;
  if (!(isHandler || isBody) || isRemovedAlready) return [];
  return [{ start: node.getStart(tree), end: node.end, text: '{}' }];
}
