import type { FieldDiff, PlanDiff, UnreadableFile } from '../../schema/types.ts';
import { counted } from '../terminal/show-text.ts';
import { heading, row, span } from '../terminal/style.ts';
import type { ShownLine, Span, Style } from '../terminal/style.ts';
import { headlineOf, isEmpty, shownProject, sidesText, wordsText } from './diff-model.ts';
import type { ShownFact, ShownGroup, ShownProject, ShownRecord, ShownText, ShownValue } from './diff-model.ts';
import type { Excerpt } from './words.ts';

const marks: Readonly<Record<string, string | Span>> = {
  created: { style: 'green', text: '+' },
  changed: { style: 'yellow', text: '~' },
  deleted: { style: 'red', text: '-' },
};
const statusStyles: Readonly<Record<string, Style>> = {
  done: 'green',
  complete: 'green',
  in_progress: 'yellow',
  blocked: 'red',
};
const titleWidthMax = 44;
/** The passages of a text that are shown. */
const excerptsMax = 4;
const filesMax = 20;

/** The difference of two plans as lines for a terminal. */
export function textLines(diff: PlanDiff, colours: boolean): readonly ShownLine[] {
  const [before, after] = sidesText(diff);
  const { unreadable, notes, rewritten } = diff;
  const further = [
    ...problemLines('Not compared', unreadable),
    ...problemLines('Ignored values', notes),
    ...rewrittenLines(rewritten),
  ];
  if (isEmpty(diff)) return [`The plan does not differ between ${before} and ${after}.`, ...further];
  const hasProjects = diff.projects.length > 1;
  return [
    row(span('bold', `${before} → ${after}`), `  ${headlineOf(diff)}`),
    ...diff.projects.flatMap((project) => projectLines(shownProject(project), hasProjects, colours)),
    ...settingLines(diff.settings),
    ...further,
  ];
}

function projectLines(shown: ShownProject, isNamed: boolean, colours: boolean): readonly ShownLine[] {
  const { project, groups, moved } = shown;
  const what = project.change === 'changed' ? '' : ` (${project.change})`;
  return [
    ...(isNamed ? ['', heading(`Project ${project.name}${what}`)] : []),
    ...groups.flatMap((group) => groupLines(group, colours)),
    ...(moved > 0 ? ['', row(span('dim', `On the canvas: ${moved} positions and sizes changed`))] : []),
  ];
}

function groupLines({ heading: title, goal, records }: ShownGroup, colours: boolean): readonly ShownLine[] {
  const width = Math.min(titleWidthMax, Math.max(0, ...records.map(({ record }) => record.title.length)));
  const head =
    goal === undefined
      ? row(span('bold', title))
      : row(marks[goal.record.change]!, ' ', span('bold', title), ...aside(goal));
  return [
    '',
    head,
    ...(goal === undefined ? [] : detailLines(goal, '    ', colours)),
    ...records.flatMap((record) => recordLines(record, width, colours)),
  ];
}

function recordLines(shown: ShownRecord, width: number, colours: boolean): readonly ShownLine[] {
  const { record } = shown;
  const beside = aside(shown);
  const title = beside.length === 0 ? record.title : record.title.padEnd(width);
  return [row('  ', marks[record.change]!, ` ${title}`, ...beside), ...detailLines(shown, '      ', colours)];
}

/** The rest of a record's line: its status, and for a new record its values. */
function aside({ record, status, facts, values, texts }: ShownRecord): readonly (string | Span)[] {
  const parts: (string | Span)[][] = [];
  if (record.change === 'deleted') return status?.before === undefined ? [] : [`  was ${status.before}`];
  if (status !== undefined) parts.push(arrow(status, record.change === 'created'));
  if (record.change === 'created') {
    for (const { field, after } of values)
      if (after !== undefined && after.length <= titleWidthMax) parts.push([span('dim', `${field} `), after]);
    for (const fact of facts) parts.push([factText(fact)]);
    for (const { field, change } of texts) parts.push([span('dim', `${field} `), counted(change.added, 'word')]);
  }
  return parts.flatMap((part, at) => [at === 0 ? '  ' : ', ', ...part]);
}

