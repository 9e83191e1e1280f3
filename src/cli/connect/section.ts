/** The lines that a section of ours stands between: what is between them is ours, everything else is the person's. */
export interface Markers {
  readonly begin: string;
  readonly end: string;
}

/** For Markdown. */
export const markdownMarkers: Markers = {
  begin: '<!-- planner connect: begin (this section is kept by Planner) -->',
  end: '<!-- planner connect: end -->',
};

/** For TOML. */
export const tomlMarkers: Markers = { begin: '# planner connect: begin', end: '# planner connect: end' };

/** Puts a section between its markers: in the place of the former one, else behind everything. Every other byte stays. */
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
