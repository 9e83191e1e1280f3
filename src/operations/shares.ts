import { sharedTextAddress } from '../base/addresses.ts';
import type {
  CreateParticipantLinkInput,
  CreateShareLinkInput,
  ListSharesInput,
  ParticipantLink,
  PlanReadTransaction,
  PlanTransaction,
  Share,
  ShareDocumentInput,
  ShareInput,
  ShareLink,
  ShareListAnswer,
  SharePrototypeInput,
  ShareTaskInput,
} from '../domain/records/collections.ts';
import { projectOf } from '../domain/plan/projects.ts';
import {
  inviteParticipants,
  revokeShare,
  shareCollection,
  type Minted,
  type ShareRecord,
  shareResource,
  sharesOf,
  shareTargets,
  type ShareTarget,
  stateOf,
  titleOfTarget,
} from '../domain/sharing/shares.ts';
import { invalid } from '../base/errors.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isCurrent } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

/** The URLs of a new link. */
function linkAnswer({ share, token }: Minted, { baseUrl }: Context): ShareLink {
  return {
    id: share.id,
    url: `${baseUrl}/s/${token}`,
    markdown_url: baseUrl + sharedTextAddress(token),
    expires_at: share.expires_at,
  };
}

const mint: Write<CreateShareLinkInput, ShareLink> = {
  name: 'create_share_link',
  summary: 'Create a link to one task, document or prototype',
  group: groups.sharing,
  input: 'CreateShareLinkInput',
  output: 'ShareLink',
  scope: 'project',
  effect: 'write',
  secret: true,
  sharesOutward: true,
  locate: [
    { member: 'task_id', resource: 'task' },
    { member: 'document_id', resource: 'document' },
    { member: 'prototype_id', resource: 'prototype' },
  ],
  mcp: {
    title: 'Create share link',
    description:
      'Shares one task, document or prototype without access to the rest. Returns once: {url} for people, {markdown_url} for agents, expires_at.',
  },
  run: (tx, input, context) => {
    const given = shareTargets.filter((type) => input[`${type}_id`] !== undefined);
    const [type] = given;
    if (type === undefined || given.length > 1) {
      throw invalid(
        `${given[1] ?? 'task'}_id`,
        'A link shares one resource: give exactly one of task_id, document_id, prototype_id.',
      );
    }
    return linkAnswer(shareResource(tx, type, input[`${type}_id`]!, input.expires), context);
  },
};

/** The operation as a route of each resource. */
function shareRoute<I extends { readonly expires?: string }>(
  type: ShareTarget,
  input: string,
  path: string,
): Write<I, ShareLink> {
  const member = `${type}_id` as Extract<keyof I, string>;
  return {
    name: `share_${type}`,
    summary: `Create a link to one ${type}`,
    group: groups.sharing,
    input,
    output: 'ShareLink',
    scope: 'project',
    effect: 'write',
    secret: true,
    sharesOutward: true,
    locate: { member, resource: type },
    rest: { method: 'POST', path },
    run: (tx: PlanTransaction, given, context) =>
      linkAnswer(shareResource(tx, type, given[member] as string, given.expires), context),
  };
}

const shareTask = shareRoute<ShareTaskInput>('task', 'ShareTaskInput', '/tasks/:task_id/share');
const shareDocument = shareRoute<ShareDocumentInput>('document', 'ShareDocumentInput', '/documents/:document_id/share');
const sharePrototype = shareRoute<SharePrototypeInput>(
  'prototype',
  'SharePrototypeInput',
  '/prototypes/:prototype_id/share',
);

const invite: Write<CreateParticipantLinkInput, ParticipantLink> = {
  name: 'create_participant_link',
  summary: 'Create a link for guests to see the progress of the project and submit to it',
  group: groups.participants,
  input: 'CreateParticipantLinkInput',
  output: 'ParticipantLink',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  secret: true,
  sharesOutward: true,
  rest: { method: 'POST', path: '/projects/:project_id/participant-links' },
  run: (tx, { audience_name: audience = null, expires }, { baseUrl }) => {
    projectOf(tx);
    const { share, token } = inviteParticipants(tx, audience, expires);
    return { id: share.id, url: `${baseUrl}/p/${token}`, expires_at: share.expires_at };
  },
};

/** The list changes when links are created, revoked or expire, and when shared resources are renamed or deleted. */
function sharesTag(view: PlanReadTransaction): Tag {
  const shown = sharesOf(view).map((share) => [share.id, stateOf(share, view.now), titleOfTarget(view, share)]);
  return { own: hashOf(shown), rest: '0' };
}

const list: Read<ListSharesInput, ShareListAnswer> = {
  name: 'list_shares',
  summary: 'Links of a project, active and ended',
  group: groups.sharing,
  input: 'ListSharesInput',
  output: 'ShareListAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/shares' },
  tag: sharesTag,
  run: (view, input, context) => {
    if (isCurrent(input, sharesTag(view))) return { shares: [], removed: [] };
    const after = positionAfter(input);
    const chosen = sharesOf(view).filter(
      (share) =>
        (input.state === undefined || stateOf(share, view.now) === input.state) &&
        (after === undefined || positionOf(share).join(' ') > positionOf(after).join(' ')),
    );
    const page = pageOf(chosen, input, context, { show: (share) => showShare(view, share), position: positionOf });
    return { shares: page.rows, ...nextCursor(page) };
  },
};

function showShare(view: PlanReadTransaction, share: ShareRecord): Share {
  const { id, kind, target_type, target_id, audience_name, created_at, updated_at, expires_at, revoked_at } = share;
  const target = titleOfTarget(view, share);
  return {
    ...{ id, project_id: view.project, kind, target_type, target_id },
    title: target?.title ?? null,
    ...{ audience_name, state: stateOf(share, view.now), created_at, updated_at, expires_at, revoked_at },
    ...target?.mark,
  };
}

const revoke: Write<ShareInput, void> = {
  name: 'revoke_share',
  summary: 'Revoke a link',
  group: groups.sharing,
  input: 'ShareInput',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate: { member: 'share_id', resource: 'share', service: shareCollection.name },
  rest: { method: 'DELETE', path: '/shares/:share_id' },
  run: (tx, { share_id: id }) => revokeShare(tx, id),
};

export const shareOperations: readonly PlannerOperation[] = [
  ...[mint, shareTask, shareDocument, sharePrototype, invite],
  ...[list, revoke],
];
