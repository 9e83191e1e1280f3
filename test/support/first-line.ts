import type { Readable } from 'node:stream';

interface Printing {
  /** The output until now. */
  readonly printed: () => string;
  readonly stream: Readable | null;
  /** Settles when the output ends; resolves to the reported error if no line was printed. */
  readonly ended: Promise<string>;
}

/** The first whole line that a program prints. Rejects if the program ends without one. */
export async function firstLineOf({ printed, stream, ended }: Printing): Promise<string> {
  for (;;) {
    const text = printed();
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
    const data = new Promise<undefined>((resolve) => stream?.once('data', () => resolve(undefined)));
    const error = await Promise.race([data, ended]);
    if (error !== undefined) throw new Error(error);
  }
}
