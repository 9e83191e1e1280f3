import type { SharedResource } from './shared-resource.ts';
import type { SourceText } from '../text/source-text.ts';
import type { WrittenText } from '../text/text-markdown.ts';

/** Rewrites the texts of a shared resource one by one: each may take long, and together they can be 40 MB. */
export interface ShareWriter {
  /** `identifiers`: the labels that the preceding texts define. */
  text(source: SourceText, at: number, identifiers: readonly string[]): Promise<WrittenText>;
  screen(source: SourceText): Promise<string>;
}

/** A shared resource as one Markdown text, in chunks that are produced on demand. `instruction` is its first line. */
export async function* sharedMarkdown(
  { title, status, texts, screens, viewport }: SharedResource,
  instruction: string,
  writer: ShareWriter,
): AsyncGenerator<string, void, undefined> {
  yield `> ${oneLine(instruction)}\n\n# ${oneLine(title)}`;
  if (status !== null) yield `\n\nStatus: ${oneLine(status)}`;
  if (viewport !== null) yield `\n\nViewport: ${viewport.width} × ${viewport.height} CSS pixels`;
  let identifiers: readonly string[] = [];
  for (const [at, text] of texts.entries()) {
    const written = await writer.text(text.source, at, identifiers);
    ({ identifiers } = written);
    const heading = text.heading === null ? '' : `\n\n## ${oneLine(text.heading)}`;
    // Not concatenated with the text: a concatenation is a copy of megabytes for each reader, the text itself is shared.
    yield written.markdown === '' ? heading : `${heading}\n\n`;
    yield written.markdown;
    // Screens belong to the resource itself: they precede linked documents.
    if (at === 0) for (const screen of screens) yield* screenMarkdown(screen.title, await writer.screen(screen.source));
  }
  yield '\n';
}

function* screenMarkdown(title: string, html: string): Generator<string, void, undefined> {
  const content = html.replace(/\n$/, '');
  const longest = (content.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  yield `\n\n## Screen: ${oneLine(title)}\n\n${fence}html\n`;
  yield content;
  yield `\n${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
