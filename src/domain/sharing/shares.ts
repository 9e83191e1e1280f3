import { hash } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import { invalid, notFound, PlannerError } from '../../base/errors.ts';
import { randomToken } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { ServiceReadTransaction, StoredRecord } from '../../store/index.ts';
import type { PlanReadTransaction, PlanTransaction } from '../records/collections.ts';
import { guestMark, type GuestMark } from '../records/guest-texts.ts';

/** The types of resources that a share link can give access to. */
export const shareTargets = ['task', 'document', 'prototype'] as const;
export type ShareTarget = (typeof shareTargets)[number];

/** A link for guests without a credential. Stored by the service outside the plan, without its token. */
export interface ShareRecord extends StoredRecord {
  readonly project: string;
  /** `resource`: reads one task, document or prototype. `participants`: sees names and statuses, and submits. */
  readonly kind: 'resource' | 'participants';
  readonly target_type: ShareTarget | null;
  readonly target_id: string | null;
  /** The audience of a participant link. */
  readonly audience_name: string | null;
  readonly token_sha256: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
  /** Present if it was revoked because its resource was deleted. */
  readonly target_deleted?: true;
  /** Until then an ended link returns `gone`; afterwards it is unknown. */
  readonly drop_at: string;
}

/** The service collection of links, as declared to the store. */
export const shareCollection = {
  name: 'shares',
  placement: 'project',
  indexes: {
    token: ({ token_sha256: token }: ShareRecord) => token,
    project: ({ project }: ShareRecord) => project,
    target: ({ target_id: target }: ShareRecord) => target ?? undefined,
  },
} as const;

/** A new link with its token, which is returned only once. */
export interface Minted {
  readonly share: ShareRecord;
  readonly token: string;
}

/** The random part of a token has 256 bits. */
const tokenBytes = 32;
const tokenCharacters = Math.ceil((tokenBytes * 4) / 3);
const hourMs = 3_600_000;
const dayHours = 24;

/** Creates a link to one resource. Throws `not_found` if it does not exist, `invalid_argument` for an expiry out of bounds. */
export function shareResource(tx: PlanTransaction, type: ShareTarget, id: string, expires: string | undefined): Minted {
  if (tx.get(type, id) === undefined) throw notFound(type, id);
  return mint(tx, { kind: 'resource', target_type: type, target_id: id, audience_name: null }, expires);
}

/** Creates a link by which guests see the progress of the project and submit to it. */
export function inviteParticipants(tx: PlanTransaction, audience: string | null, expires: string | undefined): Minted {
  return mint(tx, { kind: 'participants', target_type: null, target_id: null, audience_name: audience }, expires);
}

function mint(
  tx: PlanTransaction,
  of: Pick<ShareRecord, 'kind' | 'target_type' | 'target_id' | 'audience_name'>,
  expires: string | undefined,
): Minted {
  const hours = expires === undefined ? limits.shareLinkHoursDefault : hoursOf(expires);
  const ends = Date.parse(tx.now) + hours * hourMs;
  // The token begins with the project's code, so that a store knows in which log the link is.
  const token = `${tx.code}${randomToken(tokenBytes)}`;
  const share = tx.service.put<ShareRecord>(shareCollection.name, {
    id: tx.newId('share'),
    created_at: tx.now,
    updated_at: tx.now,
    project: tx.project,
    ...of,
    token_sha256: hashOf(token),
    expires_at: isoTime(ends),
    revoked_at: null,
    drop_at: isoTime(ends + limits.endedLinkDays * dayHours * hourMs),
  });
  return { share, token };
}

/** Parses `<n>h` or `<n>d` to hours. Throws `invalid_argument` for anything else: every link expires. */
function hoursOf(expires: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})([hd])$/.exec(expires) ?? [];
  const hours = Number(count) * (unit === 'd' ? dayHours : 1);
  if (hours >= 1 && hours <= limits.shareLinkHoursMax) return hours;
  throw invalid(
    'expires',
    `expires must be <n>h or <n>d, from 1h to ${limits.shareLinkHoursMax / dayHours}d (default ${limits.shareLinkHoursDefault}h): every link ends.`,
  );
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The state of a link. */
export type ShareState = 'live' | 'expired' | 'revoked';

export function stateOf({ revoked_at: revoked, expires_at: expires }: ShareRecord, now: string): ShareState {
  if (revoked !== null) return 'revoked';
  return expires <= now ? 'expired' : 'live';
}

/** The names of the kinds of links in errors. */
const resourceNames = { resource: 'share', participants: 'participant_link' } as const;

/** The code of the project whose log has the link with this token. */
export function codeOfToken(token: string): string {
  return token.slice(0, -tokenCharacters);
}

/** The live link with a token. Throws `not_found` for an unknown one or one of another kind, `gone` for one that has ended. */
export function openLink(
  service: ServiceReadTransaction,
  kind: ShareRecord['kind'],
  token: string,
  now: string,
): ShareRecord {
  const share = service.by<ShareRecord>(shareCollection.name, 'token', hashOf(token)).find((one) => one.kind === kind);
  if (share === undefined) throw notFound(resourceNames[kind], token);
  const state = stateOf(share, now);
  if (state === 'live') return share;
  if (share.target_deleted) throw gone(`The ${share.target_type} of this link was deleted.`);
  throw gone(`This link ${state === 'expired' ? `expired at ${share.expires_at}` : 'was revoked'}. Ask for a new one.`);
}

/** `gone`: the link was valid and has ended. */
export function gone(message: string): PlannerError {
  return new PlannerError('gone', message);
}

/** The project's links, live and ended, by created_at, id. */
export function sharesOf(view: PlanReadTransaction): ShareRecord[] {
  return view.service
    .by<ShareRecord>(shareCollection.name, 'project', view.project)
    .sort((a, b) => (`${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1));
}

/** Revokes a link. One that has ended already is unchanged. Throws `not_found`. */
export function revokeShare(tx: PlanTransaction, id: string): void {
  const share = tx.service.get<ShareRecord>(shareCollection.name, id);
  if (share?.project !== tx.project) throw notFound('share', id);
  revoke(tx, share);
}

/** Revokes all links to a resource that is deleted or restored: restoring it does not share it again. */
export function revokeSharesOf(tx: PlanTransaction, target: string): void {
  for (const share of tx.service.by<ShareRecord>(shareCollection.name, 'target', target))
    if (share.project === tx.project) revoke(tx, share, { target_deleted: true });
}

function revoke(tx: PlanTransaction, share: ShareRecord, why: Pick<ShareRecord, 'target_deleted'> = {}): void {
  if (stateOf(share, tx.now) !== 'live') return;
  tx.service.put<ShareRecord>(shareCollection.name, { ...share, ...why, updated_at: tx.now, revoked_at: tx.now });
}

/** The title of a link's resource, undefined if that was deleted, with the mark of a task whose title a guest wrote. */
export function titleOfTarget(
  view: PlanReadTransaction,
  { target_type: type, target_id: id }: ShareRecord,
): { readonly title: string; readonly mark?: GuestMark | undefined } | undefined {
  const target = id ?? '';
  if (type === 'task') {
    const task = view.get('task', target);
    return task && { title: task.label, mark: guestMark(view, task) };
  }
  const title = type === 'document' ? view.get('document', target)?.title : view.get('prototype', target)?.name;
  return title === undefined ? undefined : { title };
}
