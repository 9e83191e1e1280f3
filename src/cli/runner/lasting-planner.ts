import { systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { randomToken } from '../../base/ids.ts';
import { doubling, retry } from '../../base/retry.ts';
import type { Input } from '../service/planner-port.ts';
import { RemotePlanner } from '../service/remote-planner.ts';
import { ServiceClient } from '../service/service-client.ts';
import type { Address } from '../service/service-client.ts';

const keyBytes = 18;
/** More than a minute in all. */
const failuresMax = 20;

/** Where the service is, for all that call it: it may be started again at another port. */
export class ServicePlace {
  readonly #reach: () => Promise<Address>;
  #present: Address;

  /** `reach`: finds or starts the service. */
  constructor(present: Address, reach: () => Promise<Address>) {
    this.#present = present;
    this.#reach = reach;
  }

  get present(): Address {
    return this.#present;
  }

  /** Looks for it again. Returns whether it is elsewhere. */
  async hasMoved(): Promise<boolean> {
    const former = this.#present.url;
    this.#present = await this.#reach();
    return this.#present.url !== former;
  }
}

/**
 * A service that may end and be started again while a runner works: a call is repeated with its idempotency key, so that it is executed once.
 */
export class LastingPlanner extends RemotePlanner {
  readonly #place: ServicePlace;
  readonly #secret: string | undefined;

  /** `secret`: a key in place of the owner's access. */
  constructor(place: ServicePlace, secret?: string) {
    super(new ServiceClient(place.present));
    this.#place = place;
    this.#secret = secret;
  }

  override call(
    operation: string,
    input: Input,
    key = randomToken(keyBytes),
  ): Promise<Readonly<Record<string, unknown>>> {
    let hasMoved = false;
    const attempt = async (): Promise<Readonly<Record<string, unknown>>> => {
      try {
        this.client = new ServiceClient(this.#address);
        return await super.call(operation, input, key);
      } catch (thrown) {
        hasMoved = await this.#hasMoved(thrown);
        throw thrown;
      }
    };
    return retry(
      {
        ...{ clock: systemClock, pauseMs: doubling(50, 4_000) },
        mayRetry: (thrown, failures) => failures < failuresMax && (isUnavailable(thrown) || hasMoved),
      },
      attempt,
    );
  }

  get #address(): Address {
    const { present } = this.#place;
    return this.#secret === undefined ? present : { url: present.url, authorization: `Bearer ${this.#secret}` };
  }

  /** Another service may have its port by now, which does not know the key. */
  async #hasMoved(thrown: unknown): Promise<boolean> {
    const isForeign = thrown instanceof PlannerError && thrown.code === 'unauthorized';
    return (isForeign || isUnavailable(thrown)) && (await this.#place.hasMoved().catch(() => false));
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PlannerError && error.code === 'unavailable';
}
