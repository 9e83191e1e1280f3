import { limits } from '../../base/limits.ts';

/** Space after a title for its tail, a longer tail or an id for equal names, and the extension. */
const tailBytesMax = 30;
/** A slug precedes a whole id; a longer one only hides it. */
const slugBytesMax = 60;
/** The maximum name length of file systems. */
const segmentBytesMax = 255;

const notAscii = /[^\p{ASCII}]/u;
/** Names that Windows reserves for devices, with any text after the first dot. */
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?= *(?:\.|$))/i;
// oxlint-disable-next-line no-control-regex
const forbidden = /[<>:"/\\|?*\0-\x1f\x7f-\x9f]/;
/**
 * Invisible characters that can make a name look like another one: directions and byte order marks. Joiners are kept,
 * since scripts and emoji need them.
 */
const invisible = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/**
 * Words of a title in lower case, joined by `-`, at most 60 bytes: `Fix the login!` is `fix-the-login`. Letters of
 * every script are kept (NFC). Empty if a title has neither letters nor digits.
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
 * A title as the name of a file or directory on Linux, macOS and Windows: NFC, nothing reserved or forbidden, no dot or
 * space at its ends, at most 90 bytes so that a tail and an extension fit within `fileNameBytesMax`. A valid name stays
 * as it is. Never empty.
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

/** The longest prefix of whole code points with at most this many bytes. */
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
 * Names that fold alike are one name: two files never differ only in ways that a file system may ignore, and tags that
 * people write alike are one tag. Lower, upper and lower case again (so that ß, ẞ and SS, σ and ς fold alike, as they
 * may on Windows and macOS), then NFC, since macOS treats composed and decomposed letters as equal. Not NFKC: `x²` and
 * `x2` look different and are two files everywhere. By the Unicode tables of the runtime and never by the machine's
 * locale: every machine folds alike.
 */
export function foldName(name: string): string {
  // ASCII has one form, and most names are ASCII; a large root has tens of thousands when it is opened.
  if (!notAscii.test(name)) return name.toLowerCase();
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * Returns true for a name that is valid in a path on every system and leads nowhere else: no separator, no `..`,
 * nothing hidden or reserved.
 */
export function isSafeSegment(name: string): boolean {
  if (name === '' || !name.isWellFormed() || Buffer.byteLength(name) > segmentBytesMax) return false;
  return !forbidden.test(name) && !/^[. ]|[. ]$/.test(name) && !reserved.test(name);
}

/** The id in `<slug>.<id>.md` or `<id>.json`. Only generated ids are recognised: `notes.v2.md` has no id. */
export function idInFileName(name: string): string | undefined {
  return name
    .split('.')
    .slice(0, -1)
    .findLast((part) => /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}$/.test(part));
}
