/** Elements without content: they need no end. */
const voidElements = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

/** Elements whose end HTML lets writers leave out. */
const openElements = new Set('body caption colgroup dd dt head html li p rp rt tbody td tfoot th thead tr'.split(' '));

/** Elements whose content contains no tags. */
const rawElements = new Set(['script', 'style']);

/** The elements of HTML, former ones too, but for fields of forms and former ways to quote HTML: these contain text that would be lost. */
const known = new Set([
  ...voidElements,
  ...openElements,
  ...rawElements,
  ...'a abbr acronym address applet article aside audio b bdi bdo big blink blockquote button canvas center'.split(' '),
  ...'cite code data datalist del details dfn dialog dir div dl em fieldset figcaption figure font footer'.split(' '),
  ...'form frameset h1 h2 h3 h4 h5 h6 header hgroup i iframe ins kbd label legend main map mark'.split(' '),
  ...'marquee math menu meter nav nobr noembed noframes noscript object ol output picture pre'.split(' '),
  ...'progress q rb rtc ruby s samp search section slot small span strike strong sub summary sup'.split(' '),
  ...'svg table template time title tt u ul var video'.split(' '),
]);

/** Elements without content that show something without attributes. */
const bareElements = new Set(['br', 'hr', 'wbr']);

/** More attributes make a tag text: without a bound, the time to read nested quotes is quadratic. */
const attributesMax = 100;

const nameAt = /<(\/?)([a-z][a-z0-9-]*)(?=[\s/>])/iy;
const attributeAt = /[\s/]+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?/y;
const endAt = /[\s/]*>/y;

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly hasAttributes: boolean;
  readonly start: number;
  readonly end: number;
}

const blockBegin = /^ {0,3}<(?:!--|(\/?)([a-z][a-z0-9-]*)(?=[\s/>]|$))/i;

/** Returns whether a block of Markdown that begins with `<` is HTML: a comment that ends, or an HTML tag. */
export function beginsHtml(block: string): boolean {
  const begin = blockBegin.exec(block);
  if (begin === null) return false;
  const name = begin[2]?.toLowerCase();
  if (name === undefined) return block.includes('-->', begin[0].length);
  return known.has(name) && (!rawElements.has(name) || begin[1] === '/' || block.toLowerCase().includes(`</${name}`));
}

/** The positions of each `<` that begins no tag, in pieces of one text. */
type Places = readonly (readonly number[])[];

/**
 * HTML in which a `<` that begins no tag is text: for an unknown element, an element without an end, an end without a
 * beginning, and anything else except a comment and the doctype. Pieces are parts of one text: an element may end in a
 * later piece. `needsEnds`: also elements whose end may be left out.
 */
export function withTextEscaped(pieces: readonly string[], needsEnds: boolean): readonly string[] {
  const places = textPlaces(pieces, needsEnds);
  return pieces.map((piece, at) => escapedAt(piece, places[at]!));
}

function textPlaces(pieces: readonly string[], needsEnds: boolean): Places {
  const places: number[][] = pieces.map(() => []);
  const open = new Map<string, (() => void)[]>();
  for (const [at, piece] of pieces.entries()) {
    const found = places[at]!;
    scan(
      piece,
      (tag) => {
        const { name, isEnd, start, hasAttributes } = tag;
        const asText = (): void => void found.push(start);
        if (!known.has(name)) return asText();
        // The end of an element without content is ignored, also by browsers.
        if (voidElements.has(name)) return isEnd || hasAttributes || bareElements.has(name) ? undefined : asText();
        const waiting = open.get(name) ?? [];
        open.set(name, waiting);
        if (!isEnd) waiting.push(asText);
        else if (waiting.pop() === undefined) asText();
      },
      (start) => void found.push(start),
    );
  }
  for (const [name, waiting] of open) if (needsEnds || !openElements.has(name)) for (const asText of waiting) asText();
  return places;
}

/** Reports the tags of HTML, and each `<` that begins neither a tag nor a comment. */
function scan(html: string, onTag: (tag: Tag) => void, onText: (start: number) => void): void {
  let hasCommentEnd = true;
  const unended = new Set<string>();
  for (let start = html.indexOf('<'); start !== -1;) {
    let next = start + 1;
    const comment = html.startsWith('<!--', start) && hasCommentEnd ? html.indexOf('-->', start + 4) : -1;
    const tag = tagAt(html, start);
    if (comment !== -1) next = comment + 3;
    else if (tag !== undefined) {
      onTag(tag);
      next = rawElements.has(tag.name) && !tag.isEnd ? rawEnd(html, tag, unended) : tag.end;
    } else {
      if (html.startsWith('<!--', start)) hasCommentEnd = false;
      if (!/^<!doctype\s[^<>]*>/i.test(html.slice(start, start + doctypeCharacters))) onText(start);
    }
    start = html.indexOf('<', next);
  }
}

const doctypeCharacters = 200;

/** Where the content of a script or style ends; the end of its tag if nothing ends it. `unended`: the names without a further end. */
function rawEnd(html: string, { name, end }: Tag, unended: Set<string>): number {
  if (unended.has(name)) return end;
  const closing = new RegExp(`</${name}[\\s/>]`, 'gi');
  closing.lastIndex = end;
  const found = closing.exec(html);
  if (found === null) unended.add(name);
  return found?.index ?? end;
}

function tagAt(html: string, start: number): Tag | undefined {
  nameAt.lastIndex = start;
  const [, slash, named] = nameAt.exec(html) ?? [];
  if (named === undefined) return undefined;
  let at = nameAt.lastIndex;
  let count = 0;
  for (; count <= attributesMax; count++) {
    attributeAt.lastIndex = at;
    if (!attributeAt.test(html)) break;
    at = attributeAt.lastIndex;
  }
  endAt.lastIndex = at;
  if (!endAt.test(html)) return undefined;
  return { name: named.toLowerCase(), isEnd: slash === '/', hasAttributes: count > 0, start, end: endAt.lastIndex };
}

function escapedAt(html: string, places: readonly number[]): string {
  let made = '';
  let from = 0;
  for (const at of [...places].sort((a, b) => a - b)) {
    made += `${html.slice(from, at)}&lt;`;
    from = at + 1;
  }
  return made + html.slice(from);
}
