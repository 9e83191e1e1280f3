import type { Audience } from '../../domain/feed/known-problems.ts';
import { PlannerError } from '../../base/errors.ts';
import type { AnyOperation, Caller, Context } from '../declaration/operation.ts';

/**
 * Throws `forbidden` if callers of this kind may not call the operation. Access to the project is checked when the project is found: a
 * project that the caller may not see is `not_found`.
 */
export function authorise(operation: AnyOperation, caller: Caller): void {
  if (caller.kind === 'owner') return;
  if (caller.kind === 'guest') {
    if (operation.link !== undefined) return;
    throw new PlannerError('forbidden', `${operation.name} is not available to guests with a link.`);
  }
  if (operation.scope === 'service')
    throw new PlannerError(
      'forbidden',
      `${operation.name} is reserved for owners: an agent key gives access to its project only.`,
    );
  if (operation.peopleOnly === true) {
    throw new PlannerError(
      'forbidden',
      `${operation.name} is reserved for people: an agent resolves, supersedes or sets a status instead.`,
    );
  }
  if (operation.effect === 'create') authoriseNewProject(caller);
}

/**
 * Throws `forbidden` for an agent that creates a link if the owner has reserved that. Over MCP a caller is an agent, whatever its
 * credential: a text that it has read may have instructed it to create the link.
 */
export function authoriseSharing(
  operation: AnyOperation,
  { caller, transport }: Pick<Context, 'caller' | 'transport'>,
  agentShareLinks: boolean,
): void {
  if (agentShareLinks || operation.sharesOutward !== true) return;
  if (audienceOf({ caller, transport }) === 'people') return;
  throw new PlannerError(
    'forbidden',
    `Agents cannot create share links on this service (agent_share_links is off): ask a person to create one.`,
  );
}

/** Over MCP a caller is an agent, whatever its credential. */
export function audienceOf({ caller, transport }: Pick<Context, 'caller' | 'transport'>): Audience {
  return caller.kind === 'owner' && transport !== 'mcp' ? 'people' : 'agents';
}

/** Throws `forbidden` for a caller that may not create projects. */
export function authoriseNewProject(caller: Caller): void {
  if (caller.kind === 'owner') return;
  throw new PlannerError(
    'forbidden',
    'An agent key gives access to one project and cannot create another: ask the owner.',
  );
}

/** Throws `forbidden` for a caller that may not follow the changes of the service. */
export function authoriseService(caller: Caller): void {
  if (caller.kind === 'owner') return;
  throw new PlannerError('forbidden', 'service is reserved for owners: an agent key gives access to its project only.');
}
