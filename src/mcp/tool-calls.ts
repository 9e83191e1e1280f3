import { PlannerError } from '../errors.ts';
import { keepAliveMs } from '../http/event-stream.ts';
import type { Dispatcher, Outcome } from '../operations/pipeline/dispatch.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { AnyOperation, Caller } from '../operations/declaration/operation.ts';
import type { EventListAnswer, ListEventsInput } from '../schema/types.ts';
import type { Collections } from '../store/index.ts';
import type { Exchange, ToolOutcome } from './exchange.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';

/** The caller of a POST and the id of its state: of its session, or of its client if the revision has no sessions. */
export interface CallContext {
  readonly caller: Caller;
  readonly session: string | undefined;
  readonly baseUrl: string;
  /** Called before a call changes anything, because that may store data of the session. Rejects if the session has ended. */
  readonly keep: (session: string) => Promise<void>;
}

/** Runs tools for the clients of every revision: one catalogue, one validator, one dispatcher. */
export class ToolCalls<C extends Collections> {
  readonly #dispatcher: Dispatcher<C>;
  readonly #log: Log;
  readonly #tools: ReadonlyMap<string, AnyOperation<C>>;

  constructor(dispatcher: Dispatcher<C>, log: Log) {
    this.#dispatcher = dispatcher;
    this.#log = log;
    const operations = [...dispatcher.operations.values()].filter(({ mcp }) => mcp !== undefined);
    this.#tools = new Map(operations.map((operation) => [operation.name, operation]));
  }

  has(name: unknown): boolean {
    return typeof name === 'string' && this.#tools.has(name);
  }

  /** Runs an operation that reads, tool or not. Rejects with its error. */
  async read(
    name: string,
    input: Readonly<Record<string, unknown>>,
    { caller, session, baseUrl }: CallContext,
  ): Promise<ToolOutcome['value']> {
    const operation = this.#dispatcher.operations.get(name);
    if (operation?.effect !== 'read') throw new PlannerError('not_found', `This service has no ${name}.`);
    const call = { caller, transport: 'mcp', tagless: true, baseUrl, session } as const;
    const { value } = await this.#dispatcher.dispatch(operation, input, call);
    return (value ?? {}) as ToolOutcome['value'];
  }

  /**
   * Follows an operation that waits for events: the first answer comes at once, each further one with events or after `pauseMs`. Throws
   * its error.
   */
  follow(
    name: string,
    input: Readonly<Record<string, unknown>>,
    { caller, session, baseUrl }: CallContext,
    { signal, pauseMs }: { readonly signal: AbortSignal; readonly pauseMs: number },
  ): AsyncGenerator<Outcome, void> {
    const operation = this.#dispatcher.operations.get(name);
    if (operation?.effect !== 'read') throw new PlannerError('not_found', `This service has no ${name}.`);
    const call = { caller, transport: 'mcp', tagless: true, baseUrl, session, signal } as const;
    return this.#dispatcher.follow(operation, input, call, pauseMs);
  }

  /** Follows `list_events`. */
  async *events(
    input: ListEventsInput,
    context: CallContext,
    signal: AbortSignal,
  ): AsyncGenerator<EventListAnswer, void> {
    for await (const { value } of this.follow('list_events', { ...input }, context, { signal, pauseMs: keepAliveMs }))
      yield value as EventListAnswer;
  }

  /** What a person has to confirm before a tool runs; undefined if nothing. */
  async questionOf(
    name: string,
    input: Readonly<Record<string, unknown>>,
    context: CallContext,
  ): Promise<string | undefined> {
    const confirm = this.#tools.get(name)?.mcp?.confirm;
    // If a read fails, the tool reports it.
    return confirm?.(input, (operation, of) => this.read(operation, of, context)).catch(() => undefined);
  }

  /** Runs a tool; a caller's error is returned as the tool's result, in the shape of all errors. Throws `RpcError` for an unknown name. */
  async call(...[name, input, meta, context]: [...Parameters<Exchange['call']>, CallContext]): Promise<ToolOutcome> {
    const operation = this.#tools.get(name);
    if (operation === undefined) {
      throw new RpcError(rpcCodes.invalidParams, `There is no tool ${JSON.stringify(name)}: tools/list names all.`, {
        field: 'params.name',
      });
    }
    const { caller, session, baseUrl, keep } = context;
    try {
      if (session !== undefined && operation.effect !== 'read') await keep(session);
      const { value } = await this.#dispatcher.dispatch(operation, input, {
        caller,
        transport: 'mcp',
        tagless: true,
        baseUrl,
        session,
        idempotencyKey: meta['planner/key'] as string | undefined,
      });
      return { value: (value ?? {}) as ToolOutcome['value'], isError: false };
    } catch (thrown) {
      const error = asPlannerError(thrown, this.#log, `tool ${name}`);
      return { value: error.toJSON(), isError: true };
    }
  }
}
