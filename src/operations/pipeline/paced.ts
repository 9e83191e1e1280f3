import { Readable } from 'node:stream';
import { trackTransientBytes } from '../../platform/collect-garbage.ts';
import { isTurnSpent, nextTurn } from '../../slices.ts';

/** So many texts are made at once, of all streams together: each is several megabytes while it is made. */
const concurrentMax = 2;
/** A reader that stops reading holds one piece; the text that it is cut from is shared with others. */
const pieceCharacters = 64 * 1024;

let running = 0;
const waiting: (() => Promise<void>)[] = [];

function startNext(): void {
  while (running < concurrentMax) {
    const next = waiting.shift();
    if (next === undefined) return;
    running++;
    void next().finally(() => {
      running--;
      // In a turn of its own: what is sent is sent before more is made.
      setImmediate(startNext);
    });
  }
}

/**
 * A stream of texts that are long and take their time to make. Each is made after the one before was sent, and a stream that was closed
 * makes no more.
 */
export function paced(texts: AsyncGenerator<string, void, undefined>): Readable {
  let text = '';
  let sent = 0;
  const make = async (): Promise<boolean> => {
    for (;;) {
      const made = await texts.next();
      if (made.done === true) return false;
      text = made.value;
      sent = 0;
      if (text !== '') return true;
    }
  };
  const piece = (): Buffer => {
    const end = endOfPiece(text, sent);
    const bytes = Buffer.from(text.slice(sent, end));
    sent = end;
    if (end === text.length) text = '';
    trackTransientBytes(bytes.length);
    return bytes;
  };
  return new Readable({
    // Nothing is made ahead.
    highWaterMark: 0,
    read() {
      if (text !== '') {
        // A socket that takes each piece at once asks for the next one before the event loop turns.
        if (!isTurnSpent()) this.push(piece());
        else void nextTurn().then(() => void (this.destroyed || this.push(piece())));
        return;
      }
      waiting.push(async () => {
        if (this.destroyed) return;
        try {
          this.push((await make()) ? piece() : null);
        } catch (error) {
          this.destroy(error as Error);
        }
      });
      startNext();
    },
  });
}

/** Where the piece that begins at `start` ends: not between the halves of a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceCharacters;
  if (end >= text.length) return text.length;
  return /[\uD800-\uDBFF]/.test(text[end - 1]!) ? end - 1 : end;
}
