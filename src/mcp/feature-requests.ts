import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { Collections } from '../store/index.ts';
import { featureMethods } from './feature-methods.ts';
import type { FeatureMethod } from './feature-methods.ts';
import { RpcError } from './json-rpc.ts';
import type { CallContext, ToolCalls } from './tool-calls.ts';

type Params = Readonly<Record<string, unknown>>;

/**
 * Serves resources, prompts and completions for the clients of every revision, by the operations that tools are, too. Their code is loaded
 * with the first request: most clients use tools alone.
 */
export class FeatureRequests<C extends Collections> {
  readonly #calls: ToolCalls<C>;
  readonly #log: Log;

  constructor(calls: ToolCalls<C>, log: Log) {
    this.#calls = calls;
    this.#log = log;
  }

  /** The result of a request; undefined if there is no such method. Rejects with `RpcError`. */
  handle(method: string, params: Params, context: CallContext): Promise<Params> | undefined {
    return featureMethods.has(method) ? this.#handle(method as FeatureMethod, params, context) : undefined;
  }

  async #handle(method: FeatureMethod, params: Params, context: CallContext): Promise<Params> {
    const { handleFeature } = await import('./features.ts');
    const read = (name: string, input: Params): Promise<Params> => this.#calls.read(name, input, context);
    return this.attempt(method, params['uri'], () => handleFeature(method, params, read, context.caller));
  }

  /** Rejects with `RpcError` if `run` rejects. `uri`: of the resource that the request is about. */
  async attempt<T>(method: string, uri: unknown, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      throw RpcError.of(asPlannerError(thrown, this.#log, method), uri);
    }
  }
}
