import { call, ServiceError } from '../api/client.ts';
import { findCached } from './find-cached.ts';
import type { UndoRule } from './undo-rule.ts';

type Turn = 'pause_webhook' | 'resume_webhook';

const opposite = { pause_webhook: 'resume_webhook', resume_webhook: 'pause_webhook' } as const;

/** Pausing is undone by resuming, and the reverse, unless another user was first. */
export function webhookTurn<N extends Turn>(name: N): UndoRule<N> {
  return (client, { webhook_id }, project_id) => {
    const url = findCached(client, webhook_id, 'list_webhooks')?.['url'];
    const label = typeof url === 'string' ? url : 'the webhook';
    const turn = async (to: Turn): Promise<void> => {
      const { webhooks } = await call('list_webhooks', { project_id });
      const isPaused = webhooks.find(({ id }) => id === webhook_id)?.paused !== null;
      if (isPaused === (to === 'pause_webhook'))
        throw new ServiceError('precondition_failed', `${label} was ${isPaused ? 'paused' : 'resumed'} since.`);
      await call(to, { webhook_id });
    };
    return {
      what: `${name === 'pause_webhook' ? 'pause' : 'resumption'} of ${label}`,
      notice: `${label} is ${name === 'pause_webhook' ? 'paused' : 'resumed'}.`,
      ways: () => ({ undo: () => turn(opposite[name]), redo: () => turn(name) }),
    };
  };
}
