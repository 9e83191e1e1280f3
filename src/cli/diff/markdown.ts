import type { FieldDiff, PlanDiff, PlanDiffSide, UnreadableFile } from '../../schema/types.ts';
import { counted } from '../terminal/show-text.ts';
import { headlineOf, isEmpty, shownProject, shownValue, wordsText } from './diff-model.ts';
import type { ShownFact, ShownGroup, ShownRecord, ShownText, ShownValue } from './diff-model.ts';
import { codeOf, escapeMarkdown, shortened } from './markdown-text.ts';
import type { Excerpt } from './words.ts';

/** By this line a program finds its comment, to replace it. */
const marker = '<!-- planner diff -->';
/** The most characters of a comment on GitHub, less some for a line that others add. */
const charactersMax = 65_000;
/** The characters of the sentence about omitted records. */
const reserved = 400;
const titleMax = 160;
const valueMax = 200;
/** A command that people run is not cut at its dangerous end. */
const gateMax = 2000;
const excerptsMax = 6;
const passageMax = 600;
const filesMax = 20;

/** A part of the comment that is shown whole or not at all. */
interface Block {
  readonly text: string;
  /** The record that it shows, by kind. */
  readonly kind?: string;
}

/** The difference of two plans as a comment on a pull request. */
export function markdownOf(diff: PlanDiff): string {
  const sides = [diff.before, diff.after].map(sideText);
  if (isEmpty(diff) && diff.unreadable.length === 0)
    return `${marker}\n**Plan:** no difference between ${sides.join(' and ')}.${rewrittenNote(diff)}`;
  const headline = headlineOf(diff) || 'no record differs';
  const head = `${marker}\n### Plan: ${headline}\n\n${sides.join(' → ')}`;
  return bounded(head, blocksOf(diff));
}

/** A commit is named by its id: names of branches in CI say nothing to a reader, and change. */
function sideText({ revision, commit }: PlanDiffSide): string {
  return codeOf(commit?.slice(0, 10) ?? shortened(revision ?? 'working tree', titleMax));
}

/** Problems, settings and gates come first, so that they are never left out. */
function blocksOf(diff: PlanDiff): readonly Block[] {
  const hasProjects = diff.projects.length > 1;
  return [
    ...problemBlocks('⚠ Not compared', diff.unreadable),
    ...settingBlocks(diff.settings),
    ...gateBlocks(diff),
    ...diff.projects
      .map(shownProject)
      .flatMap(({ project, groups, moved }) => [
        ...(hasProjects ? [{ text: `\n### Project ${escapeMarkdown(shortened(project.name, titleMax))}` }] : []),
        ...groups.flatMap(groupBlocks),
        ...(moved > 0 ? [{ text: `\n${counted(moved, 'position')} or sizes on the canvas changed.` }] : []),
      ]),
    ...problemBlocks('Ignored values', diff.notes),
    ...(diff.rewritten.length > 0 ? [{ text: `\n${rewrittenNote(diff).trim()}` }] : []),
  ];
}

function bounded(head: string, blocks: readonly Block[]): string {
  const shown = [head];
  let characters = head.length;
  for (const [at, { text }] of blocks.entries()) {
    characters += text.length + 1;
    if (characters > charactersMax - reserved) return [...shown, omitted(blocks.slice(at))].join('\n');
    shown.push(text);
  }
  return shown.join('\n');
}

/** The sentence about the omitted records. */
function omitted(blocks: readonly Block[]): string {
  const kinds = Map.groupBy(
    blocks.filter(({ kind }) => kind !== undefined),
    ({ kind }) => kind!,
  );
  const counts = Array.from(kinds, ([kind, own]) => counted(own.length, kind));
  const what = counts.length === 0 ? 'The rest' : `The rest (${counts.join(', ')})`;
  return `\n**${what} is left out**, since a comment has a limit: <code>planner diff</code> shows everything.`;
}

function groupBlocks({ heading, goal, records }: ShownGroup): readonly Block[] {
  const title = goal === undefined ? titleText(heading) : `${recordTitle(goal)}${asideText(goal)}`;
  const details = goal === undefined ? [] : detailsOf(goal, '');
  const head = [
    `\n#### ${title}`,
    ...(details.length > 0 ? ['', ...details] : []),
    ...(records.length > 0 ? [''] : []),
  ].join('\n');
  return [
    { text: head, ...(goal && { kind: 'goal' }) },
    ...records.map((shown) => ({ text: recordText(shown), kind: shown.record.kind })),
  ];
}

function titleText(title: string): string {
  return escapeMarkdown(shortened(title.trim(), titleMax));
}

function recordTitle({ record }: ShownRecord): string {
  const title = titleText(record.title);
  return record.change === 'deleted' ? `<del>${title}</del>` : title;
}

function recordText(shown: ShownRecord): string {
  const line = `- **${recordTitle(shown)}**${asideText(shown)}`;
  return [line, ...detailsOf(shown, '  ')].join('\n');
}

