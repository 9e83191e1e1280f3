import type { UseQueryResult } from '@tanstack/react-query';
import { patchRow, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';

export type KeyRow = Answer<'list_keys'>['keys'][number];
export type SignInRow = Answer<'list_sign_ins'>['sign_ins'][number];

/** Keys of the whole service, without their secrets. */
export function useKeys(): UseQueryResult<readonly KeyRow[], ServiceError> {
  return useRows('list_keys', 'keys', {});
}

export function useCreateKey(): Change<'create_key'> {
  return useChange('create_key', { shownBy: ['list_keys'], failed: 'The key could not be created' });
}

export function useRevokeKey(): Change<'revoke_key'> {
  return useChange('revoke_key', {
    show: (client, { key_id: id }) => patchRow<KeyRow>(client, 'list_keys', id, () => undefined),
    shownBy: ['list_keys'],
    failed: 'The key could not be revoked',
  });
}

/** Browsers that are signed in; empty if the service has no sign-in. */
export function useSignIns(): UseQueryResult<readonly SignInRow[], ServiceError> {
  return useRows('list_sign_ins', 'sign_ins', {}, { everyMs: 10_000 });
}

export function useEndSignIn(): Change<'end_sign_in'> {
  return useChange('end_sign_in', {
    show: (client, { sign_in_id: id }) => patchRow<SignInRow>(client, 'list_sign_ins', id, () => undefined),
    shownBy: ['list_sign_ins'],
    failed: 'The sign-in could not be ended',
  });
}

export type IdentityRow = Answer<'list_identities'>['identities'][number];

/** People whom an identity provider authenticated. */
export function useIdentities(): UseQueryResult<readonly IdentityRow[], ServiceError> {
  return useRows('list_identities', 'identities', {}, { everyMs: 10_000 });
}

export function useForgetIdentity(): Change<'forget_identity'> {
  return useChange('forget_identity', {
    shownBy: ['list_identities', 'list_sign_ins'],
    failed: 'The person could not be removed',
  });
}
