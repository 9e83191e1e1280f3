import { nodeDisk } from '../store/index.ts';
import { absoluteOf, textOf } from './generated-files.ts';

/** The folders of docs/, one for each kind of document. */
export const kinds = ['tutorial', 'how-to', 'reference', 'explanation'] as const;

const pagesOf = (kind: string): readonly string[] =>
  nodeDisk
    .list(absoluteOf(`docs/${kind}`))
    .filter(({ name }) => name.endsWith('.md'))
    .map(({ name }) => `${kind}/${name}`);

/** The pages of a kind by title, as links from docs/README.md. */
export function listOfPages(kind: string): string {
  return pagesOf(kind)
    .map((page) => ({ page, title: /^# (.+)$/m.exec(textOf(`docs/${page}`))![1]! }))
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ page, title }) => `- [${title}](${page})`)
    .join('\n');
}

/** Returns whether a document has a place for the table of its contents. */
export const hasContents = (document: string): boolean => document.includes('<!-- generated: contents -->');

/** Every page of docs/ that has one. */
export const pagesWithContents = (): readonly string[] =>
  kinds
    .flatMap(pagesOf)
    .map((page) => `docs/${page}`)
    .filter((path) => hasContents(textOf(path)));
