import { render, renderers } from '../../src/domain/text/renderers.ts';
import type { OptionsOf, RendererName, RenderJob } from '../../src/domain/text/renderers.ts';
import { limits } from '../../src/base/limits.ts';
import { Random } from '../support/random.ts';

/** Fragments that, repeated, made parsers slow: most took the square of the length, or half a minute for two megabytes. */
const units = [
  ...['_a', '*a', '_*a', '*_', 'a_ ', ' _a', '~~a', 'a**b', '**', '~', '_a_', '*a*', '~~a~~ '],
  ...['`', '` ', 'a`', '`` ` ', '``` ', '```\n', '    a\n\n'],
  ...['[', '](', '[a]', '![', '[[a]]', '[x](', '[x](<', '[x](y "', '[a](b) ', '![a](b)', '[a]: b\n', '[a]: <', '[^1]'],
  ...['> ', '- ', '1. ', '- > ', '> a\n\n', '- a\n\nb\n\n', '- a\n  - b\n', '1. a\n   ', '+ a\n\n  ', '- [ ] '],
  ...[
    '<b>',
    '<div>',
    '<p>',
    '<li>',
    '<',
    '</',
    '<!--',
    '<?',
    '<![CDATA[',
    '<a href=x>',
    '<a href="',
    '<x y="',
    '<b></i>',
  ],
  ...['<table><tr><td>', '<img src=x>', '<br>', '<svg><style>', '<script>', '&', '&amp;', '&#x', '"', '\\'],
  ...['|a', '| - |\n', '|x|y|\n|-|-|\n', 'a|b\n-|-\n', 'a\n=\n', '# ', 'a  \n', '\t', '\r', '\n\t', '\u3042'],
  ...['http', 'https://a ', 'www.a', 'a@b.', 'a@b', "'"],
  // Nested items, as deep as a text may have them.
  Array.from({ length: 99 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join(''),
];

/** The greatest length at which each renderer does more than escape. */
const longest: { readonly [N in RendererName]: number } = {
  comment: limits.renderedMarkdownBytesMax,
  sanitised: limits.bodyBytesMax,
  artifact: limits.renderedArtifactBytesMax,
  artifactUrls: limits.bodyBytesMax,
  named: limits.bodyBytesMax,
  sharedText: limits.renderedPageBytesMax,
  sharedScreen: limits.bodyBytesMax,
  sharedMarkdown: limits.bodyBytesMax,
  unified: limits.bodyBytesMax,
};

const urls = { baseUrl: 'http://127.0.0.1:1', token: 't', files: [] };

function jobOf(name: RendererName, text: string): RenderJob {
  const options: { readonly [N in RendererName]: OptionsOf<N> } = {
    ...{ comment: null, sanitised: null, artifact: null },
    artifactUrls: { baseUrl: urls.baseUrl, screens: {}, images: {} },
    named: { kind: 'markdown', baseUrl: urls.baseUrl },
    ...{ sharedText: urls, sharedScreen: urls },
    sharedMarkdown: { ...urls, at: 0, identifiers: [] },
    unified: { field: 'body', beforeCharacters: Math.floor(text.length / 2) },
  };
  return { name, text: { body: text }, options: options[name] };
}

/** CPU time of rendering in milliseconds, without other processes. */
function millisecondsOf(job: RenderJob): number {
  const before = process.threadCpuUsage();
  render(job);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Limit for a renderer on a machine that runs the yardstick in `yardstickMilliseconds`; a slower one takes longer for both. */
export const millisecondsMax = 1000;
const yardstickMilliseconds = 400;

/** An ordinary text within all limits, as long as a share may be. */
const yardstick: RenderJob = jobOf(
  'sharedMarkdown',
  'A sentence of an ordinary document, with some *emphasis* and an [address](https://example.org/page).\n\n'.repeat(
    5000,
  ),
);

/** How much slower than the reference machine this one currently is; at least 1. */
function slowness(): number {
  return Math.max(1, millisecondsOf(yardstick) / yardstickMilliseconds);
}

/** Threads that share a core make each other slower, never faster: the minimum of a few attempts counts. */
function leastMillisecondsOf(job: RenderJob, millisecondsMax: number): number {
  let least = millisecondsOf(job);
  for (let attempts = 1; attempts < 4 && least > millisecondsMax; attempts++)
    least = Math.min(least, millisecondsOf(job) / slowness());
  return least;
}

/** Renders texts of these lengths in bytes, which depend on the greatest one. Throws for one that takes too long. */
function renderAll(name: RendererName, { every, lengths, millisecondsMax }: Extent, random: Random): void {
  for (let at = random.integer(0, every - 1); at < units.length; at += every) {
    const unit = units[at]!;
    for (const bytes of lengths(longest[name])) {
      const text = unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
      const milliseconds = leastMillisecondsOf(jobOf(name, text), millisecondsMax);
      if (milliseconds > millisecondsMax)
        throw new Error(`${name} takes ${milliseconds} ms for ${bytes} bytes of ${JSON.stringify(unit)}`);
    }
  }
}

/** Which of the fragments each renderer gets, the lengths of the texts, in bytes, and the time that each may take. */
interface Extent {
  /** Every n-th fragment, beginning anywhere. */
  readonly every: number;
  readonly lengths: (longest: number) => readonly number[];
  readonly millisecondsMax: number;
}

/** Quadratic time of two seconds for 64 KiB is found by 32 KiB; longer texts may exceed a limit that shorter ones do not. */
const extents: { readonly [E in 'some' | 'all']: Extent } = {
  some: { every: 8, lengths: (greatest) => [Math.min(greatest, 32 * 1024)], millisecondsMax: millisecondsMax / 2 },
  all: { every: 1, lengths: (greatest) => [greatest, greatest / 16], millisecondsMax },
};

/** All renderers. */
export function renderCases(extent: 'some' | 'all'): Readonly<Record<string, () => void>> {
  const names = Object.keys(renderers) as RendererName[];
  // Announced where the cases run: the others only list them.
  let random: Random | undefined;
  const drawn = (): Random => (random ??= Random.announced('fragments'));
  return Object.fromEntries(
    names.map((name) => [`the renderer ${name}`, () => renderAll(name, extents[extent], drawn())]),
  );
}
