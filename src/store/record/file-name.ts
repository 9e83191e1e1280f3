import { limits } from '../../limits.ts';

/** Room for what follows a title: its tail, a longer tail or an id where two names are alike, the ending. */
const tailBytesMax = 30;
/** A slug stands beside a whole id; longer ones only hide it. */
const slugBytesMax = 60;
/** What a file system takes for one name. */
const segmentBytesMax = 255;

/** Names that Windows keeps for devices, whatever follows their first dot. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?= *(?:\.|$))/i;
// eslint-disable-next-line no-control-regex
const forbidden = /[<>:"/\\|?*\0-\x1f\x7f-\x9f]/;
/** Not seen, and able to make a name look like another one: directions and byte order marks. Joiners stay, scripts and emoji need them. */
const invisible = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/**
 * Words of a title in lower case, joined by `-`, at most 60 bytes: `Fix the login!` is `fix-the-login`. Letters of every script stay
 * (NFC). Empty where a title has neither letters nor digits.
 */
export function slugOf(title: string): string {
  const words = title.toWellFormed().normalize('NFC').toLowerCase().normalize('NFC');
  const slug = words.replace(/[^\p{L}\p{N}\p{M}]+/gu, '-').replace(/^-/, '');
  return unreserved(cutAtWord(slug, slugBytesMax).replace(/-$/, ''));
}

function cutAtWord(slug: string, bytes: number): string {
  const cut = cutToBytes(slug, bytes);
  if (cut.length === slug.length || slug.charAt(cut.length) === '-') return cut;
  const word = cut.lastIndexOf('-');
  return word > cut.length / 2 ? cut.slice(0, word) : cut;
}

/**
 * A title as the name of a file or directory on Linux, macOS and Windows: NFC, nothing reserved or forbidden, no dot or space at its ends,
 * at most 90 bytes so that a tail and an ending fit within `fileNameBytesMax`. A name that is one already stays as it is. Never empty.
 */
export function titleName(title: string): string {
  const spaced = title.toWellFormed().normalize('NFC').replace(/\s+/g, ' ').replace(invisible, '');
  const safe = spaced.replace(new RegExp(forbidden, 'g'), '-').replace(/^[. ]+/, '');
  const name = unreserved(cutToBytes(safe, limits.fileNameBytesMax - tailBytesMax).replace(/(?<![. ])[. ]+$/, ''));
  return name === '' ? 'Untitled' : name;
}

/** `con` becomes `con_`. */
function unreserved(name: string): string {
  const match = reserved.exec(name);
  return match === null ? name : `${match[0]}_${name.slice(match[0].length)}`;
}

/** The longest beginning of whole code points that takes at most so many bytes. */
function cutToBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  let used = 0;
  let length = 0;
  for (const point of text) {
    used += Buffer.byteLength(point);
    if (used > bytes) break;
    length += point.length;
  }
  return text.slice(0, length);
}

/**
 * Names that fold alike are one name: no two files differ only by what a file system may take for the same, and tags that people write
 * alike are one tag. Lower, upper and lower case again (so that ß, ẞ and SS, σ and ς meet, as they may on Windows and macOS), then NFC:
 * macOS takes composed and decomposed letters for the same. Not NFKC: `x²` and `x2` look unlike and are two files everywhere. By the Unicode
 * tables that come with the runtime and never by the machine's locale: every machine folds the same.
 */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** True for a name that can stand in a path on every system and leads nowhere else: no separator, no `..`, nothing hidden or reserved. */
export function isSafeSegment(name: string): boolean {
  if (name === '' || !name.isWellFormed() || Buffer.byteLength(name) > segmentBytesMax) return false;
  return !forbidden.test(name) && !/^[. ]|[. ]$/.test(name) && !reserved.test(name);
}

/** The id in `<slug>.<id>.md` or `<id>.json`. Only ids of our own form are told from words: `notes.v2.md` has none. */
export function idInFileName(name: string): string | undefined {
  return name
    .split('.')
    .slice(0, -1)
    .findLast((part) => /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}$/.test(part));
}

/** The last four characters of the id in `<title>.<last 4>.md`, or what stands there in a name that looks like it. */
export function tailInFileName(name: string): string | undefined {
  return /.\.([A-Za-z0-9_-]{4})\.[a-z]+$/.exec(name)?.[1];
}
