import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { patchRow, refresh, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import { call } from '../rest/client.ts';
import type { Answer, Input, ServiceError } from '../rest/client.ts';
import { showError } from '../rest/show-error.ts';

export type WebhookRow = Answer<'list_webhooks'>['webhooks'][number];
export type DeliveryRow = Answer<'list_webhook_deliveries'>['deliveries'][number];

/** The webhooks of the project, without their secrets. */
export function useWebhooks(projectId: string): UseQueryResult<readonly WebhookRow[], ServiceError> {
  return useRows('list_webhooks', 'webhooks', { project_id: projectId });
}

/** The last attempts of a webhook, the oldest first. */
export function useDeliveries(webhookId: string): UseQueryResult<readonly DeliveryRow[], ServiceError> {
  return useRows('list_webhook_deliveries', 'deliveries', { webhook_id: webhookId });
}

/** Rejected fields are shown in the form. */
export function useCreateWebhook(): UseMutationResult<Answer<'create_webhook'>, ServiceError, Input<'create_webhook'>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input) => call('create_webhook', input),
    onSuccess: () => refresh(client, 'list_webhooks'),
    onError: (error) => error.field === undefined && showError('The webhook could not be created.', error.message),
  });
}

const shownBy = ['list_webhooks', 'list_problems', 'get_project'] as const;

export function usePauseWebhook(): Change<'pause_webhook'> {
  return useChange('pause_webhook', { shownBy, failed: 'The webhook could not be paused' });
}

export function useResumeWebhook(): Change<'resume_webhook'> {
  return useChange('resume_webhook', { shownBy, failed: 'The webhook could not be resumed' });
}

export function useDeleteWebhook(): Change<'delete_webhook'> {
  return useChange('delete_webhook', {
    show: (client, { webhook_id: id }) => patchRow<WebhookRow>(client, 'list_webhooks', id, () => undefined),
    shownBy,
    failed: 'The webhook could not be deleted',
  });
}

export function useRedeliver(): Change<'redeliver_webhook'> {
  return useChange('redeliver_webhook', {
    shownBy: ['list_webhook_deliveries', 'list_webhooks'],
    failed: 'The event could not be delivered again',
  });
}
