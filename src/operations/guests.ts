import type {
  FileRecord,
  LinkFileInput,
  LinkInput,
  LinkScreenInput,
  ParticipateInput,
  Participation,
  ParticipationInput,
  PlannerCollections,
  SubmissionAnswer,
  TaskRecord,
} from '../domain/collections.ts';
import { withHtmlUrls } from '../domain/html-urls.ts';
import { projectOf } from '../domain/projects.ts';
import { embeddedFile, fileIdOf, sharedResource, type SharedResource } from '../domain/shared-resource.ts';
import { type Rewrite, sharedMarkdown, textMarkdown } from '../domain/shared-markdown.ts';
import { createSubmission, requireRoom, showSubmission } from '../domain/submissions.ts';
import { notFound } from '../errors.ts';
import { limits } from '../limits.ts';
import type { View } from '../store/view.ts';
import { hashOf, ownTag } from './entity-tag.ts';
import { fileAnswer } from './file-answer.ts';
import { versionsTag } from './list-tag.ts';
import type { Context, RawAnswer, Tag } from './operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './page.ts';
import type { PlannerOperation, Read, Write } from './planner-operation.ts';

type V = View<PlannerCollections>;

const byShare = { kind: 'resource' } as const;
const byParticipantLink = { kind: 'participants' } as const;

/** What the guest's link hands out. The dispatcher let nobody in without one. */
function resourceOf(view: V, { link }: Context): SharedResource {
  return sharedResource(view, link!);
}

/** URLs as who has the link can follow them: absolute, and files of the service by the link's own token. */
function rewriteFor(view: V, { baseUrl }: Context, token: string): Rewrite {
  return (url) => {
    if (url === '') return url;
    if (url.startsWith('#')) return `${baseUrl}/api/v1/share/${token}.md${url}`;
    const file = fileIdOf(url, baseUrl);
    if (file !== undefined && view.get('file', file) !== undefined)
      return `${baseUrl}/api/v1/share/${token}/files/${file}`;
    return URL.canParse(url) ? url : (URL.parse(url, `${baseUrl}/`)?.href ?? url);
  };
}

function instructionFor({ type }: SharedResource, { link }: Context): string {
  return (
    `You are reading one ${type} that was shared with you from Planner, as Markdown. It is all there is to read: the link opens nothing else, ` +
    `and ends at ${link!.expires_at}. Fetch every embedded image below (![…](…) and <img>; no credential is needed) before you begin: ` +
    'images are part of it.'
  );
}

/** Changes with everything that is handed out. */
function shareTag(view: V, _: LinkInput, context: Context): Tag {
  const { records } = resourceOf(view, context);
  const [own = '', ...others] = records.map(ownTag);
  return { own, rest: hashOf([context.baseUrl, others]) };
}

const readMarkdown: Read<LinkInput, RawAnswer> = {
  name: 'read_share',
  summary: 'What a share link hands out, as Markdown for an agent',
  input: 'LinkInput',
  target: 'project',
  access: 'read',
  link: byShare,
  rest: { method: 'GET', path: '/share/:token.md', raw: true, produces: ['text/markdown'] },
  tag: shareTag,
  run: (view, { token }, context) => {
    const resource = resourceOf(view, context);
    const rewrite = rewriteFor(view, context, token);
    return {
      type: 'text/markdown; charset=utf-8',
      content: sharedMarkdown(resource, rewrite, instructionFor(resource, context)),
      headers: { 'Cache-Control': 'no-store' },
    };
  },
};

/** The file that a guest asks for. Throws `not_found` for one that what they were shown does not embed. */
function embedded(view: V, { file_id: id }: LinkFileInput, context: Context): FileRecord {
  const file = embeddedFile(view, resourceOf(view, context), id, context.baseUrl);
  if (file === undefined) throw notFound('file', id);
  return file;
}

const readFile: Read<LinkFileInput, RawAnswer> = {
  name: 'read_share_file',
  summary: 'A file that is embedded in what a share link hands out',
  input: 'LinkFileInput',
  target: 'project',
  access: 'read',
  link: byShare,
  rest: { method: 'GET', path: '/share/:token/files/:file_id', raw: true },
  tag: (view, input, context) => ({ own: embedded(view, input, context).sha256.slice(0, 32), rest: '0' }),
  run: (view, input, context) => {
    const file = embedded(view, input, context);
    const bytes = view.bytes('file', file.id);
    if (bytes === undefined) throw notFound('file', file.id);
    const answer = fileAnswer(file, bytes);
    // Whoever shows the Markdown shows its images, wherever that is; who has the URL may see it anyway.
    return { ...answer, headers: { ...answer.headers, 'Cross-Origin-Resource-Policy': 'cross-origin' } };
  },
};

