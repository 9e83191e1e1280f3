import { readdirSync, readFileSync } from 'node:fs';
import { RestClient } from '../support/rest-client.ts';

/** The resources of a process that has been idle for a moment. */
export interface Measure {
  readonly rssMiB: number;
  /** Memory in use after a garbage collection. */
  readonly heapMiB: number;
  readonly descriptors: number;
}

/** One call: its start and its duration. */
interface Sample {
  readonly at: number;
  readonly what: string;
  readonly ms: number;
}

/** The durations of calls by operation. */
export class Latencies {
  readonly #samples: Sample[] = [];

  time<T>(what: string, call: () => Promise<T>): Promise<T> {
    return this.#time(what, call, () => 1);
  }

  /** Measures responses that grow with the age of a plan: milliseconds for a MiB of response text. */
  timeForMiB<T extends { readonly body: unknown }>(what: string, call: () => Promise<T>): Promise<T> {
    return this.#time(what, call, ({ body }) => JSON.stringify(body).length / 1024 / 1024);
  }

  async #time<T>(what: string, call: () => Promise<T>, unitsOf: (result: T) => number): Promise<T> {
    const began = performance.now();
    const result = await call();
    const ms = performance.now() - began;
    this.keep({ at: began, what, ms: ms / unitsOf(result) });
    return result;
  }

  keep(sample: Sample): void {
    this.#samples.push(sample);
  }

  get count(): number {
    return this.#samples.length;
  }

  /** The medians of a period by operation, if there are enough calls. */
  medians(from: number, to: number): Map<string, number> {
    const byWhat = new Map<string, number[]>();
    for (const { at, what, ms } of this.#samples) {
      if (at < from || at >= to) continue;
      byWhat.set(what, [...(byWhat.get(what) ?? []), ms]);
    }
    return new Map([...byWhat].filter(([, all]) => all.length >= 20).map(([what, all]) => [what, median(all)]));
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Measures an idle service after a flush and a garbage collection. `inspector`: the port of its `--inspect`. */
export async function measure(url: string, pid: number, inspector: number): Promise<Measure> {
  await new RestClient(url).post('/flush');
  const heap = await collectedHeap(inspector);
  const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return {
    rssMiB: rss / 1024,
    heapMiB: heap / 1024 / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** The used heap after a full collection, read over the inspector's protocol. */
async function collectedHeap(port: number): Promise<number> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets[0]!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('The inspector does not answer.')));
  });
  let last = 0;
  const ask = (method: string): Promise<{ usedSize?: number }> =>
    new Promise((resolve) => {
      const id = ++last;
      const onMessage = ({ data }: { readonly data: unknown }): void => {
        const answer = JSON.parse(String(data)) as { id?: number; result: { usedSize?: number } };
        if (answer.id !== id) return;
        socket.removeEventListener('message', onMessage);
        resolve(answer.result);
      };
      socket.addEventListener('message', onMessage);
      socket.send(JSON.stringify({ id, method }));
    });
  // Twice: objects released by finalisers are collected the second time.
  await ask('HeapProfiler.collectGarbage');
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  await new Promise((resolve) => {
    socket.addEventListener('close', resolve);
    socket.close();
  });
  return usedSize ?? NaN;
}
