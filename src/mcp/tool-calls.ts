import { PlannerError } from '../base/errors.ts';
import { keepAliveMs } from '../http/event-stream.ts';
import { requireConfirmed, Unconfirmed } from '../operations/confirmations.ts';
import type { Question } from '../operations/confirmations.ts';
import type { Dispatcher, Outcome } from '../operations/pipeline/dispatch.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import { cutLists, forAgent, takeTextArguments, textArguments } from '../operations/pipeline/agent-texts.ts';
import { lenientInput } from '../operations/pipeline/lenient-input.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { AnyOperation, Caller } from '../operations/declaration/operation.ts';
import type { EventListAnswer, ListEventsInput } from '../schema/types.ts';
import type { Collections } from '../store/index.ts';
import type { Exchange, InputRequired, ToolOutcome } from './exchange.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';

/** The caller of a POST and the id of its state: of its session, or of its client if the revision has no sessions. */
export interface CallContext {
  readonly caller: Caller;
  readonly session: string | undefined;
  readonly baseUrl: string;
  /** Called before a call changes anything, because that may store data of the session. Rejects if the session has ended. */
  readonly keep: (session: string) => Promise<void>;
}

/** The person at a client that can ask. */
export interface Person {
  /** The tag of the question that was confirmed before the call. */
  readonly confirmed: string | undefined;
  /** Resolves with `accepted`, or with the result that the call returns instead of running. */
  readonly ask: (question: Question) => Promise<'accepted' | ToolOutcome | InputRequired>;
}

/** The self-contained schema of an input definition. */
export type SchemaOf = (definition: string) => Readonly<Record<string, unknown>>;

/** Runs tools for the clients of every revision: one catalogue, one validator, one dispatcher. */
export class ToolCalls<C extends Collections> {
  readonly #dispatcher: Dispatcher<C>;
  readonly #log: Log;
  readonly #tools: ReadonlyMap<string, AnyOperation<C>>;

  readonly #schemaOf: SchemaOf;

  constructor(dispatcher: Dispatcher<C>, schemaOf: SchemaOf, log: Log) {
    this.#dispatcher = dispatcher;
    this.#schemaOf = schemaOf;
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
   * Follows an operation that waits for events: the first answer comes immediately, each further answer with events or
   * after `pauseMs`. Throws its error.
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

  /**
   * Runs a tool; a caller's error is returned as the tool's result, in the shape of all errors. Throws `RpcError` for
   * an unknown name. A change that the person has to confirm is rolled back and asked about, and runs only if it is
   * then still the same. Without a person it runs immediately.
   */
  async call(
    ...[name, given, meta, context, person]: [...Parameters<Exchange['call']>, CallContext, Person?]
  ): Promise<ToolOutcome | InputRequired> {
    const operation = this.#tools.get(name);
    if (operation === undefined) {
      throw new RpcError(rpcCodes.invalidParams, `There is no tool ${JSON.stringify(name)}: tools/list names all.`, {
        field: 'params.name',
      });
    }
    const schema = this.#schemaOf(operation.input);
    const properties = { ...(schema['properties'] as object), ...textArguments(operation) };
    const meant = lenientInput(given, { ...schema, properties }, operation.rest?.method === 'PATCH');
    try {
      const { input, wanted } = takeTextArguments(meant, operation);
      for (let confirmed = person?.confirmed; ;) {
        const outcome = await this.#run(operation, input, meta, context, person && { confirmed });
        if (!(outcome instanceof Unconfirmed)) return { ...outcome, value: forAgent(outcome.value, operation, wanted) };
        const { question } = outcome;
        const answer = await person!.ask(question);
        if (answer !== 'accepted') return answer;
        confirmed = question.tag;
      }
    } catch (thrown) {
      const error = asPlannerError(thrown, this.#log, `tool ${name}`);
      return { value: cutLists({ ...error.toJSON() }), isError: true };
    }
  }

  async #run(
    operation: AnyOperation<C>,
    input: Parameters<Exchange['call']>[1],
    meta: Parameters<Exchange['call']>[2],
    { caller, session, baseUrl, keep }: CallContext,
    asked: { readonly confirmed: string | undefined } | undefined,
  ): Promise<ToolOutcome | Unconfirmed> {
    if (session !== undefined && operation.effect !== 'read') {
      // Keeping a session stores it.
      await this.#dispatcher.allowance.require({ caller, transport: 'mcp' });
      await keep(session);
    }
    try {
      const { value } = await this.#dispatcher.dispatch(operation, input, {
        caller,
        transport: 'mcp',
        tagless: true,
        baseUrl,
        session,
        idempotencyKey: meta['planner/key'] as string | undefined,
        review: asked && ((changes) => requireConfirmed(changes, asked.confirmed)),
      });
      return { value: (value ?? {}) as ToolOutcome['value'], isError: false };
    } catch (thrown) {
      if (thrown instanceof Unconfirmed) return thrown;
      throw thrown;
    }
  }
}