/** What the page of a share link shows. Markdown has its URLs rewritten. */
export interface ShownShare {
  readonly type: SharedResource['type'];
  readonly title: string;
  readonly status: string | null;
  readonly viewport: SharedResource['viewport'];
  readonly texts: readonly { readonly heading: string | null; readonly markdown: string }[];
  readonly screens: readonly { readonly id: string; readonly title: string }[];
  readonly expires_at: string;
}

const show: Read<LinkInput, ShownShare> = {
  name: 'show_share',
  summary: 'What a share link hands out, for its page',
  input: 'LinkInput',
  target: 'project',
  access: 'read',
  link: byShare,
  tag: shareTag,
  run: (view, { token }, context) => {
    const { type, title, status, viewport, texts, screens } = resourceOf(view, context);
    const rewrite = rewriteFor(view, context, token);
    return {
      ...{ type, title, status, viewport },
      texts: texts.map((text) => ({ heading: text.heading, markdown: textMarkdown(text, rewrite) })),
      screens: screens.map((screen) => ({ id: screen.id, title: screen.title })),
      expires_at: context.link!.expires_at,
    };
  },
};

/** A screen of a shared prototype as a browser shows it. */
export interface ShownScreen {
  readonly title: string;
  readonly html: string;
}

const screenLink = /^planner:\/\/artifact\/(.+)$/;

const showScreen: Read<LinkScreenInput, ShownScreen> = {
  name: 'show_share_screen',
  summary: 'One screen of a shared prototype, for its page',
  input: 'LinkScreenInput',
  target: 'project',
  access: 'read',
  link: byShare,
  run: (view, { token, artifact_id: id }, context) => {
    const { screens } = resourceOf(view, context);
    const screen = screens.find((one) => one.id === id);
    if (screen === undefined) throw notFound('artifact', id);
    const rewrite = rewriteFor(view, context, token);
    const html = withHtmlUrls(screen.html, (url) => {
      const [, named] = screenLink.exec(url) ?? [];
      const target = named === undefined ? undefined : screenNamed(screens, named);
      return target === undefined ? rewrite(url) : `${context.baseUrl}/s/${token}/screens/${target}`;
    });
    return { title: screen.title, html };
  },
};

/** The id of the screen that a link between screens names, by its id or its title. */
function screenNamed(screens: SharedResource['screens'], named: string): string | undefined {
  let name = named;
  try {
    name = decodeURIComponent(named);
  } catch {
    // What is no percent-encoding is meant as it stands.
  }
  const screen = screens.find(({ id }) => id === name) ?? screens.find(({ title }) => title === name);
  return screen?.id;
}

const participation: Read<ParticipationInput, Participation> = {
  name: 'get_participation',
  summary: 'What participants see: names of the project and its goals, labels and statuses of its tasks',
  input: 'ParticipationInput',
  output: 'Participation',
  target: 'project',
  access: 'read',
  link: byParticipantLink,
  rest: { method: 'GET', path: '/participate/:token' },
  tag: (view) => versionsTag(view, 'project', 'goal', 'task'),
  run: (view, input, context) => {
    const page = pageOf(view.list('task', positionAfter(input)), input, context, {
      show: ({ label, status }: TaskRecord) => ({ label, status }),
      position: positionOf,
    });
    return {
      project: { name: projectOf(view).name },
      audience_name: context.link!.audience_name,
      expires_at: context.link!.expires_at,
      goals: [...view.list('goal')].flatMap(({ name }) => (name === null ? [] : [{ name }])),
      tasks: page.rows,
      tasks_total: view.count('task'),
      ...nextCursor(page),
    };
  },
};

const participate: Write<ParticipateInput, SubmissionAnswer> = {
  name: 'participate',
  summary: 'Submit to a project, as a guest',
  input: 'ParticipateInput',
  output: 'SubmissionAnswer',
  target: 'project',
  access: 'write',
  link: { ...byParticipantLink, perMinuteMax: limits.guestSubmissionsPerMinuteMax },
  rest: { method: 'POST', path: '/participate/:token/submissions', bare: 'submission' },
  run: (tx, { token: _, ...input }) => {
    requireRoom(tx);
    return { submission: showSubmission(tx, createSubmission(tx, input)) };
  },
};

export const guestOperations: readonly PlannerOperation[] = [
  ...[readMarkdown, readFile, show, showScreen],
  ...[participation, participate],
];
