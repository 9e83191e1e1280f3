import { fileURLToPath } from 'node:url';
import type { RpcMessage } from '../client/message.ts';
import { isObject } from './responses.ts';

const responseMsMax = 5_000;

/** The directories that a client works in, asked of it where it has offered to say. */
export class ClientRoots {
  readonly #send: (message: RpcMessage) => void;
  readonly #waiting = new Map<string, (answer: RpcMessage | undefined) => void>();
  #supported = false;
  #asked = 0;

  constructor(ask: (message: RpcMessage) => void) {
    this.#send = ask;
  }

  /** Whether the client says its roots. */
  get supported(): boolean {
    return this.#supported;
  }

  /** What the client said of itself at initialize. */
  setCapabilities({ capabilities }: Readonly<Record<string, unknown>>): void {
    this.#supported = isObject(capabilities) && isObject(capabilities['roots']);
  }

  /** Absolute paths in the client's order; none where it offers none or does not answer. */
  async list(): Promise<readonly string[]> {
    if (!this.#supported) return [];
    const id = `planner-roots-${++this.#asked}`;
    const answered = new Promise<RpcMessage | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), responseMsMax);
      this.#waiting.set(id, (answer) => (clearTimeout(timer), resolve(answer)));
    });
    this.#send({ jsonrpc: '2.0', id, method: 'roots/list' });
    const answer = await answered;
    this.#waiting.delete(id);
    return pathsOf(answer?.result);
  }

  /** The client has gone: nobody is asked any more, and no answer is waited for. */
  end(): void {
    this.#supported = false;
    for (const answered of this.#waiting.values()) answered(undefined);
  }

  /** An answer of the client; one that nobody waits for any more says nothing. */
  onResponse(answer: RpcMessage): void {
    this.#waiting.get(String(answer.id))?.(answer);
  }
}

/** Roots that are no directories of this machine are none. */
function pathsOf(result: unknown): readonly string[] {
  const roots: unknown = isObject(result) ? result['roots'] : [];
  return (Array.isArray(roots) ? roots : []).flatMap((root) => {
    const uri: unknown = isObject(root) ? root['uri'] : undefined;
    const url = typeof uri === 'string' ? URL.parse(uri) : null;
    if (url?.protocol !== 'file:') return [];
    try {
      return [fileURLToPath(url)];
    } catch {
      return [];
    }
  });
}
