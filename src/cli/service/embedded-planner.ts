import { Readable } from 'node:stream';
import { invalid, PlannerError } from '../../base/errors.ts';
import type { Call, Dispatcher } from '../../operations/pipeline/dispatch.ts';
import type { Caller, RawResponse, Upload } from '../../operations/declaration/operation.ts';
import type { Collections } from '../../store/index.ts';
import type { ImportAnswer } from '../../schema/types.ts';
import type { FormFile } from '../terminal/form.ts';
import type { Diagnosis, Input, PlannerPort, RawOperation } from './planner-port.ts';

type Members = Readonly<Record<string, unknown>>;

/** Dependencies of the embedded planner, wired by main. */
export interface EmbeddedPlannerDeps<C extends Collections> {
  readonly dispatcher: Dispatcher<C>;
  /** The owner of the files. */
  readonly caller: Caller;
  /** Base of the URLs in results: the default address of a service over these files. */
  readonly baseUrl: string;
  readonly flush: () => Promise<void>;
  readonly doctor: (fix: boolean) => Promise<Diagnosis>;
  /** The caller of a key; undefined if the key is invalid. */
  readonly callerWith: (secret: string) => Promise<Caller | undefined>;
  readonly close: () => Promise<void>;
}

/** A store opened in this process because no service runs over it. */
export class EmbeddedPlanner<C extends Collections> implements PlannerPort {
  readonly #deps: EmbeddedPlannerDeps<C>;

  constructor(deps: EmbeddedPlannerDeps<C>) {
    this.#deps = deps;
  }

  call(name: string, input: Input): Promise<Members> {
    return this.#callAs(this.#deps.caller, name, input);
  }

  flush(): Promise<void> {
    return this.#deps.flush();
  }

  doctor(fix: boolean): Promise<Diagnosis> {
    return this.#deps.doctor(fix);
  }

  exportProject(id: string, format: string): Promise<AsyncIterable<Uint8Array>> {
    return this.stream('export_project', { project_id: id, format });
  }

  async stream(operation: RawOperation, input: Input): Promise<AsyncIterable<Uint8Array>> {
    const { content } = (await this.#dispatch(operation, input)) as RawResponse;
    return typeof content === 'string' || content instanceof Uint8Array
      ? Readable.from([Buffer.from(content)])
      : content;
  }

  async importProject(files: Iterable<FormFile>, input: Input): Promise<ImportAnswer> {
    const uploads = uploadsOf(files);
    const first = await uploads.next();
    if (first.done === true) throw invalid('path', 'There is no file to import.');
    const upload = { ...first.value, further: uploads };
    return (await this.#dispatch('import_project', input, { upload })) as ImportAnswer;
  }

  async projectsSeenWith(secret: string): Promise<readonly string[] | undefined> {
    const caller = await this.#deps.callerWith(secret);
    if (caller === undefined) return undefined;
    const { projects } = await this.#callAs(caller, 'list_projects', {});
    return (projects as readonly { readonly id: string }[]).map(({ id }) => id);
  }

  close(): Promise<void> {
    return this.#deps.close();
  }

  async #callAs(caller: Caller, name: string, input: Input): Promise<Members> {
    return ((await this.#dispatch(name, input, { caller })) ?? {}) as Members;
  }

  async #dispatch(name: string, input: Input, more: Partial<Call> = {}): Promise<unknown> {
    const { dispatcher, caller, baseUrl } = this.#deps;
    const operation = dispatcher.operations.get(name);
    if (operation === undefined) throw new PlannerError('not_found', `There is no operation ${JSON.stringify(name)}.`);
    return (await dispatcher.dispatch(operation, input, { caller, transport: 'cli', baseUrl, ...more })).value;
  }
}

async function* uploadsOf(files: Iterable<FormFile>): AsyncGenerator<Upload> {
  for (const { filename, bytes } of files)
    yield { filename, type: 'application/octet-stream', bytes: Readable.from(bytes, { objectMode: false }) };
}
