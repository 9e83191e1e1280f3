import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Event, PresenceChange, ServiceChange } from '../../src/schema/types.ts';

/** A client of Server-Sent Events. */
export class EventStream {
  readonly headers: IncomingHttpHeaders;
  /** Resolves when the server has ended the response. */
  readonly ended: Promise<void>;
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #events: Event[] = [];
  readonly #presence: PresenceChange[] = [];
  readonly #service = new Set<string>();
  #keepAlives = 0;
  #text = '';
  #wake: () => void = () => undefined;

  /** Resolves once the server has sent the headers and the first cursor. */
  static open(url: string, path: string, headers: Record<string, string> = {}): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const request = (url.startsWith('https:') ? getSecurely : get)(
        `${url}/api/v1${path}`,
        { agent: false, headers: { Accept: 'text/event-stream', ...headers } },
        (response) => {
          if (response.statusCode !== 200) return reject(new Error(`The stream was answered ${response.statusCode}.`));
          const stream = new EventStream(request, response);
          response.once('data', () => resolve(stream));
        },
      );
      request.on('error', reject);
    });
  }

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    this.headers = response.headers;
    this.ended = new Promise((resolve) => {
      response.on('end', resolve);
      response.on('error', () => resolve());
    });
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#receive(text));
  }

  /** Resolves with the next events once so many have arrived. */
  async take(count: number): Promise<readonly Event[]> {
    while (this.#events.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#events.splice(0, count);
  }

  /** Resolves with the next change of the sessions that are present. */
  async presence(): Promise<PresenceChange> {
    while (this.#presence.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#presence.shift()!;
  }

  /** Resolves with the next keep-alive. */
  async keepAlive(): Promise<void> {
    while (this.#keepAlives === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#keepAlives--;
  }

  /** Reads nothing until `resume` is called. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** Resolves once the stream has said that these records of the service changed; they may change again. */
  async service(...names: readonly string[]): Promise<void> {
    while (!names.every((name) => this.#service.has(name)))
      await new Promise<void>((resolve) => (this.#wake = resolve));
    for (const name of names) this.#service.delete(name);
  }

  /** The messages of the stream about the service that were not awaited. */
  get otherService(): readonly string[] {
    return [...this.#service];
  }

  close(): void {
    this.#request.destroy();
  }

  #receive(text: string): void {
    const frames = (this.#text + text).split('\n\n');
    this.#text = frames.pop()!;
    for (const frame of frames) {
      if (frame.startsWith(': keep-alive\n')) this.#keepAlives++;
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      if (frame.startsWith('event: presence\n')) this.#presence.push(JSON.parse(data) as PresenceChange);
      else if (frame.startsWith('event: service\n'))
        for (const name of (JSON.parse(data) as ServiceChange).changed) this.#service.add(name);
      else this.#events.push(JSON.parse(data) as Event);
    }
    this.#wake();
  }
}
