const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that may stand in a page as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | readonly Html[];

/** Makes HTML of a template: texts are escaped, HTML and lists of it stand as they are, nothing is nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + toHtml(parts[at])).join(''));
}

function toHtml(part: Part): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n');
  return escape(String(part));
}

/** Text as it stands in HTML, attributes included. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
