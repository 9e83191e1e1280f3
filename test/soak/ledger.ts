import { createHash } from 'node:crypto';
import { RestClient } from '../support/rest-client.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Everything acknowledged, by the path for reading it. */
export class Ledger {
  readonly #entries = new Map<string, Fields | undefined>();
  readonly #uploads = new Map<string, string>();
  /** The maximum number of removed records to check. */
  readonly #gone: string[] = [];
  /** How many changes were acknowledged. */
  acknowledged = 0;

  /** `fields`: the values in the response; undefined for a deletion. */
  keep(path: string, fields: Fields | undefined): void {
    this.acknowledged++;
    if (fields !== undefined) {
      this.#entries.set(path, { ...this.#entries.get(path), ...fields });
      return;
    }
    this.#entries.delete(path);
    this.#gone.push(path);
    if (this.#gone.length > 500) this.#gone.shift();
  }

  keepUpload(path: string, bytes: Uint8Array): void {
    this.acknowledged++;
    this.#uploads.set(path, sha256(bytes));
  }

  get size(): number {
    return this.#entries.size + this.#uploads.size;
  }

  /** Differences between the service at `url` and the ledger, one line each. */
  async faults(url: string): Promise<string[]> {
    const rest = new RestClient(url);
    const faults: string[] = [];
    for (const [path, fields] of this.#entries) {
      const { status, body } = await rest.get(path);
      for (const [name, value] of Object.entries(fields ?? {})) {
        if (status === 200 && JSON.stringify(body[name]) === JSON.stringify(value)) continue;
        faults.push(
          `${path}: ${name} is ${JSON.stringify(body?.[name] ?? body)}, acknowledged was ${JSON.stringify(value)}`,
        );
      }
    }
    for (const path of this.#gone) {
      const { status } = await rest.get(path);
      if (status !== 404) faults.push(`${path} was deleted and answers ${status}`);
    }
    for (const [path, digest] of this.#uploads) {
      const answer = await fetch(`${url}/api/v1${path}`);
      if (sha256(new Uint8Array(await answer.arrayBuffer())) !== digest) faults.push(`${path} has other bytes`);
    }
    return faults;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
