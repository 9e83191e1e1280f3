import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { canvasPath as path } from './support/canvas.ts';
import { until } from './support/until.ts';
import { visit } from './support/visit.ts';

const hostile = 'Sow <script>alert(1)</script> & "dig" \'deep\' ]]> مرحبا 種';
const long =
  'Write down what every bed needs before the frost comes, and who brings it, and when, and from where it comes';

/** Tasks near and far, a document, edges of each kind, two goals. */
async function plot(rest: RestClient, project: string): Promise<void> {
  const nodes = [
    { id: 'dig', label: 'Dig', x: 40, y: 120 },
    { id: 'sow', label: hostile, x: 400, y: 120 },
    { id: 'pick', label: long, x: 760, y: 120 },
    { id: 'far', label: 'Far away', x: 2000, y: 1100 },
    { id: 'paint', label: 'Paint', x: 40, y: 380 },
  ];
  const edges = [
    { id: 'one', from_id: 'dig', to_id: 'sow', label: 'blocks' },
    { id: 'two', from_id: 'pick', to_id: 'sow', label: 'depends_on' },
    { id: 'three', from_id: 'paint', to_id: 'sow', label: 'relates_to' },
    { id: 'four', from_id: 'pick', to_id: 'far', label: 'informs <b>' },
  ];
  await rest.put(`/projects/${project}/canvas`, { nodes, edges });
  await rest.post(`/projects/${project}/documents`, { title: 'Soil & water', body: '', position: { x: 400, y: 300 } });
  for (const [name, tasks] of [
    ['Harvest', ['dig', 'sow', 'pick', 'far']],
    ['Money <i>', ['paint']],
  ] as const) {
    const { body } = await rest.post(`/projects/${project}/goals`, { name, objective: name });
    for (const task of tasks)
      await rest.patch(`/tasks/${task}?project_id=${project}`, { goal_id: (body as { id: string }).id });
  }
  await rest.patch(`/tasks/dig?project_id=${project}`, { priority: 'high', assignee: 'ada' });
}

