import { notFound, PlannerError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { Dispatcher, Input } from '../operations/pipeline/dispatch.ts';
import type { Collections } from '../store/index.ts';
import type { ServiceRoute } from './service-route.ts';

/**
 * `POST /call/:operation`: runs an operation by its name, with its whole input as the body, and returns the wrapped
 * form, as a tool does. The command line uses it; the access rules of the operation apply.
 */
export function callRoute<C extends Collections>(dispatcher: Dispatcher<C>): ServiceRoute {
  return {
    method: 'POST',
    path: '/call/:operation',
    answer: async ({ caller, parameters, baseUrl, body, idempotencyKey }) => {
      const name = parameters['operation']!;
      const operation = dispatcher.operations.get(name);
      if (operation === undefined || operation.rest?.raw === true) throw notFound('operation', name);
      const call = { caller, transport: 'cli', baseUrl, idempotencyKey } as const;
      return (await dispatcher.dispatch(operation, asInput(await body()), call)).value ?? {};
    },
  };
}

function asInput(body: unknown): Input {
  if (body === undefined) return {};
  if (isObject(body)) return body;
  throw new PlannerError('invalid_argument', "The body is not a JSON object: send the operation's input in {}.");
}
