import { Readable } from 'node:stream';
import { trackTransientBytes } from '../../platform/collect-garbage.ts';
import { isTurnSpent, nextTurn } from '../../base/slices.ts';

/** The maximum number of texts that are generated at the same time, in all streams: each takes several megabytes. */
const concurrentMax = 2;
/** A client that stops reading keeps one piece in memory; the text that the piece is cut from is shared. */
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
      // A separate turn, so that pending output is sent before more is generated.
      setImmediate(startNext);
    });
  }
}

/**
 * A stream of long texts that take time to generate. Each text is generated after the preceding one was sent. A closed stream generates no
 * more.
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
    // No text is generated ahead.
    highWaterMark: 0,
    read() {
      if (text !== '') {
        // A socket that accepts a piece immediately reads the next one in the same turn of the event loop.
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

/** The end of the piece that begins at `start`: never within a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceCharacters;
  if (end >= text.length) return text.length;
  return /[\uD800-\uDBFF]/.test(text[end - 1]!) ? end - 1 : end;
}
