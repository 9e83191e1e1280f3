import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { routeOf } from '../../src/operations/declaration/route-binding.ts';
import type { ErrorBody } from '../../src/base/errors.ts';
import { requestOf } from './catalogue-calls.ts';
import type { McpClient } from './mcp-client.ts';
import { TestService } from './service.ts';
import type { TestServiceOptions } from './service.ts';

type Input = Readonly<Record<string, unknown>>;

/** One of the two interfaces, spoken to by the names of operations. */
export interface Transport {
  readonly name: 'REST' | 'MCP';
  readonly service: TestService;
  /** Calls an operation that must succeed; returns the bare form of REST (the resource, with its further members). */
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  call(operation: string, input?: Input): Promise<any>;
  /** Calls an operation that must fail; returns the error. */
  refusal(operation: string, input?: Input): Promise<ErrorBody>;
}

interface Outcome {
  readonly failed: boolean;
  readonly value: unknown;
}

/**
 * Declares one test twice: its body runs once over REST and once over MCP, each on a service of its own. Operations are named as tools are;
 * members of inputs too.
 */
export function overBoth(
  title: string,
  body: (transport: Transport) => Promise<void>,
  options: TestServiceOptions = {},
): void {
  for (const name of ['REST', 'MCP'] as const) {
    it(`over ${name}: ${title}`, async () => {
      const service = await TestService.start(options);
      try {
        await body(name === 'REST' ? restTransport(service) : mcpTransport(service, await service.mcp()));
      } finally {
        await service.stop();
      }
    });
  }
}

/** The operations of a service over REST. */
export function restTransport(service: TestService): Transport {
  return transportOf('REST', service, (operation, input) => callRest(service, operation, input));
}

/** The operations of a service over MCP, in a client's session. */
export function mcpTransport(service: TestService, client: McpClient): Transport {
  return transportOf('MCP', service, async (operation, input) => {
    const { isError, value } = await client.call(operation.name, input);
    return { failed: isError, value: isError ? value : bareForm(operation, value) };
  });
}

function transportOf(
  name: Transport['name'],
  service: TestService,
  send: (operation: AnyOperation, input: Input) => Promise<Outcome>,
): Transport {
  return {
    name,
    service,
    call: async (operation, input = {}) => {
      const { failed, value } = await send(operationNamed(operation), input);
      if (failed) throw new Error(`${operation} over ${name} answered ${JSON.stringify(value)}`);
      return value;
    },
    refusal: async (operation, input = {}) => {
      const { failed, value } = await send(operationNamed(operation), input);
      if (!failed) throw new Error(`${operation} over ${name} was not refused: ${JSON.stringify(value)}`);
      return value as ErrorBody;
    },
  };
}

function operationNamed(name: string): AnyOperation {
  const operation = catalogue.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  return operation;
}

async function callRest(service: TestService, operation: AnyOperation, input: Input): Promise<Outcome> {
  const route = routeOf(operation);
  if (route === undefined) throw new Error(`${operation.name} has no REST route.`);
  for (const member of route.parameters)
    if (typeof input[member] !== 'string') throw new Error(`${operation.name} over REST needs ${member}.`);
  const { url, body } = requestOf(operation, input);
  const answer = await service.rest.send(route.method, url, body);
  return { failed: answer.status >= 400 && answer.body?.error !== undefined, value: answer.body };
}

/** The REST response that corresponds to the MCP result `value`. */
function bareForm({ rest }: AnyOperation, value: Record<string, unknown>): unknown {
  if (rest?.bare === undefined) return value;
  const { [rest.bare]: resource, ...beside } = value;
  return Object.keys(beside).length === 0 ? resource : { ...(resource as object), ...beside };
}
