import { artifactPage } from '../domain/sharing/artifact-page.ts';
import {
  artifactById,
  artifactRow,
  createArtifact,
  deleteArtifact,
  showArtifact,
  shownPrototype,
  updateArtifact,
} from '../domain/content/artifacts.ts';
import type {
  ArtifactAnswer,
  ArtifactInput,
  ArtifactListAnswer,
  CopyScreenInput,
  CreateArtifactInput,
  DeletedAnswer,
  ListArtifactsInput,
  MoveScreenInput,
  PlanReadTransaction,
  RenderArtifactInput,
  UpdateArtifactInput,
} from '../domain/records/collections.ts';
import { backlinksOf, linksOf } from '../domain/links/edges.ts';
import { copyScreen, moveScreen } from '../domain/content/prototypes.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag, versionsTag } from './pipeline/list-tag.ts';
import type { Context, RawResponse, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

const locate = { member: 'artifact_id', resource: 'artifact' } as const;

function artifactTag(view: PlanReadTransaction, { artifact_id: id }: { readonly artifact_id: string }): Tag {
  const artifact = artifactById(view, id);
  return resourceTag(artifact, [linksOf(view, id), backlinksOf(view, id), shownPrototype(view, artifact)]);
}

/** An agent that has sent or copied the content does not need it in the result. */
const withContent = ({ transport }: Context): { readonly content: boolean } => ({ content: transport !== 'mcp' });

const create: Write<CreateArtifactInput, ArtifactAnswer> = {
  name: 'create_artifact',
  summary: 'Create an artifact',
  group: groups.artifacts,
  input: 'CreateArtifactInput',
  output: 'ArtifactAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/artifacts',
    bare: 'artifact',
    example: {
      title: 'Checkout',
      kind: 'html',
      content: '<!doctype html>\n<title>Checkout</title>\n<p>Pay now</p>',
    },
  },
  mcp: {
    title: 'Create artifact',
    texts: true,
    description:
      'Creates a deliverable: markdown (default) or html, for a sandbox without network. Screens link by planner://artifact/<id or title>.',
  },
  run: (tx, input, context) => ({ artifact: showArtifact(tx, createArtifact(tx, input), withContent(context)) }),
};

const get: Read<ArtifactInput, ArtifactAnswer> = {
  name: 'get_artifact',
  summary: 'One artifact with its content',
  group: groups.artifacts,
  input: 'ArtifactInput',
  output: 'ArtifactAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/artifacts/:artifact_id', bare: 'artifact' },
  mcp: { title: 'Get artifact', texts: true, description: 'One artifact with its content, to be revised.' },
  tag: artifactTag,
  run: (view, { artifact_id: id }) => ({ artifact: showArtifact(view, artifactById(view, id)) }),
};

const update: Write<UpdateArtifactInput, ArtifactAnswer> = {
  name: 'update_artifact',
  summary: 'Change an artifact',
  group: groups.artifacts,
  input: 'UpdateArtifactInput',
  output: 'ArtifactAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/artifacts/:artifact_id', bare: 'artifact' },
  mcp: {
    title: 'Update artifact',
    texts: true,
    description: 'Revises an artifact, for instance to address its comments; content replaces the whole content.',
    idempotent: true,
  },
  tag: artifactTag,
  run: (tx, input, context) => ({ artifact: showArtifact(tx, updateArtifact(tx, input), withContent(context)) }),
};

const artifactsTag = (view: PlanReadTransaction): Tag => listTag(view, 'artifact');

const list: Read<ListArtifactsInput, ArtifactListAnswer> = {
  name: 'list_artifacts',
  summary: 'Artifacts of a project',
  group: groups.artifacts,
  input: 'ListArtifactsInput',
  output: 'ArtifactListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/artifacts' },
  mcp: { title: 'List artifacts', description: 'Artifacts by created_at, without content.' },
  tag: artifactsTag,
  run: listResponse,
};

function listResponse(view: PlanReadTransaction, input: ListArtifactsInput, context: Context): ArtifactListAnswer {
  const changed = changedSince(view, 'artifact', input, artifactsTag(view));
  if (changed !== undefined) {
    const { changed: artifacts, removed } = delta(changed, (id) => view.get('artifact', id), artifactRow);
    return { artifacts, removed };
  }
  const page = pageOf(view.list('artifact', positionAfter(input)), input, context, {
    show: artifactRow,
    position: positionOf,
  });
  return { artifacts: page.rows, ...nextCursor(page) };
}

const remove: Write<ArtifactInput, DeletedAnswer> = {
  name: 'delete_artifact',
  summary: 'Delete an artifact with its edges and the comments on it',
  group: groups.artifacts,
  input: 'ArtifactInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/artifacts/:artifact_id', headers: trashHeader },
  ...deletion(({ artifact_id: id }) => id, deleteArtifact),
};

/**
 * Restricts a rendered artifact: its scripts run in an opaque origin. It cannot send requests to this or any other service, has no storage
 * and cannot open windows. Only pages of this service can frame it.
 */
const sandbox = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  'media-src data: blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const render: Read<RenderArtifactInput, RawResponse, 'renderings'> = {
  name: 'render_artifact',
  summary: 'An artifact as a page in a sandbox',
  group: groups.artifacts,
  input: 'RenderArtifactInput',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/artifacts/:artifact_id/render', raw: true, framed: true, produces: ['text/html'] },
  renders: true,
  // Its links name screens, which may be renamed, and images, which may be added.
  tag: (view, { artifact_id: id }) => resourceTag(artifactById(view, id), [versionsTag(view, 'artifact', 'file').own]),
  run: (view, { artifact_id: id, embed = false }, { baseUrl, renderings }) => ({
    type: 'text/html; charset=utf-8',
    content: artifactPage(view, artifactById(view, id), { baseUrl, embed, renderings }),
    headers: { 'Content-Security-Policy': sandbox, Vary: 'Sec-Fetch-Dest' },
  }),
};

const move: Write<MoveScreenInput, ArtifactAnswer> = {
  name: 'move_screen',
  summary: 'Move a screen to another prototype',
  group: groups.artifacts,
  input: 'MoveScreenInput',
  output: 'ArtifactAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'POST', path: '/artifacts/:artifact_id/move', bare: 'artifact', status: 200 },
  mcp: {
    title: 'Move screen',
    texts: true,
    description: 'Moves a screen to another prototype; id and comments stay.',
    idempotent: true,
  },
  run: (tx, input, context) => ({ artifact: showArtifact(tx, moveScreen(tx, input), withContent(context)) }),
};

const copy: Write<CopyScreenInput, ArtifactAnswer> = {
  name: 'copy_screen',
  summary: 'Copy a screen into a prototype',
  group: groups.artifacts,
  input: 'CopyScreenInput',
  output: 'ArtifactAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'POST', path: '/artifacts/:artifact_id/copy', bare: 'artifact' },
  mcp: {
    title: 'Copy screen',
    texts: true,
    description: 'Copies a screen into a prototype: a new id, no comments.',
  },
  run: (tx, input, context) => ({ artifact: showArtifact(tx, copyScreen(tx, input), withContent(context)) }),
};

export const artifactOperations: readonly PlannerOperation[] = [create, get, update, list, remove, render];

/** The operations on artifacts that are screens of a prototype. */
export const screenOperations: readonly PlannerOperation[] = [move, copy];
