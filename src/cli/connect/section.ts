/** The lines that delimit our section of a file. Everything outside them belongs to the user. */
export interface Markers {
  readonly begin: string;
  readonly end: string;
}

/** The markers in Markdown. */
export const markdownMarkers: Markers = {
  begin: '<!-- planner connect: begin (this section is kept by Planner) -->',
  end: '<!-- planner connect: end -->',
};

/** The markers in TOML. */
export const tomlMarkers: Markers = { begin: '# planner connect: begin', end: '# planner connect: end' };

/** Replaces the section between the markers, or appends it. Every other byte is kept. */
export function withSection(text: string, section: string, { begin, end }: Markers): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [begin, ...section.trimEnd().split('\n'), end].join(ending);
  const from = text.indexOf(begin);
  const to = from === -1 ? -1 : text.indexOf(end, from);
  if (to !== -1) return text.slice(0, from) + block + text.slice(to + end.length);
  if (text === '') return block + ending;
  const gap = text.endsWith(`${ending}${ending}`) ? '' : text.endsWith(ending) ? ending : ending + ending;
  return text + gap + block + ending;
}

/**
 * The text without the section between the markers, and the empty line in front of it; undefined if it has no such
 * section.
 */
export function withoutSection(text: string, { begin, end }: Markers): string | undefined {
  const from = text.indexOf(begin);
  const to = from === -1 ? -1 : text.indexOf(end, from);
  if (to === -1) return undefined;
  const before = text.slice(0, from);
  const after = text.slice(to + end.length).replace(/^\r?\n/, '');
  return before.replace(/(\r?\n)\r?\n$/, '$1') + after;
}
