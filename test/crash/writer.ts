import type { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { type Ledger, randomState, type TaskState } from './ledger.ts';

/**
 * A caller that creates, changes and deletes its own tasks until the service is gone, and records that in the ledger.
 */
export class Writer {
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #name: string;
  readonly #own: string[] = [];
  #made = 0;

  constructor(ledger: Ledger, random: Random, name: string) {
    this.#ledger = ledger;
    this.#random = random;
    this.#name = name;
  }

  /** Resolves when a call failed because the service is gone. Throws for an error response. */
  async run(url: string, projectId: string): Promise<void> {
    const client = new RestClient(url);
    this.#forgetDeleted();
    for (;;) {
      const own = this.#own.length > 0 && this.#random.chance(0.6) ? this.#random.pick(this.#own) : undefined;
      const happened = own === undefined ? this.#create(client, projectId) : this.#change(client, own);
      if (!(await happened)) return;
    }
  }

  async #create(client: RestClient, projectId: string): Promise<boolean> {
    const state = this.#state();
    this.#ledger.unanswered.add(state.label);
    const id = await answered(
      () => client.post(`/projects/${projectId}/tasks`, state),
      201,
      (body) => body.id,
    );
    if (id === undefined) return false;
    this.#ledger.unanswered.delete(state.label);
    this.#ledger.entries.set(id, { acknowledged: state });
    this.#own.push(id);
    return true;
  }

  async #change(client: RestClient, id: string): Promise<boolean> {
    const entry = this.#ledger.entries.get(id)!;
    const to = this.#random.chance(0.1) ? undefined : this.#state();
    entry.pending = { to };
    const send = (): ReturnType<RestClient['get']> =>
      to === undefined ? client.delete(`/tasks/${id}`) : client.patch(`/tasks/${id}`, to);
    if ((await answered(send, to === undefined ? 204 : 200, () => id)) === undefined) return false;
    entry.acknowledged = to;
    delete entry.pending;
    if (to === undefined) this.#own.splice(this.#own.indexOf(id), 1);
    return true;
  }

  #state(): TaskState {
    return randomState(this.#random, `${this.#name} ${this.#made++}`);
  }

  /** A deletion in flight may have happened. */
  #forgetDeleted(): void {
    for (const id of this.#own.filter((own) => this.#ledger.entries.get(own)?.acknowledged === undefined)) {
      this.#own.splice(this.#own.indexOf(id), 1);
    }
  }
}

/** undefined without a response. */
async function answered(
  send: () => ReturnType<RestClient['get']>,
  status: number,
  read: (body: { id: string }) => string,
): Promise<string | undefined> {
  let answer: Awaited<ReturnType<typeof send>>;
  try {
    answer = await send();
  } catch {
    return undefined;
  }
  if (answer.status !== status)
    throw new Error(`The service answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return read(answer.body as { id: string });
}
