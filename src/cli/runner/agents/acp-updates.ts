import { isObject } from '../../../base/is-object.ts';
import type { AgentListener, Usage } from './agent.ts';
import type { Progress } from './progress.ts';

/** Characters of the last message that are kept. */
const messageCharactersMax = 2_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * What an agent reports while it works. A report that is not as the protocol has it is ignored: newer agents send more than this
 * program knows.
 */
export class Updates {
  readonly #progress: Progress;
  readonly #listener: AgentListener;
  #message = '';
  #messageId: unknown;
  #isInMessage = false;
  /** The tool call or step that was shown last, which agents repeat. */
  #shown: string | undefined;
  #usage: Usage = {};
  #isPaused = false;

  constructor(progress: Progress, listener: AgentListener) {
    this.#progress = progress;
    this.#listener = listener;
  }

  /** Ignores reports until the next turn. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Forgets the message of the former turn. */
  begin(): void {
    this.#isPaused = false;
    this.#message = '';
    this.#isInMessage = false;
  }

  /** The end of the agent's last message in this turn. */
  get lastMessage(): string {
    return this.#message.trim();
  }

  /** Takes the parameters of `session/update`. */
  take(params: unknown): void {
    const update = isObject(params) ? params['update'] : undefined;
    if (!isObject(update) || this.#isPaused) return;
    const kind = update['sessionUpdate'];
    if (kind === 'agent_message_chunk') return this.#takeChunk(update);
    if (kind === 'usage_update') return this.#takeContext(update);
    if (kind === 'tool_call' || kind === 'tool_call_update') this.#show(update['title']);
    else if (kind === 'plan') this.#show(stepOf(update['entries']));
  }

  /** Takes the usage in the answer to a prompt, which not all agents report. */
  takeUsage(usage: unknown): void {
    if (isObject(usage)) this.#report(usage['totalTokens'], undefined);
  }

  #takeChunk({ content, messageId }: Fields): void {
    const text = isObject(content) ? content['text'] : undefined;
    if (typeof text !== 'string') return;
    if (!this.#isInMessage || messageId !== this.#messageId) {
      this.#progress.endText();
      this.#message = '';
    }
    this.#messageId = messageId;
    this.#isInMessage = true;
    this.#message = (this.#message + text).slice(-messageCharactersMax);
    this.#progress.text(text);
  }

  #takeContext({ used, cost }: Fields): void {
    const isDollars = isObject(cost) && cost['currency'] === 'USD';
    this.#report(used, isDollars ? cost['amount'] : undefined);
  }

  /** Either may be of a part of the session alone, such as the tokens in its context. */
  #report(tokens: unknown, costUsd: unknown): void {
    const former = this.#usage;
    this.#usage = {
      ...former,
      ...(isAmount(tokens) ? { tokens: Math.max(tokens, former.tokens ?? 0) } : {}),
      ...(isAmount(costUsd) ? { cost_usd: Math.max(costUsd, former.cost_usd ?? 0) } : {}),
    };
    const { tokens: tokensNow, cost_usd: costNow } = this.#usage;
    if (tokensNow !== former.tokens || costNow !== former.cost_usd) this.#listener.usage(this.#usage);
  }

  #show(title: unknown): void {
    if (typeof title !== 'string' || title === '') return;
    this.#isInMessage = false;
    this.#progress.endText();
    if (title !== this.#shown) this.#progress.line(title);
    this.#shown = title;
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The step of a plan that the agent works on, or is next. */
function stepOf(entries: unknown): unknown {
  if (!Array.isArray(entries)) return undefined;
  const steps = entries.filter(isObject);
  return (['in_progress', 'pending'] as const)
    .map((status) => steps.find((step) => step['status'] === status))
    .find((step) => step !== undefined)?.['content'];
}
