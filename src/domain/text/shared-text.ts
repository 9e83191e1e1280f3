import type { SourceText } from './source-text.ts';

/** A Markdown text of a shared resource: its own body, or a document that is linked to it. */
export interface SharedText {
  /** `Linked document: <title>`; null for the resource's own text. */
  readonly heading: string | null;
  /** The document that is linked; null for the resource's own text. */
  readonly document: { readonly id: string; readonly title: string } | null;
  readonly source: SourceText;
}
