import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { localImports } from './imports.ts';

/** A requirement's id at the end of a test's title: `... [D3.claim]`, or several with commas between. */
export interface Citation {
  readonly id: string;
  /** `test/domain/claims.test.ts:12`. */
  readonly at: string;
}

/** Ids in brackets at the end of a title. Other brackets are words. */
const cited = /\[((?:S|A|D\d+)\.[^[\]]*)\]$/;
/** The end of a citation whose beginning is computed: it cannot be read without running the test. */
const computedEnd = /^[^[]*\]$/;

/** The files below a directory with this name ending, as sorted absolute paths. */
export function filesBelow(directory: string, ending: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * The citations in one test file, read without running it: of every call whose first argument is a string or a template, so that
 * helpers that take a title count as `it` does. Throws for a citation that contains something computed.
 */
export function citationsIn(path: string, text: string): Citation[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Citation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) found.push(...citationsOfCall(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function citationsOfCall(call: ts.CallExpression, source: ts.SourceFile): Citation[] {
  const title = call.arguments[0];
  // The default suite leaves these out: it has to show each rule.
  if (call.expression.getText(source) === 'rarely') return [];
  if (title === undefined || (!ts.isStringLiteralLike(title) && !ts.isTemplateExpression(title))) return [];
  const at = `${source.fileName}:${source.getLineAndCharacterOfPosition(call.getStart()).line + 1}`;
  const end = ts.isTemplateExpression(title) ? (title.templateSpans.at(-1)?.literal.text ?? '') : title.text;
  const computed = ts.isTemplateExpression(title) && computedEnd.test(end) && titles.has(call.expression.getText());
  if (computed) throw new Error(`${at} cites something computed: write the id in the title as in test/requirements.`);
  const ids = cited.exec(end)?.[1]?.split(',') ?? [];
  return ids.map((id) => ({ id: id.trim(), at }));
}

const titles: ReadonlySet<string> = new Set(['describe', 'context', 'it', 'specify']);

/**
 * Every citation in the tests below a directory and in their imports from there (shared bodies); paths are relative to
 * `root`.
 */
export function citationsBelow(directory: string, root: string): Citation[] {
  const files = new Set(filesBelow(directory, '.test.ts'));
  // Iterating a set includes elements that are added during it.
  for (const path of files) {
    for (const imported of localImports(path)) if (imported.startsWith(`${directory}${sep}`)) files.add(imported);
  }
  return [...files].flatMap((path) => citationsIn(relative(root, path), readFileSync(path, 'utf8')));
}
