import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { program } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { leavesOf } from '../../src/reference/commands.ts';
import type { Leaf } from '../../src/reference/commands.ts';
import { repository } from '../support/server-process.ts';

/** The files of the repository, as git lists them. */
const files: readonly string[] = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '');
const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** Documents written by hand, except the plan's own records, fixtures and the changelog, which names former things. */
export const documents: readonly string[] = files.filter(
  (path) => path.endsWith('.md') && !/^\.planner\/|\/fixtures\/|^schemas\/generated\/|^CHANGELOG\.md$/.test(path),
);

const command = await program({ version: '0' } as ProgramDeps);

/** The names that code spans of a document can have, each with the names that exist. */
export class Names {
  readonly #files = new Set(files.map((path) => basename(path)));
  // The tests of this class contain names that do not exist.
  readonly #words = new Set(
    files
      .filter((path) => path !== 'test/gate/names.test.ts')
      .filter((path) =>
        /^(?:src|test|schemas|examples)\/.*\.(?:[cm]?[jt]sx?|json)$|^[^/]+\.(?:json|mjs|js)$/.test(path),
      )
      .flatMap((path) => textOf(path).match(/\w+/g) ?? []),
  );
  readonly #scripts = Object.keys((JSON.parse(textOf('package.json')) as { scripts: object }).scripts);
  readonly #leaves: readonly Leaf[] = leavesOf(command);
  readonly #routes = Object.entries(
    (JSON.parse(textOf('schemas/generated/openapi.json')) as { paths: Record<string, object> }).paths,
  ).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path.split('/')] as const),
  );

  /** Returns whether a code span in a document names something that does not exist. */
  isMissing(span: string, document: string): boolean {
    const [first = '', ...rest] = span.split(/\s+/);
    if (first === 'npm' && rest[0] === 'run') return !this.#scripts.includes(rest[1] ?? '');
    if (first === 'planner') return !this.#isCommand(rest);
    if (/^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(first) && rest.length > 0) return !this.#isRoute(first, rest[0]!);
    if (first === 'npx' || first === 'node') return rest.some((word) => this.#isMissingFile(word, document));
    if (rest.length > 0) return false;
    if (/^PLANNER_\w+$/.test(span)) return !this.#words.has(span);
    if (/^\w[\w.-]*(?:\/[\w.-]+)*\/?$/.test(span) && /[/.]/.test(span)) return !this.#isPath(span, document);
    const [name] = /^#?[a-zA-Z]\w*(?=$|\(|\.\w)/.exec(span) ?? [];
    return name !== undefined && /[a-z](?:[A-Z]|_[a-z])/.test(name) && !this.#words.has(name.replace('#', ''));
  }

  /** `task add "Take payments" --priority high`; a group's name alone is a command, too. */
  #isCommand(words: readonly string[]): boolean {
    const names = words.filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'));
    if (names.length === 0) return true;
    const leaf =
      this.#leaves.find(({ name }) => name === names.slice(0, 2).join(' ')) ??
      this.#leaves.find(({ name }) => name === names[0] || name.startsWith(`${names[0]!} `));
    const flags = leaf?.command.options.flatMap(({ long, short }) => [long, short]) ?? [];
    const used = words.flatMap((word) => /^--?[a-z][a-z-]*/.exec(word) ?? []);
    return leaf !== undefined && used.every((flag) => flag === '--help' || flags.includes(flag));
  }

  #isRoute(method: string, address: string): boolean {
    const path = address.split(/[?#]/)[0]!;
    if (elsewhere.some((pattern) => pattern.test(path))) return true;
    const parts = (path.startsWith('/api/v1/') ? path : `/api/v1${path}`).split('/');
    return this.#routes.some(
      ([known, segments]) =>
        known === (method === 'HEAD' ? 'GET' : method) &&
        segments.length === parts.length &&
        segments.every((segment, i) => segment === parts[i] || (segment.includes('{') && parts[i] !== '')),
    );
  }

  /** A path among the words of a command, without quotes; a pattern of files is no path. */
  #isMissingFile(word: string, document: string): boolean {
    const path = word.replaceAll(/^"|"$/g, '');
    return /^[\w.-]+(?:\/[\w.-]+)+$/.test(path) && !this.#isPath(path, document);
  }

  /** A path below the repository, the document's directory, src or a folder of src; a file's name alone is enough. */
  #isPath(span: string, document: string): boolean {
    const bases = ['.', dirname(document), 'src'];
    const [first = ''] = span.split('/');
    if (!span.includes('/')) return !/\.(?:[cm]?[jt]sx?)$/.test(span) || this.#files.has(span);
    // Files that runs leave there may be present or not; git ignores it.
    if (/^(?:coverage|build)$/.test(first) && !/\.tsx?$/.test(span)) return true;
    if (!bases.some((base) => first !== '' && existsSync(join(repository, base, first)))) return true;
    return bases.some((base) => existsSync(join(repository, base, span)));
  }
}

/** Routes outside of REST. */
const elsewhere = [/^\/$/, /^\/mcp$/, /^\/metrics$/, /^\/sign-(?:in|out)(?:\/|$)/, /^\/[sp]\//];

/** The code spans of a text, each once, without fenced blocks. */
export function codeSpans(markdown: string): Set<string> {
  const text = markdown.replace(/^ *(`{3,}|~{3,})[^]*?^ *\1/gm, '');
  return new Set([...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span = '']) => span));
}

/** The code spans of a document that name missing things. */
export const missingIn = (document: string, names: Names): string[] =>
  [...codeSpans(textOf(document))].filter((span) => names.isMissing(span, document));
