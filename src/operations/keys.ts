import type {
  CreateKeyInput,
  KeyInput,
  KeyListAnswer,
  ListKeysInput,
  NewKeyAnswer,
} from '../domain/records/collections.ts';
import { createKey, listKeys, revokeKey, showKey } from '../domain/people/keys.ts';
import { groups } from './groups.ts';
import type { PlannerOperation, ReadService, WriteService } from './declaration/planner-operation.ts';
import { servicePage, serviceTag } from './pipeline/service-list.ts';

const list: ReadService<ListKeysInput, KeyListAnswer> = {
  name: 'list_keys',
  summary: 'Keys of programs and agents, without their secrets',
  group: groups.keys,
  input: 'ListKeysInput',
  output: 'KeyListAnswer',
  scope: 'service',
  effect: 'read',
  rest: { method: 'GET', path: '/keys' },
  tag: ({ records }) => serviceTag(listKeys(records)),
  run: ({ records }, input, context) => {
    const { rows, ...more } = servicePage(listKeys(records), input, context, showKey);
    return { keys: rows, ...more };
  },
};

const create: WriteService<CreateKeyInput, NewKeyAnswer> = {
  name: 'create_key',
  summary: 'Create a key; only this response contains its secret',
  group: groups.keys,
  input: 'CreateKeyInput',
  output: 'NewKeyAnswer',
  scope: 'service',
  effect: 'write',
  secret: true,
  rest: { method: 'POST', path: '/keys', bare: 'key' },
  run: (desk, input) => {
    const { key, secret } = createKey(desk.records, input, desk);
    return { key: { ...showKey(key), secret } };
  },
};

const revoke: WriteService<KeyInput, void> = {
  name: 'revoke_key',
  summary: 'Revoke a key: the next call with it is rejected',
  group: groups.keys,
  input: 'KeyInput',
  scope: 'service',
  effect: 'write',
  rest: { method: 'DELETE', path: '/keys/:key_id' },
  run: ({ records }, { key_id: id }) => revokeKey(records, id),
};

export const keyOperations: readonly PlannerOperation[] = [list, create, revoke];
