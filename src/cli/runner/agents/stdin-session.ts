import { systemClock } from '../../../base/clock.ts';
import { BoundedOutput } from '../../verify/bounded-output.ts';
import { endOf, LastLines, startAgentProcess } from './agent-process.ts';
import type { AgentLimits, AgentProcess } from './agent-process.ts';
import type { AgentOptions, AgentSession, TurnEnd } from './agent.ts';
import { Progress } from './progress.ts';

/** Lines of its output that are its last words. */
const lastLinesMax = 10;

/** A conversation of single prompts: each is a process that reads it on standard input, and ends. */
export class StdinSession implements AgentSession {
  readonly #options: AgentOptions;
  readonly #limits: AgentLimits;
  readonly sessionId = undefined;
  readonly isResumed = Promise.resolve(false);
  #running: AgentProcess | undefined;
  #isEnded = false;

  constructor(options: AgentOptions, limits: AgentLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  async prompt(text: string): Promise<TurnEnd> {
    const { signal } = this.#options;
    if (this.#isEnded || signal.aborted) return { kind: 'cancelled', detail: '' };
    const started = startAgentProcess(this.#options, this.#limits);
    if (typeof started === 'string') return { kind: 'failed', detail: started };
    const stop = (): void => started.group.stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#running = started;
    try {
      return await this.#turn(started, text);
    } finally {
      this.#running = undefined;
      signal.removeEventListener('abort', stop);
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    const running = this.#running;
    if (running === undefined) return;
    running.group.stop();
    await endOf(running, '');
  }

  async #turn(started: AgentProcess, text: string): Promise<TurnEnd> {
    const { agent, listener, signal } = this.#options;
    const progress = new Progress(systemClock, listener.progress);
    const [said, warned] = [new LastLines(lastLinesMax), new LastLines(lastLinesMax)];
    const { child } = started;
    const outputs = (
      [
        [child.stdout, said],
        [child.stderr, warned],
      ] as const
    ).map(([stream, last]) => {
      const output = new BoundedOutput((line) => {
        last.add(line);
        progress.line(line);
      });
      stream?.on('data', output.stream());
      return output;
    });
    child.stdin?.end(text);
    const { end, sentence } = await endOf(started, agent.command);
    for (const output of outputs) output.end();
    progress.end();
    const words = [said.text, warned.text].find((one) => one !== '') ?? '';
    if (signal.aborted || this.#isEnded) return { kind: 'cancelled', detail: words };
    if (end?.code === 0) return { kind: 'done', detail: words };
    return {
      kind: 'failed',
      detail: [sentence, [warned.text, said.text].find((one) => one !== '')].filter(Boolean).join('\n'),
    };
  }
}
