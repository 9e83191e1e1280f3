import type { Readable, Writable } from 'node:stream';

/** A terminal's input. */
export type TerminalInput = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/**
 * Returns a function that asks for a secret on a terminal without showing it; undefined if the input is no terminal. The function resolves
 * with the line, or with an empty text at the end of the input or Ctrl-C.
 * It is not @inquirer/password: that brings eleven packages with 76 kB of code, rejects at Ctrl-C, and does not
 * support Node 22.22.0 and 24.0 to 24.14, which Planner does.
 */
export function secretPrompt(
  input: TerminalInput,
  output: Writable,
): ((question: string) => Promise<string>) | undefined {
  if (input.isTTY !== true || input.setRawMode === undefined) return undefined;
  return (question) => {
    // Without raw mode the terminal shows the typed text.
    input.setRawMode!(true);
    output.write(question);
    const { promise, resolve } = Promise.withResolvers<string>();
    let line = '';
    const onData = (chunk: Buffer | string): void => {
      for (const letter of chunk.toString()) {
        if (letter === '\r' || letter === '\n' || letter === '\u0004') return resolve(line);
        if (letter === '\u0003') return resolve('');
        if (letter === '\u007f' || letter === '\b') line = line.slice(0, -1);
        else line += letter;
      }
    };
    input.on('data', onData);
    input.once('end', () => resolve(line));
    return promise.finally(() => {
      input.off('data', onData);
      input.setRawMode!(false);
      input.pause();
      output.write('\n');
    });
  };
}
