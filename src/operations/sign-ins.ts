import type {
  IdentityInput,
  IdentityListAnswer,
  ListIdentitiesInput,
  ListSignInsInput,
  SignInInput,
  SignInListAnswer,
} from '../domain/records/collections.ts';
import { forgetIdentity, listIdentities, showIdentity } from '../domain/people/identities.ts';
import { endSignIn, listSignIns, showSignIn } from '../domain/people/sign-ins.ts';
import { groups } from './groups.ts';
import type { Context, ServiceContext, Tag } from './declaration/operation.ts';
import type { PlannerOperation, ReadService, WriteService } from './declaration/planner-operation.ts';
import { servicePage, serviceTag } from './pipeline/service-list.ts';

/** The list differs per browser: it marks the caller's own sign-in. */
const signInsTag = ({ records, now }: ServiceContext, { caller }: Context): Tag =>
  serviceTag(listSignIns(records, now), caller.id);

const list: ReadService<ListSignInsInput, SignInListAnswer> = {
  name: 'list_sign_ins',
  summary: 'Browsers in which a person is signed in',
  group: groups.service,
  input: 'ListSignInsInput',
  output: 'SignInListAnswer',
  scope: 'service',
  effect: 'read',
  rest: { method: 'GET', path: '/sign-ins' },
  tag: (desk, _input, context) => signInsTag(desk, context),
  run: (desk, input, context) => {
    const show = (record: Parameters<typeof showSignIn>[0]): ReturnType<typeof showSignIn> =>
      showSignIn(record, context.caller.id);
    const live = listSignIns(desk.records, desk.now);
    const { rows, ...more } = servicePage(live, input, context, show, signInsTag(desk, context));
    return { sign_ins: rows, ...more };
  },
};

const end: WriteService<SignInInput, void> = {
  name: 'end_sign_in',
  summary: 'Sign a browser out: the next call from it is rejected',
  group: groups.service,
  input: 'SignInInput',
  scope: 'service',
  effect: 'write',
  rest: { method: 'DELETE', path: '/sign-ins/:sign_in_id' },
  run: ({ records }, { sign_in_id: id }) => endSignIn(records, id),
};

const identities: ReadService<ListIdentitiesInput, IdentityListAnswer> = {
  name: 'list_identities',
  summary: "Accounts that the owners' e-mail addresses are bound to",
  group: groups.service,
  input: 'ListIdentitiesInput',
  output: 'IdentityListAnswer',
  scope: 'service',
  effect: 'read',
  rest: { method: 'GET', path: '/identities' },
  tag: ({ records }) => serviceTag(listIdentities(records)),
  run: ({ records }, input, context) => {
    const { rows, ...more } = servicePage(listIdentities(records), input, context, showIdentity);
    return { identities: rows, ...more };
  },
};

const forget: WriteService<IdentityInput, void> = {
  name: 'forget_identity',
  summary: 'Release an e-mail address to the next account that signs in with it',
  group: groups.service,
  input: 'IdentityInput',
  scope: 'service',
  effect: 'write',
  rest: { method: 'DELETE', path: '/identities/:identity_id' },
  run: ({ records }, { identity_id: id }) => forgetIdentity(records, id),
};

export const signInOperations: readonly PlannerOperation[] = [list, end, identities, forget];
