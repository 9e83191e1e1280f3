import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clients } from '../../src/cli/connect/clients.ts';
import { serviceAddress } from '../../src/client/fixed-locator.ts';
import { htmlOf, isBlank, safeHtml } from '../../src/domain/text/comment-html.ts';
import { guardedPage, isWholePage } from '../../src/domain/text/guarded-page.ts';
import { withHtmlUrls } from '../../src/domain/text/html-urls.ts';
import { textMarkdown } from '../../src/domain/text/text-markdown.ts';
import { isReasonable } from '../../src/domain/text/reasonable-markdown.ts';
import { foldTagName } from '../../src/domain/records/tag-name.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import { limits } from '../../src/base/limits.ts';
import { withKept } from '../../src/exchange/imported-plan.ts';
import { clientName } from '../../src/operations/access/authenticate.ts';
import { Remotes } from '../../src/remote/remote.ts';
import { decode, patch } from '../../src/store/files/codec/codec.ts';
import { maskBroken } from '../../src/store/files/codec/broken-entries.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { slugOf, titleName } from '../../src/store/record/file-name.ts';
import { GitGuard } from '../../src/store/files/checkpoint/git-guard.ts';
import { documentShape } from '../support/shapes.ts';

/** The maximum length of a body. */
const body = limits.bodyBytesMax;
const fill = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length));

/** Slow for patterns that search blanks at an end, or around something, from every position. */
const runs = (length: number): readonly string[] => [
  `a${fill(' ', length)}b`,
  `a${fill('\t', length)}b`,
  `a${fill('\n', length)}b`,
  `a${fill('\n\t', length)}b`,
];

async function inDirectory(use: (path: string) => unknown): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'planner-patterns-'));
  try {
    await use(path);
  } finally {
    rmSync(path, { recursive: true });
  }
}

const edits = (text: string): void => {
  const start = { command: 'planner', args: ['mcp'] };
  for (const client of clients) {
    try {
      client.edit(text, start, 'the file');
    } catch {
      // An invalid file of that client is rejected; here it only has to be rejected soon.
    }
  }
};

/**
 * Texts of the maximum length for each input, made for the worst case of a pattern there. Each must be done soon; with a pattern of quadratic
 * time it would take hours, with an exponential one forever.
 */
export const patternCases: Readonly<Record<string, () => void | Promise<void>>> = {
  'a screen of a share page': () => {
    for (const unit of ['<!---->', '<!---->\n', '<!-- -->', '<!--', ' ', '<!---->-->'])
      isWholePage(guardedPage(fill(unit, body)));
  },
  'the Markdown of a share': () => {
    // The parser takes time for tabs, in proportion to their number.
    for (const text of runs(body).map((one) => (one.includes('\t\t') ? one.slice(-400_000) : one)))
      textMarkdown(text, (url) => url);
  },
  'front matter that is not YAML': () => {
    for (const text of runs(body)) maskBroken(`\na: {{b}}\n${text.slice(0, limits.frontMatterBytesMax)}`);
  },
  'the id of an unreadable file': () => {
    for (const text of [
      ...runs(limits.recordFileBytesMax / 8),
      fill('\t{', 1e6),
      fill('<!--\tplanner', 1e6),
      fill('id\t', 1e6),
    ])
      decode(documentShape, Buffer.from(`---\nid: [\n${text}`));
  },
  'the front matter of a file': () => {
    for (const text of [
      ...runs(limits.frontMatterBytesMax / 2),
      fill("'", 60_000),
      fill('"\\', 60_000),
      fill('x: ', 60_000),
    ])
      for (const key of ['title: ', 'title: "', "title: '", 'title: |\n  ', 'tags: [', '# '])
        decode(documentShape, Buffer.from(`---\n${key}${text}\n---\n`));
  },
  'a list in the front matter that is changed': () => {
    for (const text of [`a,${fill(' ', 30_000)}b`, `a,${fill('\t', 30_000)}b`]) {
      const source = Buffer.from(`---\nid: x\nlinks: [${text}]\n---\n`);
      const decoded = decode(documentShape, source);
      if (!decoded.ok) continue;
      const before = { status: null, title: null, created_at: null, position: null, ...decoded.fields };
      patch(documentShape, source, before, { ...before, links: [{ to: 'tsk_1' }] });
    }
  },
  'titles as names of files': () => {
    for (const text of [...runs(body), `a${fill('.', body)}b`, fill('. ', body), fill('con.', body), fill('-', body)]) {
      titleName(text);
      slugOf(text);
      foldTagName(text);
    }
  },
  comments: () => {
    isBlank(safeHtml(htmlOf(fill('c="<img ', body / 2))));
    for (const unit of ['<img ', '<img src=', '&lt;img ', '<img src="'])
      isBlank(fill(unit, limits.commentHtmlBytesMax / 8));
  },
  'addresses in HTML': () => {
    const long = 200_000;
    const units = ['<img src', '<img src=\t', '<img srcset="a, ', '<a href="', "<a href='x", '<img srcset="', '\t'];
    for (const unit of units) withHtmlUrls(fill(unit, long), (url) => `${url}x`);
    for (const inner of [...runs(long), fill('a ,', long), fill('a,', long), fill(',', long), fill('a 1x ', long)])
      withHtmlUrls(`<img srcset="${inner}"><a href${fill('\t', long)}=x>`, (url) => `${url}x`);
  },
  'texts that are searched or rendered': () => {
    const units = ['[', '[a](', '> ', '- ', '1. ', '\n\t', '[x](y "', '\u3042', 'a', '1'];
    for (const unit of units) {
      isReasonable(fill(unit, body));
      wordsOf(fill(unit, body / 4));
    }
  },
  'names of clients': () => {
    for (const text of runs(body)) clientName(text);
  },
  'plans of other tools': () => {
    for (const text of runs(body)) withKept(text, 'another tool', { kept: 'x' });
  },
  "a .git file, and config.json's remote": () =>
    inDirectory(async (path) => {
      const root = join(path, '.planner');
      mkdirSync(root);
      for (const text of runs(2_000_000)) {
        writeFileSync(join(path, '.git'), `gitdir: ${text}`);
        GitGuard.find(nodeDisk, path);
      }
      const url = `http://127.0.0.1/${fill('/', 2_000_000)}x`;
      writeFileSync(join(root, 'config.json'), JSON.stringify({ remote: { url, project_id: 'prj_x' } }));
      const remotes = new Remotes({ disk: nodeDisk, root, keys: { find: () => Promise.resolve(undefined) } });
      await remotes.of('prj_y').catch(() => undefined);
      serviceAddress(url, undefined, { url: 'server_url', token: 'token' });
    }),
  'files of clients': () => {
    for (const text of [
      ...runs(300_000),
      fill('[\n', 300_000),
      `${fill('/*', 200_000)}`,
      fill('mcp_servers.', 300_000),
    ])
      edits(text);
  },
};
