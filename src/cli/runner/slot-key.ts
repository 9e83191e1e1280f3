import { PlannerError } from '../../base/errors.ts';
import type { NewKey } from '../call/key.ts';
import { LastingPlanner } from './lasting-planner.ts';
import type { SlotNote } from './slot-notes.ts';
import type { Workshop } from './workshop.ts';

/** The key of an agent for its project, named by its program. A repeated call returns the same one, so that a process that died leaves none. */
export async function slotKey(
  { service, agent }: Pick<Workshop, 'service' | 'agent'>,
  { slot, agent_ref, project_id }: Pick<SlotNote, 'slot' | 'agent_ref' | 'project_id'>,
): Promise<NewKey> {
  const input = { kind: 'agent', project_id, name: agent.name };
  return (await new LastingPlanner(service).call('create_key', input, `planner-run/${slot}/${agent_ref}`))[
    'key'
  ] as NewKey;
}

/** Revokes a key, which may be revoked already. */
export async function endKey({ target }: Pick<Workshop, 'target'>, key_id: string): Promise<void> {
  await target.planner.call('revoke_key', { key_id }).catch((thrown: unknown) => {
    if (!(thrown instanceof PlannerError) || thrown.code !== 'not_found') throw thrown;
  });
}
