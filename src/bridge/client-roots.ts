import { fileURLToPath } from 'node:url';
import type { RpcMessage } from '../client/message.ts';
import { isObject } from '../base/is-object.ts';

const responseMsMax = 5_000;
const idPrefix = 'planner-roots-';

/** The directories that a client works in, requested from it if it has the capability `roots`. */
export class ClientRoots {
  readonly #send: (message: RpcMessage) => void;
  readonly #waiting = new Map<string, (answer: RpcMessage | undefined) => void>();
  #supported = false;
  #requests = 0;

  constructor(send: (message: RpcMessage) => void) {
    this.#send = send;
  }

  /** True if the client has the capability `roots`. */
  get supported(): boolean {
    return this.#supported;
  }

  /** Sets the client's capabilities from its initialize parameters. */
  setCapabilities({ capabilities }: Readonly<Record<string, unknown>>): void {
    this.#supported = isObject(capabilities) && isObject(capabilities['roots']);
  }

  /** Absolute paths in the client's order; empty if it does not support roots or does not respond. */
  async list(): Promise<readonly string[]> {
    if (!this.#supported) return [];
    const id = `${idPrefix}${++this.#requests}`;
    const answered = new Promise<RpcMessage | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), responseMsMax);
      this.#waiting.set(id, (answer) => (clearTimeout(timer), resolve(answer)));
    });
    this.#send({ jsonrpc: '2.0', id, method: 'roots/list' });
    const answer = await answered;
    this.#waiting.delete(id);
    return pathsOf(answer?.result);
  }

  /** Ends all requests: the client has disconnected. */
  end(): void {
    this.#supported = false;
    for (const answered of this.#waiting.values()) answered(undefined);
  }

  /** Handles a response of the client; false if it is to another request. A late response is ignored. */
  onResponse(answer: RpcMessage): boolean {
    this.#waiting.get(String(answer.id))?.(answer);
    return String(answer.id).startsWith(idPrefix);
  }
}

/** The paths of roots. Roots that are not file URLs of this machine are ignored. */
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