function arrow({ before, after = 'none' }: ShownValue, isNew: boolean): (string | Span)[] {
  const present = span(statusStyles[after], after);
  return isNew ? [present] : [`${before ?? 'none'} → `, present];
}

function factText({ words, title }: ShownFact): string {
  return title === undefined ? words : `${words} “${title}”`;
}

function detailLines(shown: ShownRecord, indent: string, colours: boolean): readonly ShownLine[] {
  const { record, facts, values, texts } = shown;
  const isNew = record.change === 'created';
  const listed = isNew ? values.filter(({ after = '' }) => after.length > titleWidthMax) : values;
  return [
    ...(isNew ? [] : facts.map((fact) => `${indent}${factText(fact)}`)),
    ...listed.map((value) => valueLine(indent, value)),
    ...(isNew ? [] : texts.flatMap((text) => textChangeLines(text, indent, colours))),
  ];
}

function valueLine(indent: string, { field, before, after }: ShownValue): ShownLine {
  return row(indent, span('dim', field), ` ${before ?? 'none'} → ${after ?? 'none'}`);
}

function textChangeLines({ field, change }: ShownText, indent: string, colours: boolean): readonly ShownLine[] {
  const head = row(indent, span('dim', field), ` ${wordsText(change)}`);
  if (change.isSpacing) return [head];
  const { excerpts } = change;
  const more = excerpts.length - excerptsMax;
  return [
    head,
    ...excerpts.slice(0, excerptsMax).map((excerpt) => excerptLine(`${indent}  `, excerpt, colours)),
    ...(more > 0 ? [row(indent, '  ', span('dim', `… and ${more} more passages`))] : []),
  ];
}

/** As `git diff --word-diff` marks words where there are no colours. */
function excerptLine(indent: string, excerpt: Excerpt, colours: boolean): ShownLine {
  const marked = (left: string, text: string, right: string): string => {
    const trimmed = text.trimStart();
    return colours ? text : `${text.slice(0, text.length - trimmed.length)}${left}${trimmed}${right}`;
  };
  const parts = excerpt.map(({ change, text }) => {
    if (change === 'removed') return span('red', marked('[-', text, '-]'));
    return change === 'added' ? span('green', marked('{+', text, '+}')) : text;
  });
  return row(indent, ...parts);
}

function settingLines(settings: readonly FieldDiff[]): readonly ShownLine[] {
  if (settings.length === 0) return [];
  const lines = settings.map(({ field, before, after }) =>
    row('  ', marks['changed']!, ` ${field}  ${settingText(before)} → ${settingText(after)}`),
  );
  return ['', row(span('bold', 'Settings'), '  .planner/config.json'), ...lines];
}

function settingText(value: unknown): string {
  return value === null ? 'none' : JSON.stringify(value);
}

function problemLines(title: string, problems: readonly UnreadableFile[]): readonly ShownLine[] {
  if (problems.length === 0) return [];
  const lines = problems.map(({ side, path, line, reason, title: named }) => {
    const at = line === undefined ? path : `${path}:${line}`;
    const where = side === 'both' ? 'on both sides' : side;
    return row('  ', span('yellow', '!'), ` ${at} (${where}${named === undefined ? '' : `, “${named}”`}): ${reason}`);
  });
  return ['', row(span('bold', title)), ...lines];
}

function rewrittenLines(paths: readonly string[]): readonly ShownLine[] {
  if (paths.length === 0) return [];
  const more = paths.length - filesMax;
  return [
    '',
    row(span('bold', 'Only written differently'), '  formatting, or keys that Planner does not read'),
    ...paths.slice(0, filesMax).map((path) => `  ${path}`),
    ...(more > 0 ? [`  … and ${more} more files`] : []),
  ];
}
