import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** The end of the answer. */
const healthy = '{"ok":true}';

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Asks a service of this process whether it is healthy, over one connection, and counts the turns of the event loop until it answers. */
export class HealthTurns {
  readonly #socket: Socket;
  readonly #request: string;
  /** The most turns that one answer took. */
  mostTurns = 0;
  /** The most processor time of this thread during one answer, and during one turn: without other processes. */
  longestMs = 0;
  longestTurnMs = 0;

  static async connect(url: string): Promise<HealthTurns> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname).setNoDelay(true);
    await once(socket, 'connect');
    return new HealthTurns(socket, host);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#request = `GET /api/v1/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  }

  async ask(): Promise<void> {
    let turns = 0;
    let isAnswered = false;
    const began = process.threadCpuUsage();
    let turnBegan = began;
    const endTurn = (): void => {
      turns++;
      this.longestTurnMs = Math.max(this.longestTurnMs, msSince(turnBegan));
      turnBegan = process.threadCpuUsage();
      if (!isAnswered) setImmediate(endTurn);
    };
    setImmediate(endTurn);
    this.#socket.write(this.#request);
    for (let received = ''; !received.endsWith(healthy);) {
      const [chunk] = (await once(this.#socket, 'data')) as [Buffer];
      received += chunk.toString('latin1');
    }
    isAnswered = true;
    this.mostTurns = Math.max(this.mostTurns, turns);
    this.longestMs = Math.max(this.longestMs, msSince(began));
  }

  close(): void {
    this.#socket.destroy();
  }
}
