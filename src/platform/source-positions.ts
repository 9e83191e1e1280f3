import { SourceMap } from 'node:module';
import type { SourceMapPayload, SourceMapping } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Translates positions in the build to positions in the sources, with the source maps of its files. Node's own option
 * for it reads every map when a module is loaded; here a map is read when an error is reported.
 */
export class SourcePositions {
  readonly #read: (path: string) => Uint8Array | undefined;
  /** The source maps by the URL of a built file. */
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** `read`: returns a file, or undefined. */
  constructor(read: (path: string) => Uint8Array | undefined) {
    this.#read = read;
  }

  /** A stack trace, or a text that contains one. Positions without a map stay as they are. */
  translate(stack: string): string {
    return stack.replace(/(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g, (whole, url: string, line: string, column: string) => {
      const entry: Partial<SourceMapping> | undefined = this.#map(url)?.findEntry(Number(line) - 1, Number(column) - 1);
      const { originalSource, originalLine = 0, originalColumn = 0 } = entry ?? {};
      // The code of a package, which the map leaves out.
      if (originalSource === undefined) return whole;
      return `${new URL(originalSource, url).href}:${originalLine + 1}:${originalColumn + 1}`;
    });
  }

  #map(url: string): SourceMap | undefined {
    if (!this.#maps.has(url)) this.#maps.set(url, this.#load(url));
    return this.#maps.get(url);
  }

  #load(url: string): SourceMap | undefined {
    try {
      const bytes = this.#read(`${fileURLToPath(url)}.map`);
      return bytes && new SourceMap(JSON.parse(Buffer.from(bytes).toString()) as SourceMapPayload);
    } catch {
      // The trace is shown with the positions of the build.
      return undefined;
    }
  }
}
