import { connect, type Socket } from 'node:net';

/** The events that the process has to follow: its first argument, as JSON. */
export interface FollowersOrder {
  readonly port: number;
  readonly path: string;
  /** The credentials, used in turn: one may follow a limited number of times. */
  readonly secrets: readonly string[];
  readonly count: number;
  /** So many of the followers read the events: the others count them. */
  readonly sampled: number;
}

/** The report of the process on its events since the last report. */
export interface FollowersReport {
  /** The number of events, and of all bytes. */
  readonly delivered: number;
  readonly bytes: number;
  /**
   * The events of the sampled followers: the id of the record, and when its event arrived, by the clock of
   * `process.hrtime`.
   */
  readonly arrivals: readonly (readonly [id: string, at: number])[];
}

const order = JSON.parse(process.argv[2]!) as FollowersOrder;
const mark = Buffer.from('\ndata: {');
const idMark = '"resource":{"type":"task","id":"';
let delivered = 0;
let bytes = 0;
let arrivals: [string, number][] = [];

/** Milliseconds of the machine's monotonic clock, which all processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function countMarks(chunk: Buffer): void {
  for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + mark.length)) delivered++;
}

/** A mark that is cut by two chunks is found in neither part: the rest of the former is kept. */
function follow(index: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(order.port, '127.0.0.1');
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const at = machineMs();
      if (index < order.sampled) {
        const text = rest.toString('latin1') + chunk.toString('latin1');
        const ids = text.split(idMark);
        for (const part of ids.slice(1)) if (part.includes('"')) arrivals.push([part.slice(0, part.indexOf('"')), at]);
        const last = text.lastIndexOf(idMark);
        const isCut = last !== -1 && !text.slice(last + idMark.length).includes('"');
        rest = Buffer.from(isCut ? text.slice(last) : text.slice(-idMark.length + 1), 'latin1');
      }
      bytes += chunk.length;
      countMarks(chunk);
    });
    socket.once('data', (chunk: Buffer) =>
      chunk.toString('latin1').startsWith('HTTP/1.1 200')
        ? resolve(socket)
        : reject(new Error(`A follower was answered ${chunk.toString('latin1').split('\r\n', 1)[0]}`)),
    );
    socket.once('error', reject);
    const secret = order.secrets[index % order.secrets.length]!;
    socket.write(
      `GET ${order.path} HTTP/1.1\r\nHost: 127.0.0.1:${order.port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
    );
  });
}

for (let opened = 0; opened < order.count;) {
  const some = Math.min(50, order.count - opened);
  await Promise.all(Array.from({ length: some }, (_, at) => follow(opened + at)));
  opened += some;
}
process.on('message', () => {
  process.send!({ delivered, bytes, arrivals } satisfies FollowersReport);
  delivered = 0;
  bytes = 0;
  arrivals = [];
});
process.on('disconnect', () => process.exit());
process.send!('open');
