import { render, renderers } from '../../src/domain/text/renderers.ts';
import type { OptionsOf, RendererName, RenderJob } from '../../src/domain/text/renderers.ts';
import { limits } from '../../src/limits.ts';

/** What a text of nothing else made parsers slow with: most took the square of its length, or half a minute for two megabytes. */
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
  // Items in each other, as deep as a text may have them.
  Array.from({ length: 99 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join(''),
];

/** The greatest length at which each renderer does more than to escape. */
const longest: { readonly [N in RendererName]: number } = {
  comment: limits.renderedMarkdownBytesMax,
  sanitised: limits.bodyBytesMax,
  artifact: limits.renderedArtifactBytesMax,
  artifactUrls: limits.bodyBytesMax,
  named: limits.bodyBytesMax,
  sharedText: limits.renderedPageBytesMax,
  sharedScreen: limits.bodyBytesMax,
  sharedMarkdown: limits.bodyBytesMax,
};

const urls = { baseUrl: 'http://127.0.0.1:1', token: 't', files: [] };

function jobOf(name: RendererName, text: string): RenderJob {
  const options: { readonly [N in RendererName]: OptionsOf<N> } = {
    ...{ comment: null, sanitised: null, artifact: null },
    artifactUrls: { baseUrl: urls.baseUrl, screens: {}, images: {} },
    named: { kind: 'markdown', baseUrl: urls.baseUrl },
    ...{ sharedText: urls, sharedScreen: urls },
    sharedMarkdown: { ...urls, at: 0, identifiers: [] },
  };
  return { name, text: { body: text }, options: options[name] };
}

/** Milliseconds of the processor that rendering takes: what other processes of the machine do does not count. */
function millisecondsOf(job: RenderJob): number {
  const before = process.threadCpuUsage();
  render(job);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** What a renderer may take on a machine that is through with the yardstick in `yardstickMilliseconds`; a slower one takes longer for both. */
export const millisecondsMax = 1000;
const yardstickMilliseconds = 400;

/** An ordinary text that is no limit's business, as long as a share may be. */
const yardstick: RenderJob = jobOf(
  'sharedMarkdown',
  'A sentence of an ordinary document, with some *emphasis* and an [address](https://example.org/page).\n\n'.repeat(
    5000,
  ),
);

/** How much slower than the machine of the limit this one is just now; 1 if it is not. */
function slowness(): number {
  return Math.max(1, millisecondsOf(yardstick) / yardstickMilliseconds);
}

/** Threads that share a core make each other's work longer, never shorter: the least of a few attempts counts. */
function leastMillisecondsOf(job: RenderJob): number {
  let least = millisecondsOf(job);
  for (let attempts = 1; attempts < 4 && least > millisecondsMax; attempts++)
    least = Math.min(least, millisecondsOf(job) / slowness());
  return least;
}

/** Renders texts of the greatest length; throws for one that takes too long. */
function renderAll(name: RendererName): void {
  for (const unit of units) {
    // Long texts may be over a limit that shorter ones keep.
    for (const bytes of [longest[name], longest[name] / 16]) {
      const text = unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
      const milliseconds = leastMillisecondsOf(jobOf(name, text));
      if (milliseconds > millisecondsMax)
        throw new Error(`${name} takes ${milliseconds} ms for ${bytes} bytes of ${JSON.stringify(unit)}`);
    }
  }
}

/** Every renderer there is. */
export const renderCases: Readonly<Record<string, () => void>> = Object.fromEntries(
  (Object.keys(renderers) as RendererName[]).map((name) => [`the renderer ${name}`, () => renderAll(name)]),
);
