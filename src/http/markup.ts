const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Trusted HTML, inserted without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | readonly Html[];

/** Template tag that builds HTML: strings are escaped, `Html` and lists of it are inserted as they are, null and undefined are empty. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => text + toHtml(parts[at])).join(''));
}

function toHtml(part: Part): string {
  if (part === null || part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n');
  return escape(String(part));
}

/** Escapes a text for HTML content and quoted attributes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
