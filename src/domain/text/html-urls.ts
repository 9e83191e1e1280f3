import { QuoteType, Tokenizer } from 'htmlparser2';

/** A URL in an attribute of HTML. */
export interface AttributePlace {
  /** The range of the value in the text, without quotes. */
  readonly start: number;
  readonly end: number;
  /** The value with its entities decoded. */
  readonly value: string;
  readonly isSet: boolean;
  readonly isQuoted: boolean;
}

const urlAttributes = new Set(['src', 'href', 'poster', 'action', 'formaction', 'cite', 'background', 'xlink:href']);
const setAttributes = new Set(['srcset', 'imagesrcset']);

/** The attributes of HTML that contain URLs, without comments, scripts and styles. */
export function attributesWithUrls(html: string): AttributePlace[] {
  const found: AttributePlace[] = [];
  let tag = '';
  let name = '';
  let nameEnd = 0;
  let value = '';
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => void (tag = html.slice(start, end).toLowerCase()),
      onattribname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        nameEnd = end;
        value = '';
      },
      onattribdata: (start, end) => void (value += html.slice(start, end)),
      onattribentity: (codePoint) => void (value += String.fromCodePoint(codePoint)),
      onattribend: (quote, end) => {
        const isSet = setAttributes.has(name);
        const holdsUrl = isSet || urlAttributes.has(name) || (name === 'data' && tag === 'object');
        if (!holdsUrl || value.trim() === '') return;
        const isQuoted = quote !== QuoteType.Unquoted;
        found.push({ start: valueStart(html, nameEnd), end: isQuoted ? end - 1 : end, value, isSet, isQuoted });
      },
      oncdata: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: nothing,
      ontext: nothing,
      ontextentity: nothing,
    },
  );
  // An attribute that is cut off at the end of the text is ignored.
  tokenizer.write(html);
  return found;
}

/** Only HTML white space may surround the sign; any other blank begins the value. */
function valueStart(html: string, nameEnd: number): number {
  const equals = /[ \t\n\f\r]*=[ \t\n\f\r]*["']?/y;
  equals.lastIndex = nameEnd;
  equals.test(html);
  return equals.lastIndex;
}

/** The attribute's text with its URLs replaced; undefined if no URL changes. */
export function attributeText(place: AttributePlace, replace: (url: string) => string): string | undefined {
  const changed = place.isSet ? replaceInSet(place.value, replace) : replace(place.value.trim());
  if (changed === place.value || changed === place.value.trim()) return undefined;
  const escaped = changed.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
  return place.isQuoted ? escaped : `"${escaped}"`;
}

/** The candidates of a srcset: a URL that does not end with a comma, then descriptors up to a comma. */
function replaceInSet(set: string, replace: (url: string) => string): string {
  return set.replace(
    /([^\s,](?:\S*[^\s,])?)((?:\s+[^\s,]+)*\s*(?:,|$))/g,
    (_, url: string, descriptors: string) => replace(url) + descriptors,
  );
}

/** HTML with the URLs in its attributes replaced; everything else is unchanged. */
export function withHtmlUrls(html: string, replace: (url: string) => string): string {
  let made = '';
  let at = 0;
  for (const place of attributesWithUrls(html)) {
    const text = attributeText(place, replace);
    if (text === undefined) continue;
    made += html.slice(at, place.start) + text;
    at = place.end;
  }
  return made + html.slice(at);
}
