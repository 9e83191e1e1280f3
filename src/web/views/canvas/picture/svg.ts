export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** The characters that XML 1.0 allows: a control character or half of a surrogate pair would make the whole file invalid. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as XML, also within an attribute in quotation marks. */
export function escaped(text: string): string {
  return text.replace(forbidden, '').replace(/[&<>"]/g, (each) => escapes[each]!);
}

/** An element as text. `children` are XML already. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const given = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escaped(value!)}"`)
    .join('');
  return children.length === 0 ? `<${name}${given}/>` : `<${name}${given}>${children.join('')}</${name}>`;
}

/** A hundredth of a unit is not visible, and thousands of edges have many numbers. */
export function rounded(value: number): string {
  return String(Math.round(value * 100) / 100);
}
