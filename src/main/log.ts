import { pino } from 'pino';
import { isoTime, systemClock, timeOfDay } from '../base/clock.ts';
import { printable, printableLine } from '../base/printable.ts';
import type { Log } from '../operations/pipeline/failure.ts';

/** Entries beyond this buffer are dropped if standard error is not read: the log must not exhaust the service's memory. */
const bufferedBytesMax = 4 * 1024 * 1024;
/** Lines are flushed together when this many characters are buffered, or after this many milliseconds. */
const flushCharacters = 32 * 1024;
const flushMs = 100;

const levels = { error: 'error', warn: 'warn', info: 'info', debug: 'debug' } as const;

/** The entry of a request: identifiers, numbers and names, which never need escaping. */
interface RequestLogEntry {
  readonly at: string;
  readonly id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly caller: string | null;
  readonly aborted: boolean;
}

/** JSON objects, for programs; lines, for a person at a terminal. */
export type LogForm = 'json' | 'lines';

/**
 * Opens the service's log on a file descriptor, standard error by default: one JSON object per line, `level` first. Lines are buffered and
 * written asynchronously, so that no request waits for them; the buffer is flushed when the process exits.
 */
export function openLog(level: keyof typeof levels | 'silent', form: LogForm = 'json', fd = 2): Log {
  const lines = new LineBuffer(fd);
  if (form === 'lines') return linesLog(level, lines);
  // The log is read in terminals: control characters that JSON does not escape, such as U+009B in a file name, are escaped too.
  const escaped = { write: (line: string) => lines.write(`${printableLine(line.slice(0, -1))}\n`) };
  const logger = pino(
    { level, base: undefined, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    escaped,
  );
  const requests = logger.isLevelEnabled('info');
  return (entry) => {
    if (entry['message'] === 'request') {
      // One per request: formatting them by hand takes a tenth of pino's time.
      if (requests) lines.write(requestLine(entry as unknown as RequestLogEntry));
      return;
    }
    const { level: entryLevel, ...line } = entry;
    logger[levels[entryLevel as keyof typeof levels] ?? 'info'](line);
  };
}

/** Opens a terminal for lines that the process does not wait for: one that is stopped, or slow, holds up nothing. */
export function openLines(fd: number): (line: string) => void {
  const lines = new LineBuffer(fd);
  return (line) => lines.write(`${line}\n`);
}

function linesLog(level: keyof typeof levels | 'silent', lines: LineBuffer): Log {
  const shown = Object.keys(levels).slice(0, Object.keys(levels).indexOf(level) + 1);
  return (entry) => {
    if (shown.includes(typeof entry['level'] === 'string' ? entry['level'] : 'info'))
      lines.write(`${personsLine(entry)}\n`);
  };
}

/** `14:02 error: uncaught exception (id 7): …`: the event, then the other members, then a trace on lines of its own. */
function personsLine({ level = 'info', at, message, text, ...more }: Readonly<Record<string, unknown>>): string {
  const time = timeOfDay(typeof at === 'string' ? at : isoTime(systemClock.now()));
  if (message === 'request') {
    const { method, route, status, ms, caller } = more as unknown as RequestLogEntry;
    return printableLine(`${time} ${method} ${route} ${status} ${ms} ms${caller === null ? '' : ` ${caller}`}`);
  }
  const members = Object.entries(more).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const beside = members.length === 0 ? '' : ` (${members.join(', ')})`;
  const line = printableLine(`${time} ${level === 'info' ? '' : `${String(level)}: `}${String(message)}${beside}`);
  return typeof text === 'string' ? `${line}\n${printable(text)}` : line;
}

function requestLine({ at, id, method, route, status, ms, caller, aborted }: RequestLogEntry): string {
  const who = caller === null ? 'null' : `"${caller}"`;
  return `{"level":"info","at":"${at}","message":"request","id":"${id}","method":"${method}","route":"${route}","status":${status},"ms":${ms},"caller":${who},"aborted":${aborted}}\n`;
}

/** Buffers lines and writes many together. */
class LineBuffer {
  readonly #destination: ReturnType<typeof pino.destination>;
  #lines: string[] = [];
  #characters = 0;

  constructor(fd: number) {
    this.#destination = pino.destination({ fd, sync: false, maxLength: bufferedBytesMax });
    // The reader closed the pipe: the service continues without a log.
    this.#destination.on('error', () => undefined);
    setInterval(() => this.#flush(), flushMs).unref();
    // Before the destination's own listeners, which flush it and then ignore further writes.
    process.prependOnceListener('beforeExit', () => this.#flush());
    process.prependOnceListener('exit', () => this.#flush());
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= flushCharacters) this.#flush();
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    this.#destination.write(this.#lines.join(''));
    this.#lines = [];
    this.#characters = 0;
  }
}
