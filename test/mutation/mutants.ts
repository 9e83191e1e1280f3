import ts from 'typescript';
import { changesOf } from './mutators.ts';

/** One change to one source file. */
export interface Mutant {
  /** Relative to the repository, with `/`. */
  readonly file: string;
  /** The same as long as the function is: `addressOf: this.#proxies === 0 → true`, followed by ` (2)` for the second of its kind. */
  readonly id: string;
  /** The characters that `text` replaces. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

const snippetCharactersMax = 110;

/** Every mutant of a source file, in the order of the source. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const seen = new Map<string, number>();
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return;
    for (const { start, end, text, shown } of changesOf(node, tree)) {
      const name = `${enclosingName(node)}: ${shown ?? `${snippet(source.slice(start, end))} → ${snippet(text)}`}`;
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      const line = tree.getLineAndCharacterOfPosition(start).line + 1;
      found.push({ file, id: count === 1 ? name : `${name} (${count})`, start, end, text, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The source with the mutant in it. */
export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Types, imports and exports, whose change would not compile or would do nothing, and log entries, which defend nothing. */
function isWithoutEffect(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    isLogEntry(ts.isExpressionStatement(node) ? node.expression : node)
  );
}

function isLogEntry(node: ts.Node): boolean {
  return ts.isCallExpression(node) && /^(?:this\.#?)?\w*[lL]og\b/.test(node.expression.getText());
}

/** The innermost function, method or constant at the top of the file that contains a node. */
function enclosingName(node: ts.Node): string {
  for (let at = node.parent; at !== undefined && !ts.isSourceFile(at); at = at.parent) {
    if (ts.isConstructorDeclaration(at)) return 'constructor';
    const name = nameOf(at);
    if (name !== undefined) return name.getText();
  }
  return '(file)';
}

function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isVariableDeclaration(node)) return ts.isSourceFile(node.parent.parent.parent) ? node.name : undefined;
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isPropertyDeclaration(node);
  return isNamed ? node.name : undefined;
}

function snippet(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '' || line === ';') return '(removed)';
  return line.length <= snippetCharactersMax ? line : `${line.slice(0, snippetCharactersMax)}…`;
}
