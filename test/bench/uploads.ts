import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Place {
  /** Where files are posted to. */
  readonly url: string;
  readonly uploaders: number;
  readonly bytes: number;
}

/** Uploads of files one after the other, in a separate thread, so that they do not delay measurements. */
export class Uploads {
  readonly #worker: Worker;

  static begin(place: Place): Uploads {
    return new Uploads(new Worker(fileURLToPath(import.meta.url), { workerData: place }));
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Ends the uploads after the ones in progress. Resolves with their number. */
  async end(): Promise<number> {
    const ended = once(this.#worker, 'message') as Promise<[number]>;
    this.#worker.postMessage('end');
    const [count] = await ended;
    return count;
  }
}

if (!isMainThread && parentPort !== null) await upload(workerData as Place);

async function upload({ url, uploaders, bytes }: Place): Promise<void> {
  const over = new AbortController();
  parentPort!.once('message', () => over.abort());
  let count = 0;
  const one = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const body = new FormData();
      // Bytes that no upload had before: those would be one file.
      body.append('file', new Blob([randomFillSync(Buffer.allocUnsafe(bytes))]), 'photo.bin');
      const { status } = await fetch(url, { method: 'POST', body });
      if (status !== 201) throw new Error(`An upload was answered ${status}.`);
      count++;
    }
  };
  await Promise.all(Array.from({ length: uploaders }, one));
  parentPort!.postMessage(count);
}
