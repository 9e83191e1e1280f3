import { Parser } from 'htmlparser2';

/** Elements whose text is code. */
const silent: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript']);

/** Elements within a word: their tags separate nothing. */
const inline: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'b', 'code', 'em', 'font', 'i', 'kbd', 'mark', 's', 'small', 'span', 'strong', 'sub', 'sup', 'u'],
]);

const pieceCharacters = 32 * 1024;

/** The text of HTML that people read, in pieces that end between elements: without scripts and styles, with alternative texts. */
export function* plainTextOf(html: string): Generator<string, void> {
  let text = '';
  let within: string | undefined;
  const parser = new Parser(
    {
      onopentag: (name, { alt, placeholder, title }) => {
        if (within !== undefined) return;
        if (silent.has(name)) within = name;
        if (!inline.has(name)) text += '\n';
        for (const word of [alt, placeholder, title]) if (word !== undefined) text += ` ${word} `;
      },
      ontext: (part) => {
        if (within === undefined) text += part;
      },
      onclosetag: (name) => {
        if (name === within) within = undefined;
        else if (!inline.has(name)) text += '\n';
      },
    },
    { decodeEntities: true },
  );
  for (let at = 0; at < html.length; at += pieceCharacters) {
    parser.write(html.slice(at, at + pieceCharacters));
    const end = text.lastIndexOf('\n');
    // A step of the reading, even without a text.
    yield text.slice(0, end + 1);
    text = text.slice(end + 1);
  }
  parser.end();
  yield text;
}

/** The length after which a piece ends at the next blank. */
const blankWithin = 4096;

/** A text in pieces that end at blanks. */
export function* piecesOfText(text: string): Generator<string, void> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + pieceCharacters);
    if (end < text.length) {
      const blank = text.slice(end, end + blankWithin).search(/\s/);
      if (blank !== -1) end += blank;
    }
    yield text.slice(at, end);
    at = end;
  }
}
