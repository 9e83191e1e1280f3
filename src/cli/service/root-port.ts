import { join } from 'node:path';
import { portDefault } from '../../base/config.ts';
import { DurableJson } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';

/** `local/port.json`: the port at which a root was served last. */
interface PortFile {
  readonly port: number;
  /** A proxy in front of a hosted service passes requests of everybody to that port. */
  readonly hosted: boolean;
}

export function portOf(url: string): number {
  return Number(new URL(url).port || 80);
}

/** How many ports are tried before the system chooses one. */
const portsTriedMax = 20;
const portMax = 65_535;

/**
 * The port of a root. It stays the same over services and windows, so that the address of the page does: the one at which the root was served
 * last, at first the usual one; if another program uses that, the next free one.
 */
export class RootPort {
  readonly #file: DurableJson<PortFile>;

  /** `root`: the `.planner` directory, absolute. */
  constructor(disk: Disk, root: string) {
    this.#file = new DurableJson(disk, join(root, 'local', 'port.json'), { mode: 0o600 });
  }

  /**
   * The ports to try, in this order. `named`: of PLANNER_PORT. `embedded`: for a window of `planner mcp`, which takes callers for the owner: it
   * does not take the place of a hosted service, whose proxy would pass it the requests of everybody.
   */
  choices({ named, embedded }: { readonly named: number | undefined; readonly embedded: boolean }): readonly number[] {
    const last = this.#last();
    if (embedded && last?.hosted === true) return [0];
    const first = named ?? (last?.hosted === false ? last.port : portDefault);
    if (first === 0) return [0];
    const next = Array.from({ length: portsTriedMax }, (_, after) => first + after);
    return [...next.filter((port) => port <= portMax), 0];
  }

  remember(url: string, hosted: boolean): void {
    const port = portOf(url);
    const last = this.#last();
    if (last?.port !== port || last.hosted !== hosted) this.#file.writeNow({ port, hosted });
  }

  /** undefined if the root was not served, or something else is in the file. */
  #last(): PortFile | undefined {
    try {
      const { port, hosted } = this.#file.readNow() ?? {};
      const isPort = Number.isInteger(port) && port! > 0 && port! <= portMax;
      return isPort && typeof hosted === 'boolean' ? { port: port!, hosted } : undefined;
    } catch {
      return undefined;
    }
  }
}