/** The rest of a record's line: its status and short values. */
function asideText({ record, status, facts, values, texts }: ShownRecord): string {
  const parts: string[] = [];
  if (record.change === 'deleted')
    parts.push(`deleted${status?.before === undefined ? '' : `, was ${codeOf(status.before)}`}`);
  if (record.change === 'created') parts.push('new');
  if (record.change !== 'deleted' && status !== undefined) parts.push(arrowText(status, record.change === 'created'));
  if (record.change === 'created') {
    for (const { field, after } of values)
      if (after !== undefined) parts.push(`${escapeMarkdown(field)} ${valueCode(after)}`);
    for (const { field, change } of texts) parts.push(`${escapeMarkdown(field)} of ${counted(change.added, 'word')}`);
  }
  if (record.change !== 'deleted') for (const fact of facts) parts.push(factText(fact));
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`;
}

function arrowText({ before = 'none', after = 'none' }: ShownValue, isNew: boolean): string {
  return isNew ? codeOf(after) : codeOf(`${before} → ${after}`);
}

function factText({ words, title }: ShownFact): string {
  const shown = escapeMarkdown(words);
  return title === undefined ? shown : `${shown} “${titleText(title)}”`;
}

/** A value of more than `most` characters is cut, and says so. */
function valueCode(value: string | undefined, most = valueMax): string {
  if (value === undefined) return 'none';
  const shown = shortened(value, most);
  return shown === value ? codeOf(value) : `${codeOf(shown)} (${value.length} characters)`;
}

/** The values and texts of a record that changed, each in a line. */
function detailsOf({ record, values, texts }: ShownRecord, indent: string): readonly string[] {
  if (record.change !== 'changed') return [];
  const changed = values.map(
    ({ field, before, after }) => `${escapeMarkdown(field)} ${valueCode(before)} → ${valueCode(after)}`,
  );
  return [
    ...(changed.length > 0 ? [`${indent}- ${changed.join('; ')}`] : []),
    ...texts.map((text) => `${indent}- ${textChange(text)}`),
  ];
}

/** A change of words is folded. All of it is one block of HTML in one line, in which no Markdown is read. */
function textChange({ field, change }: ShownText): string {
  const summary = `${escapeMarkdown(field)}: ${wordsText(change)}`;
  if (change.isSpacing) return summary;
  const { excerpts } = change;
  const shown = excerpts.slice(0, excerptsMax).map((excerpt) => `<p>${excerptText(excerpt)}</p>`);
  const more = excerpts.length - excerptsMax;
  const rest = more > 0 ? `<p>… and ${counted(more, 'passage')} more</p>` : '';
  return `<details><summary>${summary}</summary>${shown.join('')}${rest}</details>`;
}

function excerptText(excerpt: Excerpt): string {
  const tags = { same: '', removed: 'del', added: 'ins' } as const;
  return excerpt
    .map(({ change, text }) => {
      const trimmed = text.trimStart();
      const space = text.length > trimmed.length ? ' ' : '';
      const shown = escapeMarkdown(shortened(trimmed, passageMax));
      return change === 'same' ? `${space}${shown}` : `${space}<${tags[change]}>${shown}</${tags[change]}>`;
    })
    .join('');
}

function settingBlocks(settings: readonly FieldDiff[]): readonly Block[] {
  if (settings.length === 0) return [];
  const lines = settings.map(({ field, before, after }) => {
    const [from, to] = [before, after].map((value) => valueCode(JSON.stringify(value)));
    return { text: `- ${codeOf(shortened(field, valueMax))} ${from} → ${to}`, kind: 'setting' };
  });
  return [{ text: '\n#### Settings in <code>.planner/config.json</code>\n' }, ...lines];
}

/** Fields with a command that people run to verify work. */
const gateFields: ReadonlySet<string> = new Set(['verification_surface', 'gate']);

/** A command that someone will run is read before it is merged, however long the comment is. */
function gateBlocks({ projects }: PlanDiff): readonly Block[] {
  const lines = projects.flatMap(({ records }) =>
    records.flatMap((record) =>
      record.fields
        .filter(({ field }) => gateFields.has(field) && record.change !== 'deleted')
        .map((field) => {
          const { before, after } = shownValue(field);
          const [from, to] = [before, after].map((value) => valueCode(value, gateMax));
          return { text: `- ${record.kind} “${titleText(record.title)}”: ${from} → ${to}`, kind: 'gate' };
        }),
    ),
  );
  return lines.length === 0 ? [] : [{ text: '\n#### ⚠ How work is verified\n' }, ...lines];
}

function problemBlocks(title: string, problems: readonly UnreadableFile[]): readonly Block[] {
  if (problems.length === 0) return [];
  const lines = problems.map(({ side, path, line, reason, title: named }) => {
    const at = codeOf(shortened(line === undefined ? path : `${path}:${line}`, passageMax));
    const what = named === undefined ? '' : ` “${titleText(named)}”`;
    const where = side === 'both' ? 'on both sides' : side;
    return { text: `- ${at}${what} (${where}): ${escapeMarkdown(shortened(reason, passageMax))}`, kind: 'file' };
  });
  return [{ text: `\n#### ${title}\n` }, ...lines];
}

function rewrittenNote({ rewritten }: PlanDiff): string {
  if (rewritten.length === 0) return '';
  const named = rewritten.slice(0, filesMax).map((path) => codeOf(shortened(path, valueMax)));
  const more = rewritten.length - filesMax;
  const rest = more > 0 ? `, and ${more} more` : '';
  return ` Only written differently (formatting, or keys that Planner does not read): ${named.join(', ')}${rest}.`;
}
