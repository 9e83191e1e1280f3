import type { UseQueryResult } from '@tanstack/react-query';
import { patchRow, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';

export type ShareRow = Answer<'list_shares'>['shares'][number];

/** The expiry times of links, as REST accepts them. */
export const expiries = [
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const;

export type Expiry = (typeof expiries)[number]['value'];

/** Live and ended links of the project, without their tokens. */
export function useShares(projectId: string): UseQueryResult<readonly ShareRow[], ServiceError> {
  return useRows('list_shares', 'shares', { project_id: projectId });
}

export function useCreateParticipantLink(): Change<'create_participant_link'> {
  return useChange('create_participant_link', { shownBy: ['list_shares'], failed: 'The link could not be created' });
}

export function useRevokeShare(): Change<'revoke_share'> {
  return useChange('revoke_share', {
    show: (client, { share_id: id }) =>
      patchRow<ShareRow>(client, 'list_shares', id, (row) => ({ ...row, state: 'revoked' })),
    shownBy: ['list_shares'],
    failed: 'The link could not be revoked',
  });
}
