import { PlannerError } from '../../base/errors.ts';
import type { ChangedRecord, Changes, ChangesEnd, ChangesHead, RecordChange, Side } from '../../sync/side.ts';
import type { Revision } from '../../store/index.ts';
import type { PlannerPort } from '../service/planner-port.ts';

/** A project of a service, or of files, as one of the two copies that are brought together. */
export class PlannerSide implements Side {
  readonly #planner: PlannerPort;
  readonly #project: string;
  /** Where it is, for errors. */
  readonly #place: string;

  constructor(planner: PlannerPort, project: string, place: string) {
    this.#planner = planner;
    this.#project = project;
    this.#place = place;
  }

  async changes(since: string | undefined): Promise<Changes> {
    const input = { project_id: this.#project, ...(since !== undefined && { since }) };
    const [head, ...lines] = await this.#whole(async () => {
      const read: unknown[] = [];
      for await (const line of linesOf(await this.#planner.stream('list_record_changes', input)))
        read.push(JSON.parse(line));
      return read;
    });
    const end = lines.pop() as ChangesEnd | undefined;
    if (end?.listed !== lines.length) throw this.#cutOff();
    return { head: head as ChangesHead, records: lines as readonly ChangedRecord[] };
  }

  async revisions(ids: readonly string[]): Promise<readonly Revision[]> {
    const input = { project_id: this.#project, ids: ids.join(',') };
    return (await this.#planner.call('get_full_revisions', input))['revisions'] as readonly Revision[];
  }

  bytes(file: string): Promise<Uint8Array> {
    return this.#whole(async () => {
      const pieces: Uint8Array[] = [];
      for await (const piece of await this.#planner.stream('get_file', { file_id: file })) pieces.push(piece);
      return Buffer.concat(pieces);
    });
  }

  async apply(changes: readonly RecordChange[], revisions: readonly Revision[]): Promise<void> {
    await this.#planner.call('apply_record_changes', { project_id: this.#project, changes, revisions });
  }

  /** Reads a response to its end. */
  async #whole<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (thrown) {
      if (thrown instanceof PlannerError) throw thrown;
      throw Object.assign(this.#cutOff(), { cause: thrown });
    }
  }

  #cutOff(): PlannerError {
    return new PlannerError('unavailable', `The response of ${this.#place} was cut off: try again.`);
  }
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    // A stream of texts has strings in this process.
    rest += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}
