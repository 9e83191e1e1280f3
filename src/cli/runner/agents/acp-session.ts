import { client, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type { ClientConnection } from '@agentclientprotocol/sdk';
import { abortable, systemClock } from '../../../base/clock.ts';
import { isObject } from '../../../base/is-object.ts';
import { version } from '../../../base/version.ts';
import { messagesOf } from './acp-messages.ts';
import { askForm, askPermission } from './acp-questions.ts';
import type { Ask } from './acp-questions.ts';
import { Updates } from './acp-updates.ts';
import { endOf, LastLines, startAgentProcess } from './agent-process.ts';
import type { AgentLimits, AgentProcess } from './agent-process.ts';
import type { AgentOptions, AgentSession, TurnEnd } from './agent.ts';
import { lineOf, Progress } from './progress.ts';

/** Lines of standard error, and others that are no messages, that explain a failure. */
const lastLinesMax = 5;

/** Why an agent stopped, if it did not finish. */
const stops: Readonly<Record<string, string>> = {
  max_tokens: 'It reached its limit of tokens.',
  max_turn_requests: 'It reached its limit of requests.',
  refusal: 'It refused to go on.',
};

/** The code of the error of an agent that is not signed in. */
const signedOutCode = -32_000;

/** A conversation that began. */
interface Conversation {
  readonly sessionId: string;
  /** It is a former one. */
  readonly isResumed: boolean;
}

/** Why an agent cannot be spoken to. */
class NoAnswer extends Error {}

/** A conversation by the Agent Client Protocol, with one process for all prompts. */
export class AcpSession implements AgentSession {
  readonly #options: AgentOptions;
  readonly #limits: AgentLimits;
  readonly #progress: Progress;
  readonly #updates: Updates;
  readonly #noise = new LastLines(lastLinesMax);
  readonly #process: AgentProcess | string;
  /** Aborted when the conversation ends, for whatever reason. */
  readonly #over = new AbortController();
  #connection: ClientConnection | undefined;
  readonly #session: Promise<Conversation>;
  #canResume = false;
  #known: Conversation | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  #isPrompted = false;
  #isEnded = false;

  constructor(options: AgentOptions, limits: AgentLimits) {
    const { listener, signal } = options;
    this.#options = options;
    this.#limits = limits;
    this.#progress = new Progress(systemClock, listener.progress);
    this.#updates = new Updates(this.#progress, listener);
    this.#process = signal.aborted ? '' : startAgentProcess(options, limits);
    this.#session = this.#start();
    // Each prompt handles it.
    this.#session.catch(() => undefined);
    signal.addEventListener('abort', this.#cancel, { once: true });
  }

  get sessionId(): string | undefined {
    return this.#canResume ? this.#known?.sessionId : undefined;
  }

  get isResumed(): Promise<boolean> {
    return this.#session.then(
      ({ isResumed }) => isResumed,
      () => false,
    );
  }

  async prompt(text: string): Promise<TurnEnd> {
    this.#isPrompted = true;
    this.#updates.begin();
    try {
      const { sessionId } = await this.#session;
      const answer: unknown = await this.#connection!.agent.request<unknown>(methods.agent.session.prompt as string, {
        sessionId,
        prompt: [{ type: 'text', text }],
      });
      return this.#turnEnd(answer);
    } catch (error) {
      return await this.#failure(error);
    } finally {
      this.#isPrompted = false;
      this.#progress.end();
      if (this.#isCancelled) this.#stop();
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#options.signal.removeEventListener('abort', this.#cancel);
    this.#stop();
    if (typeof this.#process !== 'string') await endOf(this.#process, '');
    this.#connection?.close();
    this.#progress.end();
  }

  get #isCancelled(): boolean {
    return this.#options.signal.aborted || this.#isEnded;
  }

  #stop(): void {
    this.#over.abort();
    if (typeof this.#process !== 'string') this.#process.group.stop();
  }

  /** Asks the agent to end its turn; ends it if it does not, or if there is no turn. */
  readonly #cancel = (): void => {
    if (!this.#isPrompted || this.#connection === undefined) return this.#stop();
    const late = systemClock.after(this.#limits.grace, () => this.#stop());
    this.#over.signal.addEventListener('abort', () => late.cancel(), { once: true });
    void this.#session
      .then(({ sessionId }) => this.#connection!.agent.notify(methods.agent.session.cancel, { sessionId }))
      .catch(() => this.#stop());
  };

  /** Starts the conversation, or rejects with `NoAnswer`. */
  async #start(): Promise<Conversation> {
    if (typeof this.#process === 'string') throw new NoAnswer(this.#process);
    const connection = this.#connect(this.#process);
    const limit = new AbortController();
    const timer = systemClock.after(this.#limits.start, () =>
      limit.abort(new NoAnswer(`It did not begin a conversation within ${this.#limits.start / 1_000} s.`)),
    );
    try {
      return (this.#known = await abortable(
        this.#handshake(connection),
        AbortSignal.any([limit.signal, this.#over.signal]),
      ));
    } catch (error) {
      const isAnswer = !(error instanceof NoAnswer) && !connection.signal.aborted && !this.#over.signal.aborted;
      this.#stop();
      throw isAnswer ? new NoAnswer(errorSentence(error)) : error;
    } finally {
      timer.cancel();
    }
  }

  async #handshake({ agent }: ClientConnection): Promise<Conversation> {
    const { directory, plan, resumes } = this.#options;
    const hello: unknown = await agent.request<unknown>(methods.agent.initialize as string, {
      protocolVersion: PROTOCOL_VERSION,
      // The agent reads and writes files, and runs commands, by itself.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
      },
      clientInfo: { name: 'planner', title: 'Planner', version },
    });
    const spoken = isObject(hello) ? hello['protocolVersion'] : undefined;
    if (spoken !== PROTOCOL_VERSION)
      throw new NoAnswer(
        typeof spoken === 'number'
          ? `It speaks version ${spoken} of the Agent Client Protocol, and Planner version ${PROTOCOL_VERSION}.`
          : 'It does not speak the Agent Client Protocol.',
      );
    const env = Object.entries(plan?.env ?? {}).map(([name, value]) => ({ name, value }));
    const mcpServers = plan === undefined ? [] : [{ name: 'planner', command: plan.command, args: plan.args, env }];
    const capabilities = isObject(hello) ? hello['agentCapabilities'] : undefined;
    this.#canResume = isObject(capabilities) && capabilities['loadSession'] === true;
    const place = { cwd: directory, mcpServers };
    if (this.#canResume && resumes !== undefined && (await this.#load(agent, { ...place, sessionId: resumes })))
      return { sessionId: resumes, isResumed: true };
    const session: unknown = await agent.request<unknown>(methods.agent.session.new as string, place);
    if (isObject(session) && typeof session['sessionId'] === 'string')
      return { sessionId: session['sessionId'], isResumed: false };
    throw new NoAnswer('It began no session.');
  }

  /** Takes a former conversation up again, which the agent then repeats. One that it does not know any more is left. */
  async #load(agent: ClientConnection['agent'], session: object): Promise<boolean> {
    this.#updates.pause();
    try {
      await agent.request<unknown>(methods.agent.session.load as string, session);
      return true;
    } catch {
      return false;
    } finally {
      this.#updates.begin();
    }
  }

  #connect({ child, group }: AgentProcess): ClientConnection {
    const stdin = child.stdin!;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) this.#noise.add(line);
    });
    const stream = messagesOf({
      output: child.stdout!,
      write: (line) => new Promise((resolve) => void stdin.write(line, () => resolve())),
      onNoise: (line) => this.#noise.add(line),
    });
    const connection = client({ name: 'planner' })
      .onNotification(methods.client.session.update as string, unparsed, ({ params }) => this.#updates.take(params))
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        askPermission(params, this.#asker(signal)),
      )
      .onRequest(methods.client.elicitation.create, ({ params, signal }) => askForm(params, this.#asker(signal)))
      .connect(stream);
    this.#connection = connection;
    // An agent that closes its output is of no more use.
    connection.signal.addEventListener('abort', () => this.#stop(), { once: true });
    void group.ended.catch(() => undefined).then(() => this.#over.abort());
    return connection;
  }

  /** Asks one question at a time, until the agent withdraws it or the conversation is over. */
  #asker(signal: AbortSignal): Ask {
    const until = AbortSignal.any([signal, this.#options.signal, this.#over.signal]);
    return (question, choices) => {
      const asked = this.#asking.then(async () => {
        if (until.aborted) return undefined;
        try {
          return await abortable(this.#options.listener.ask(question, choices), until);
        } catch {
          return undefined;
        }
      });
      this.#asking = asked;
      return asked;
    };
  }

  #turnEnd(answer: unknown): TurnEnd {
    const { lastMessage } = this.#updates;
    const reason = isObject(answer) ? answer['stopReason'] : undefined;
    if (isObject(answer)) this.#updates.takeUsage(answer['usage']);
    if (reason === 'cancelled' || this.#isCancelled) return { kind: 'cancelled', detail: lastMessage };
    if (reason === 'end_turn') return { kind: 'done', detail: lastMessage };
    const why =
      (typeof reason === 'string' ? stops[reason] : undefined) ??
      'It ended its turn without a reason that Planner knows.';
    return { kind: 'failed', detail: [why, lastMessage].filter((part) => part !== '').join('\n') };
  }

  async #failure(error: unknown): Promise<TurnEnd> {
    if (this.#isCancelled) return { kind: 'cancelled', detail: this.#updates.lastMessage };
    const isGone = this.#over.signal.aborted || this.#connection?.signal.aborted === true;
    if (error instanceof NoAnswer) return this.#failed(error.message);
    if (!isGone || typeof this.#process === 'string') return this.#failed(errorSentence(error));
    this.#stop();
    const { sentence } = await endOf(this.#process, this.#options.agent.command);
    return this.#failed(`It ended before it answered. ${sentence}`);
  }

  #failed(why: string): TurnEnd {
    return { kind: 'failed', detail: [why, this.#noise.text].filter((part) => part !== '').join('\n') };
  }
}

const unparsed = (params: unknown): unknown => params;

/** An error of the protocol, with the details that agents put beside it. */
function errorSentence(error: unknown): string {
  const { code, message, data } = error as Readonly<Record<'code' | 'message' | 'data', unknown>>;
  const details = isObject(data) ? (data['details'] ?? data['message']) : data;
  const reason = [message, details].filter((part) => typeof part === 'string').map((part) => lineOf(part));
  const advice = code === signedOutCode ? ' Sign in with its own program first.' : '';
  return `It answered with an error: ${reason.join(': ')}.${advice}`;
}
