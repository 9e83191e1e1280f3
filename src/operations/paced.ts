import { Readable } from 'node:stream';
import { notePassed } from '../store/give-back.ts';

/** So many texts are made at once, of all streams together: each is several megabytes while it is made. */
const concurrentMax = 2;

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
  const next = async (): Promise<string | null> => {
    for (;;) {
      const made = await texts.next();
      if (made.done === true) return null;
      if (made.value !== '') return made.value;
    }
  };
  return new Readable({
    // Nothing is made ahead: what waits for its reader is one text.
    highWaterMark: 0,
    read() {
      waiting.push(async () => {
        if (this.destroyed) return;
        try {
          const text = await next();
          this.push(text);
          // The texts that it was made of are as long as it is.
          if (text !== null) notePassed(2 * text.length);
        } catch (error) {
          this.destroy(error as Error);
        }
      });
      startNext();
    },
  });
}
