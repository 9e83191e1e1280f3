import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { modernVersion } from '../../src/mcp/envelope.ts';
import { toolList, withOutputs } from '../../src/mcp/tool-list.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { inlined, toolSchema } from '../../src/schema/inline.ts';
import { callable, pathMembers, schemaOf, send } from '../support/catalogue-calls.ts';
import type { TransportName } from '../support/catalogue-calls.ts';
import { HealthTurns } from '../support/health-turns.ts';
import { nastyJson, nastyText } from '../support/nasty-texts.ts';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { RandomInput } from '../support/random-input.ts';
import { TestService } from '../support/service.ts';
import { populate } from '../support/world.ts';
import type { World } from '../support/world.ts';

/** Names that are something else where an object is not handled with care. */
const namesOfObjects = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''];

/** Validators of the declared outputs of tools. */
const outputs = ((): ReadonlyMap<string, ValidateFunction> => {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const tools = withOutputs(toolList(catalogue, toolSchema), catalogue, inlined);
  return new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema!)]));
})();

class Requests {
  readonly #random: Random;
  readonly #world: World;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
  }

  /** An operation and one of its transports. Deletions are rare, so that records remain for the other requests. */
  pick(): readonly [AnyOperation, TransportName] {
    for (;;) {
      const picked = this.#random.pick(callable);
      const [{ effect, rest }] = picked;
      if (effect === 'delete' && !this.#random.chance(0.05)) continue;
      if (rest?.method !== 'DELETE' || this.#random.chance(0.3)) return picked;
    }
  }

  /** Sound more often than not. */
  input(operation: AnyOperation): Record<string, unknown> {
    const inputs = new RandomInput(this.#random, this.#world.for(operation), 0.4);
    const input = inputs.members(schemaOf(operation), this.#random.pick([0.1, 0.4, 0.8]), pathMembers(operation));
    for (let faults = this.#random.pick([0, 0, 0, 1, 1, 2, 5]); faults > 0; faults--) this.#spoil(input);
    return input;
  }

  headers(transport: TransportName): Record<string, string> {
    const random = this.#random;
    const headers: Record<string, string> = {};
    const text = random.pick(['*', '"x.y"', 'W/"x.y"', '"', ',', 'abc', `"${random.integer(0, 9)}.0", "a.b"`]);
    if (random.chance(0.1)) headers['If-None-Match'] = text;
    if (random.chance(0.05)) headers['If-Match'] = text;
    if (random.chance(0.2) && transport === 'REST') headers['Idempotency-Key'] = `key-${random.integer(1, 30)}`;
    if (random.chance(0.5) && transport === 'MCP') headers['MCP-Protocol-Version'] = modernVersion;
    return headers;
  }

  /** Makes something at a random depth wrong, or at least odd. */
  #spoil(input: Record<string, unknown>): void {
    const random = this.#random;
    let at: Record<string, unknown> = input;
    for (let depth = 0; depth < 4; depth++) {
      const below = Object.values(at).filter((value) => typeof value === 'object' && value !== null);
      if (below.length === 0 || random.chance(0.5)) break;
      at = random.pick(below) as Record<string, unknown>;
    }
    const names = Object.keys(at);
    const name = names.length === 0 || random.chance(0.2) ? this.#newName() : random.pick(names);
    const roll = random.integer(1, 10);
    if (roll <= 2) delete at[name];
    else if (Array.isArray(at) && roll === 3) at.push(nastyJson(random, 2));
    else this.#set(at, name, roll <= 6 ? nastyJson(random, 2) : this.#odd());
  }

  /** As JSON.parse has it: a member of its own, whatever its name. */
  #set(at: Record<string, unknown>, name: string, value: unknown): void {
    Object.defineProperty(at, name, { value, enumerable: true, configurable: true, writable: true });
  }

  #newName(): string {
    return this.#random.chance(0.4) ? this.#random.pick(namesOfObjects) : nastyText(this.#random);
  }

  #odd(): unknown {
    const random = this.#random;
    const members = [...this.#world.ids.keys()];
    return random.pick<() => unknown>([
      () => null,
      () => '',
      () => '   ',
      () => random.pick(this.#world.ids.get(random.pick(members))!),
      () => random.pick([-1, 0, 1.5, 2 ** 53, 1e308, -0]),
      () => 'x'.repeat(random.pick([501, 3000, 70_000])),
      () => [[[[]]]],
      () => Array.from({ length: random.integer(1, 60) }, () => 'x'),
      () => JSON.parse('{"a":'.repeat(70) + '1' + '}'.repeat(70)) as unknown,
      () => '\ud800',
      () => '../../etc/passwd',
      () => '%00',
    ])();
  }
}

/** The turns in which the request arrives and is answered, and in which both are written and read. */
const turnsMax = 4;

/** So many random requests to one service. */
export function describeRequests(rounds: number): void {
  describe('random requests', () => {
    it('drawn from the schemas, valid and invalid, cause no internal error, delay no other, and leave no problem for the check [A.random-requests, A.loop.health]', async function () {
      this.timeout(rounds * 40 + 60_000);
      const random = Random.announced('requests');
      const service = await TestService.start();
      try {
        const world = await populate(service, random);
        const requests = new Requests(random, world);
        const served = { sound: 0, refused: 0 };
        const health = await HealthTurns.connect(service.url);
        for (let round = 0; round < rounds; round++) {
          if (round % 100 === 0) world.learn((await service.rest.post('/projects', { name: `Round ${round}` })).body);
          const [operation, transport] = requests.pick();
          const input = requests.input(operation);
          const sent = send(service, operation, transport, input, requests.headers(transport));
          await health.ask();
          const { status, error, value } = await sent;
          const what = `${operation.name} over ${transport} with ${JSON.stringify(input).slice(0, 2000)}`;
          expect(status, `${what}: ${JSON.stringify(value)}`).to.be.below(500);
          expect(error?.error, what).not.to.be.oneOf(['internal', 'unavailable']);
          if (error === undefined && transport === 'MCP') {
            const validate = outputs.get(operation.name)!;
            expect(validate(value), `${what}: ${JSON.stringify(validate.errors)}`).to.equal(true);
          }
          if (error === undefined) served.sound++;
          else served.refused++;
          world.learn(value);
        }
        health.close();
        expect(health.mostTurns, 'turns until GET /health was answered').to.be.at.most(turnsMax);
        const ms = [health.longestMs, health.longestTurnMs].map(Math.round);
        reached('GET /health beside them: processor ms of the longest wait, and of the longest turn', ms.join(', '));
        reached(
          'random requests, of which were bad inputs',
          `${rounds.toLocaleString('en-US')}, ${served.refused.toLocaleString('en-US')} (seed ${random.seed})`,
        );
        // Neither kind is so rare that the other would have been all that was tried.
        expect(Math.min(served.sound, served.refused), JSON.stringify(served)).to.be.above(rounds / 10);
        const errors = (service.log as { level?: string }[]).filter(({ level }) => level === 'error');
        expect(errors).to.deep.equal([]);
        await service.store.flush();
        expect(service.store.check()).to.deep.equal([]);
        const before = (await service.rest.get('/projects')).body;
        await service.restart();
        expect(service.store.check()).to.deep.equal([]);
        expect((await service.rest.get('/projects')).body).to.deep.equal(before);
      } finally {
        await service.stop();
      }
    });
  });
}