/** Exports from the bar, and returns the file with its name. */
async function exported(page: Page, kind: 'SVG' | 'PNG'): Promise<{ name: string; bytes: Buffer }> {
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as picture' }).click();
  await page.getByRole('menuitem', { name: kind }).click();
  const download = await coming;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

interface Read {
  readonly error: string | null;
  readonly width: number;
  readonly height: number;
  readonly ids: string[];
  readonly elements: string[];
  readonly texts: string[];
  readonly names: string[];
  /** Texts that are not within their card. */
  readonly outside: string[];
  readonly background: string;
  readonly image: { readonly width: number; readonly height: number };
}

/** Reads an SVG as XML, as an image, and within a document. */
const readSvg = (page: Page, text: string): Promise<Read> =>
  page.evaluate<Read>(`(async () => {
    const text = ${JSON.stringify(text)};
    const file = new DOMParser().parseFromString(text, 'image/svg+xml');
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    await image.decode();
    const error = file.querySelector('parsererror')?.textContent ?? null;
    const root = document.importNode(file.documentElement, true);
    root.style.position = 'fixed';
    document.body.append(root);
    const of = (what) => [...root.querySelectorAll(what)];
    const outside = of('g[data-id]').flatMap((card) => {
      const box = card.querySelector('path').getBoundingClientRect();
      return [...card.querySelectorAll('text')].filter((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
      }).map(({ textContent }) => textContent);
    });
    const read = {
      error, outside,
      width: Number(root.getAttribute('width')), height: Number(root.getAttribute('height')),
      ids: of('[data-id]').map((one) => one.dataset.id).sort(),
      elements: [...new Set(of('*').map(({ localName }) => localName))].sort(),
      texts: of('text').map(({ textContent }) => textContent),
      names: of('g[data-goal] text').map(({ textContent }) => textContent),
      background: root.querySelector(':scope > rect').getAttribute('fill'),
      image: { width: image.naturalWidth, height: image.naturalHeight },
    };
    root.remove();
    return read;
  })()`);

browserTestsInOneTab('The canvas as a picture', ({ app }) => {
  it('is a valid SVG of the whole canvas, filtered and coloured as shown [S.web.canvas-export]', async () => {
    const { page, rest, project } = await app({
      path: `${path}?at=0,0,1&colour=goal&frames=goal`,
      prepare: plot,
    });
    await page.locator('[data-goal]').nth(1).waitFor();
    expect(await page.locator('.react-flow__node[data-id="far"]').count()).to.equal(0);
    const { name, bytes } = await exported(page, 'SVG');
    expect(name).to.equal('Garden canvas.svg');
    const text = bytes.toString();
    // Self-contained: neither a script nor a style or file from elsewhere.
    expect(text).not.to.match(/<script|<foreignObject|<style|var\(|light-dark\(|href="(?!#)|url\((?!#)|\son\w+=/);
    const read = await readSvg(page, text);
    expect(read.error).to.equal(null);
    expect(read.image).to.deep.equal({ width: read.width, height: read.height });
    const documents = (await rest.get(`/projects/${project}/canvas`)).body as { nodes: { id: string; type: string }[] };
    const soil = documents.nodes.find(({ type }) => type === 'document')!.id;
    const drawn = ['dig', 'far', 'four', 'one', 'paint', 'pick', soil, 'sow', 'three', 'two'];
    expect(read.ids).to.have.members(drawn);
    expect(read.names).to.deep.equal(['Harvest', 'Money <i>']);
    expect(read.texts).to.include.members([
      'Dig',
      'Far away',
      'Soil & water',
      'ada',
      'Ready',
      '→ informs <b>',
      'relates_to',
    ]);
    expect(read.texts).to.include('from the prerequisite to the task that waits for it');
    expect(read.texts.join(' ')).to.include('<script>');
    expect(read.outside).to.deep.equal([]);
    expect(read.background).to.equal('#f6f6f8');
    expect(read.width).to.be.above(2200);
    // Hidden cards are not in it.
    await page.getByRole('button', { name: 'Goal', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Money <i>' }).click();
    await page.keyboard.press('Escape');
    await page.locator('.react-flow__node[data-id="dig"]').waitFor({ state: 'detached' });
    const some = await readSvg(page, (await exported(page, 'SVG')).bytes.toString());
    expect(some.ids).to.deep.equal(['paint']);
  });

  rarely(
    'is a PNG of the same size in the colours of the dark theme, also from the menu at the pointer [S.web.canvas-export]',
    async () => {
      const { page } = await app({ path: `${path}?at=0,0,1`, colorScheme: 'dark', prepare: plot });
      await page.locator('.react-flow__node').first().waitFor();
      const svg = await readSvg(page, (await exported(page, 'SVG')).bytes.toString());
      expect(svg.background).to.equal('#131417');
      const coming = page.waitForEvent('download');
      await page.locator('.react-flow__pane').click({ button: 'right', position: { x: 300, y: 520 } });
      await page.getByRole('menuitem', { name: 'Export as PNG' }).click();
      const download = await coming;
      expect(download.suggestedFilename()).to.equal('Garden canvas.png');
      const png = await readFile(await download.path());
      expect(png.subarray(1, 4).toString()).to.equal('PNG');
      const seen = await page.evaluate<{
        width: number;
        height: number;
        corner: number[];
        colours: number;
      }>(`(async () => {
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (each) => each.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const colours = new Set(new Uint32Array(context.getImageData(0, 0, 2400, 700).data.buffer));
      return { width: image.width, height: image.height, corner: [...context.getImageData(2, 2, 1, 1).data], colours: colours.size };
    })()`);
      expect([seen.width, seen.height]).to.deep.equal([svg.width * 2, svg.height * 2]);
      expect(seen.corner).to.deep.equal([19, 20, 23, 255]);
      // Cards, texts and lines are in it.
      expect(seen.colours).to.be.above(40);
    },
  );

  rarely('says why a PNG cannot be made, and is made as SVG then [S.web.canvas-export]', async () => {
    const { page } = await app({
      path,
      prepare: (rest, project) =>
        rest.put(`/projects/${project}/canvas`, {
          nodes: [
            { id: 'a', label: 'A', x: 0, y: 40 },
            { id: 'b', label: 'B', x: 28_000, y: 12_000 },
            { id: 'c', label: 'C', x: 14_000, y: 6000 },
          ],
          edges: [{ from_id: 'a', to_id: 'b' }],
        }),
    });
    // The smallest scale shows the card in the middle.
    await page.locator('.react-flow__node[data-id="c"]').waitFor();
    await page.getByRole('button', { name: 'Export as picture' }).click();
    await page.getByRole('menuitem', { name: 'PNG' }).click();
    await page.getByText(/The canvas has 28,2\d\d × 12,\d\d\d units: .* Export it as SVG/).waitFor();
    const { width, ids } = await readSvg(page, (await exported(page, 'SVG')).bytes.toString());
    expect(width).to.be.above(28_000);
    expect(ids).to.include.members(['a', 'b', 'c']);
    await visit(page, `${page.url().split('?')[0]!}?status=done`);
    await page.getByRole('button', { name: 'Clear' }).waitFor();
    await until(async () => (await page.locator('.react-flow__node').count()) === 0);
    await page.getByRole('button', { name: 'Export as picture' }).click();
    await page.getByRole('menuitem', { name: 'SVG' }).click();
    await page.getByText('The filter shows no card.').waitFor();
  });
});

/** A module of the page that needs no browser. Its types belong to the page's own program. */
// oxlint-disable-next-line typescript/no-explicit-any
const ofPicture = async (file: string): Promise<any> =>
  await import(new URL(`../../src/web/views/canvas/picture/${file}`, import.meta.url).href);

describe('The texts of a picture', () => {
  it('are escaped, without characters that XML does not have [S.web.canvas-export]', async () => {
    const { element, escaped } = await ofPicture('svg.ts');
    expect(escaped('a\u0000\u001f<&>"\ud800\uffff 😀\t')).to.equal('a&lt;&amp;&gt;&quot; 😀\t');
    expect(element('text', { x: 1.23456, id: '"><x', y: undefined }, 'b')).to.equal(
      '<text x="1.23" id="&quot;&gt;&lt;x">b</text>',
    );
  });

  it('are broken between words, else within, and end with an ellipsis [S.web.canvas-export]', async () => {
    const { linesOf } = await ofPicture('text-lines.ts');
    const measure = (text: string): number => text.length;
    expect(linesOf('one two three', 7, 2, measure)).to.deep.equal(['one two', 'three']);
    expect(linesOf('one two three four', 7, 2, measure)).to.deep.equal(['one two', 'three…']);
    expect(linesOf('abcdefghij klm', 5, 3, measure)).to.deep.equal(['abcde', 'fghij', 'klm']);
    expect(linesOf('a abcdefghijk', 5, 2, measure)).to.deep.equal(['a', 'abcd…']);
    expect(linesOf('  ', 5, 2, measure)).to.deep.equal([]);
    // Never within a character of several code points.
    expect(linesOf('👩‍🌾👩‍🌾👩‍🌾', 11, 1, measure)).to.deep.equal(['👩‍🌾👩‍🌾…']);
  });
});
