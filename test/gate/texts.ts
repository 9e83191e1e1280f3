import { execFileSync } from 'node:child_process';
import ts from 'typescript';

/** A text for people: a comment, a message, a test title, a paragraph of a document, a description in a schema. */
export interface Text {
  readonly path: string;
  /** The line where it begins, from 1. */
  readonly line: number;
  readonly kind: TextKind;
  /** One line, without comment markers; code spans are replaced. */
  readonly text: string;
}

export type TextKind = 'comment' | 'message' | 'title' | 'document' | 'description';

type Found = Omit<Text, 'path'>;

const generated =
  /\/fixtures\/|^schemas\/generated\/|^src\/schema\/(?:types|schema-files)\.ts$|^src\/domain\/records\/shown\.ts$|^src\/web\/api\/(?:types|operations)\.ts$/;

/** The files of the repository that contain such texts, except generated files and fixtures. */
export function textFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  return listed.filter((path) => readerOf(path) !== undefined && !generated.test(path));
}

export function textsOf(text: string, path: string): Text[] {
  const found = readerOf(path)?.(text, path) ?? [];
  return found.map(({ line, kind, text: written }) => ({ path, line, kind, text: oneLine(written) }));
}

function readerOf(path: string): ((text: string, path: string) => Found[]) | undefined {
  if (/\.[cm]?[jt]sx?$/.test(path)) return textsOfProgram;
  if (path.endsWith('.css')) return commentsOfStyles;
  if (path.endsWith('.md')) return textsOfDocument;
  if (/^schemas\/[^/]+\.json$/.test(path)) return textsOfSchema;
  return undefined;
}

/** On one line, without code spans and without the ids of requirements that a title cites. */
const oneLine = (text: string): string =>
  text
    .replace(/`[^`]*`/g, '`…`')
    .replace(/\[(?:S|A|D\d+)\.[^\]]*\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length;

/** Comments and messages (literals that contain a space). Of a test only the titles: its other literals are data. */
export function textsOfProgram(text: string, path: string): Found[] {
  const source = parsed(text, path);
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const literals = literalsOf(source);
  const messages = literals
    .filter((node) => /\S\s+\S/.test(node.text) && !ts.isRegularExpressionLiteral(node))
    .filter((node) => !path.startsWith('test/') || path.startsWith('test/requirements') || isTitle(node))
    .map((node): Found => {
      const kind = isTitle(node) ? 'title' : 'message';
      return { line: lineOf(node.getStart(source)), kind, text: node.text };
    });
  const comments = commentsOutside(literals, source).map(({ pos, end }) => ({
    line: lineOf(pos),
    last: lineOf(end),
    text: text.slice(pos, end),
  }));
  return [...paragraphs(comments), ...messages];
}

type Literal = ts.LiteralExpression | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail | ts.JsxText;

/** The names that a program uses, each once. */
export function namesOf(text: string, path: string): Set<string> {
  if (readerOf(path) !== textsOfProgram) return new Set();
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(parsed(text, path));
  return names;
}

/** The texts of all literals of a program, regular expressions included. */
export const literalTexts = (text: string, path: string): string[] =>
  literalsOf(parsed(text, path)).map((literal) => literal.text);

let latest: ts.SourceFile | undefined;

/** The syntax tree of a program; the latest one is kept, since a file is read for its texts and then for its names. */
function parsed(text: string, path: string): ts.SourceFile {
  if (latest?.fileName !== path || latest.text !== text) {
    latest = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  }
  return latest;
}

/** Literals, which the scanner cannot distinguish from comments without the parser, in the order of the text. */
function literalsOf(source: ts.SourceFile): Literal[] {
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isLiteralExpression(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    )
      found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function commentsOutside(literals: readonly Literal[], source: ts.SourceFile): ts.TextRange[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, source.languageVariant);
  const found: ts.TextRange[] = [];
  let from = 0;
  for (const to of [...literals, source.endOfFileToken]) {
    scanner.setText(source.text, from, to.getStart(source) - from);
    for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
      const isComment =
        token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia;
      if (isComment) found.push({ pos: scanner.getTokenStart(), end: scanner.getTokenEnd() });
    }
    from = to.end;
  }
  return found;
}

interface Comment {
  readonly line: number;
  readonly last: number;
  readonly text: string;
}

/** Comments of consecutive lines as one text, so that a sentence is found whose words are on two lines. */
function paragraphs(comments: readonly Comment[]): Found[] {
  const found: { line: number; kind: 'comment'; last: number; text: string }[] = [];
  for (const { line, last, text } of comments) {
    const bare = text.replace(/^\/[/*]+!?|\*\/$/g, '').replace(/^\s*\*/gm, '');
    const before = found.at(-1);
    if (before !== undefined && text.startsWith('//') && before.last === line - 1) {
      before.text += ` ${bare}`;
      before.last = last;
    } else found.push({ line, kind: 'comment', last, text: bare });
  }
  return found;
}

const titled: ReadonlySet<string> = new Set(['describe', 'context', 'it', 'specify', 'overBoth', 'browserTests']);

/**
 * Returns whether a literal is in the title of a test: the first argument, also through a template or a concatenation.
 */
function isTitle(literal: ts.Node): boolean {
  let node = literal;
  while (!ts.isCallExpression(node.parent)) {
    if (!ts.isTemplateSpan(node.parent) && !ts.isTemplateExpression(node.parent) && !ts.isBinaryExpression(node.parent))
      return false;
    node = node.parent;
  }
  return node.parent.arguments[0] === node && titled.has(node.parent.expression.getText());
}

export function commentsOfStyles(text: string): Found[] {
  return [...text.matchAll(/\/\*([^]*?)\*\//g)].map((match) => ({
    line: lineAt(text, match.index),
    kind: 'comment',
    text: match[1]!,
  }));
}

/** Headings, paragraphs, items and rows of tables, without fenced blocks. */
export function textsOfDocument(text: string): Found[] {
  const blocks: { line: number; kind: 'document'; text: string }[] = [];
  let fence: string | undefined;
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1];
    const isText = fence === undefined && mark === undefined && line.trim() !== '';
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim() === fence ? undefined : fence;
    if (isText && isOpen && !/^\s*(?:[-*#|]|\d+\.)/.test(line)) blocks.at(-1)!.text += `\n${line}`;
    else if (isText) blocks.push({ line: index + 1, kind: 'document', text: line });
    isOpen = isText && !/^\s*[#|]/.test(line);
  }
  return blocks;
}

/** The descriptions of a schema and of its declarations. */
export function textsOfSchema(text: string): Found[] {
  return [...text.matchAll(/"(?:description|summary|title)": ("(?:[^"\\]|\\.)*")/g)].map((match) => ({
    line: lineAt(text, match.index),
    kind: 'description',
    text: JSON.parse(match[1]!) as string,
  }));
}
