import { pino } from 'pino';
import { printableLine } from './printable.ts';
import type { Log } from './operations/pipeline/failure.ts';

/** So much waits for a reader that does not read; what comes on top is dropped: a log is not worth the service's memory. */
const bufferedBytesMax = 4 * 1024 * 1024;
/** Lines are written together: when so many characters wait, or after so many milliseconds. */
const flushCharacters = 32 * 1024;
const flushMs = 100;

const levels = { error: 'error', warn: 'warn', info: 'info', debug: 'debug' } as const;

/** The entry of a request, as the doors make it: identifiers, numbers and names that need no escaping. */
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

/**
 * Opens the service's log on a file descriptor, standard error by default: one JSON object a line, `level` first. Lines are written by the
 * way and not while a request waits; what is held back is written when the process ends.
 */
export function openLog(level: keyof typeof levels | 'silent', fd = 2): Log {
  const lines = new LineBuffer(fd);
  // A log is read in terminals: what JSON leaves as it is, such as U+009B in the name of a file, is escaped too.
  const escaped = { write: (line: string) => lines.write(`${printableLine(line.slice(0, -1))}\n`) };
  const logger = pino(
    { level, base: undefined, timestamp: false, formatters: { level: (label) => ({ level: label }) } },
    escaped,
  );
  const requests = logger.isLevelEnabled('info');
  return (entry) => {
    if (entry['message'] === 'request') {
      // There are as many of these as requests: putting them together by hand takes a tenth of the time.
      if (requests) lines.write(requestLine(entry as unknown as RequestLogEntry));
      return;
    }
    const { level: asked, ...line } = entry;
    logger[levels[asked as keyof typeof levels] ?? 'info'](line);
  };
}

function requestLine({ at, id, method, route, status, ms, caller, aborted }: RequestLogEntry): string {
  const who = caller === null ? 'null' : `"${caller}"`;
  return `{"level":"info","at":"${at}","message":"request","id":"${id}","method":"${method}","route":"${route}","status":${status},"ms":${ms},"caller":${who},"aborted":${aborted}}\n`;
}

/** Gathers lines, so that many are one write. */
class LineBuffer {
  readonly #destination: ReturnType<typeof pino.destination>;
  #lines: string[] = [];
  #characters = 0;

  constructor(fd: number) {
    this.#destination = pino.destination({ fd, sync: false, maxLength: bufferedBytesMax });
    // Nobody reads any more: the service goes on.
    this.#destination.on('error', () => undefined);
    setInterval(() => this.#flush(), flushMs).unref();
    // Before the destination's own: it writes what it has and takes no more.
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
