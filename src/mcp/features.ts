import { PlannerError } from '../errors.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { Collections } from '../store/index.ts';
import { RpcError } from './json-rpc.ts';
import { completeTemplate, listResources, readResource, resourceTemplates } from './resources.ts';
import type { Read } from './resources.ts';
import type { CallContext, ToolCalls } from './tool-calls.ts';

type Params = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, unknown>>;
type Handler = (params: Params, read: Read, context: CallContext) => Promise<Result>;

const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  [
    'resources/list',
    (params, read, { caller }) => listResources(read, caller.boundTo ?? caller.defaultProject, params),
  ],
  ['resources/templates/list', async () => ({ resourceTemplates: resourceTemplates() })],
  ['resources/read', ({ uri }, read) => readResource(read, uri)],
  ['completion/complete', (params, read) => complete(params, read)],
]);

/** The methods of requests that are neither of tools nor of the protocol itself. */
export const featureMethods: ReadonlySet<string> = new Set(handlers.keys());

/** Serves resources and completions for the clients of every revision, by the operations that tools are, too. */
export class Features<C extends Collections> {
  readonly #calls: ToolCalls<C>;
  readonly #log: Log;

  constructor(calls: ToolCalls<C>, log: Log) {
    this.#calls = calls;
    this.#log = log;
  }

  /** The result of a request; undefined if there is no such method. Rejects with `RpcError`. */
  handle(method: string, params: Params, context: CallContext): Promise<Result> | undefined {
    const handler = handlers.get(method);
    if (handler === undefined) return undefined;
    const read: Read = (operation, input) => this.#calls.read(operation, input, context);
    return handler(params, read, context).catch((thrown: unknown) => {
      if (thrown instanceof RpcError) throw thrown;
      throw RpcError.of(asPlannerError(thrown, this.#log, method), params['uri']);
    });
  }
}

async function complete({ ref, argument, context }: Params, read: Read): Promise<Result> {
  const { type, uri } = isObject(ref) ? ref : {};
  if (type !== 'ref/resource' || !isObject(argument))
    throw new PlannerError(
      'invalid_argument',
      'ref must be {"type": "ref/resource", "uri": …}, and argument {name, value}.',
      {
        field: 'params.ref',
      },
    );
  const given = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {};
  return completeTemplate(read, uri, argument, given);
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
