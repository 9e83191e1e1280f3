import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { Bridge } from '../../src/bridge/bridge.ts';
import type { BridgeLocator } from '../../src/bridge/bridge.ts';
import { FixedLocator } from '../../src/client/fixed-locator.ts';
import { systemClock } from '../../src/base/clock.ts';

/** A service at one URL, as a bridge sees it. */
export class Place extends FixedLocator implements BridgeLocator {
  readonly dependsOnRoots = false;
  needsRoots(): Promise<boolean> {
    return Promise.resolve(false);
  }
  stop(): void {}
  close(): Promise<void> {
    return Promise.resolve();
  }
}

// Tests look into messages of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Received = any;

/** A client that writes lines and reads lines. */
export class Line {
  readonly input = new PassThrough();
  readonly ended: Promise<void>;
  readonly received: Received[] = [];
  readonly faults: unknown[] = [];
  #notify = (): void => undefined;

  constructor(url: string, locator: () => BridgeLocator = () => new Place({ url })) {
    const output = new PassThrough();
    let rest = '';
    output.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.received.push(JSON.parse(line));
      this.#notify();
    });
    const bridge = new Bridge({
      input: this.input,
      output,
      locator,
      clock: systemClock,
      version: '1.2.3',
      onError: (thrown) => this.faults.push(thrown),
    });
    this.ended = bridge.run();
  }

  send(message: object): void {
    this.input.write(`${JSON.stringify(message)}\n`);
  }

  /** The first message that fits, when it is there. */
  async next(fits: (message: Received) => boolean): Promise<Received> {
    for (;;) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#notify = resolve));
    }
  }

  /** Sends a request and returns its response. */
  ask(id: string | number, method: string, params?: object): Promise<Received> {
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    return this.next((message) => message.id === id && message.method === undefined);
  }

  initialize(): Promise<Received> {
    return this.ask('init', 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'line', version: '1' },
    });
  }

  async end(): Promise<void> {
    this.input.end();
    await this.ended;
    expect(this.faults).to.deep.equal([]);
  }
}
