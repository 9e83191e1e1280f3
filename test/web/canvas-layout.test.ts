import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { canvasPath as path } from './support/canvas.ts';
import { until, untilEqual } from './support/until.ts';
import { showOnly } from './support/visit.ts';

/** Tasks without positions: chains of three, each with an edge that skips the middle, and some without edges. */
async function heap(rest: RestClient, project: string): Promise<void> {
  const nodes = Array.from({ length: 18 }, (_, at) => ({ id: `t${at}`, label: `Task ${at}`, x: 0, y: 0 }));
  const edges = [0, 3, 6, 9].flatMap((at) => [
    { id: `a${at}`, from_id: `t${at}`, to_id: `t${at + 1}`, label: null },
    { id: `b${at}`, from_id: `t${at + 2}`, to_id: `t${at + 1}`, label: 'depends_on' },
    { id: `c${at}`, from_id: `t${at}`, to_id: `t${at + 2}`, label: 'blocks' },
  ]);
  await rest.put(`/projects/${project}/canvas`, { nodes, edges });
}

interface Placed {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

/** The cards as they are drawn. */
const cards = (page: Page): Promise<Placed[]> =>
  page.evaluate<Placed[]>(`[...document.querySelectorAll('.react-flow__node')].map((card) => {
    const { x, y } = card.getBoundingClientRect();
    return { id: card.dataset.id, x, y };
  })`);

/** The cards, by id, under which an edge runs that begins and ends elsewhere. */
const covered = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const boxes = [...document.querySelectorAll('.react-flow__node')].map((card) => [card.dataset.id, card.getBoundingClientRect()]);
    return [...document.querySelectorAll('.react-flow__edge')].flatMap((edge) => {
      const line = edge.querySelector('.react-flow__edge-path');
      const matrix = line.getScreenCTM();
      const length = line.getTotalLength();
      const under = new Set();
      for (let at = 0.04; at < 0.96; at += 0.01) {
        const { x, y } = line.getPointAtLength(at * length).matrixTransform(matrix);
        for (const [id, box] of boxes)
          if (x > box.left + 2 && x < box.right - 2 && y > box.top + 2 && y < box.bottom - 2) under.add(edge.dataset.id + ' under ' + id);
      }
      return [...under];
    });
  })()`);

browserTestsInOneTab('The layout of the canvas', ({ app }) => {
  it('lays out tasks without positions by dependencies, and saves that with the first move [S.web.canvas-first-layout]', async () => {
    const { page, rest, project } = await app({ path, prepare: heap });
    await page.locator('.react-flow__node').nth(17).waitFor();
    // On a busy machine the layout is later than the cards.
    await until(async () => {
      const at = new Map((await cards(page)).map((card) => [card.id, card]));
      const comes = (first: number): boolean => at.get(`t${first}`)!.x < at.get(`t${first + 1}`)!.x;
      return [0, 3, 6, 9].every((first) => comes(first) && comes(first + 1));
    });
    await until(async () => (await covered(page)).length === 0);
    expect(await page.getByText('no saved position').count()).to.equal(0);
    const saved = async (): Promise<Placed[]> =>
      ((await rest.get(`/projects/${project}/canvas`)).body as { nodes: Placed[] }).nodes;
    expect((await saved()).every(({ x, y }) => x === 0 && y === 0)).to.equal(true);
    await page.locator('.react-flow__node[data-id="t0"]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowUp');
    await until(async () => (await saved()).every(({ x, y }) => x !== 0 || y !== 0));
    const kept = new Map((await saved()).map((each) => [each.id, each]));
    for (const first of [0, 3, 6, 9]) expect(kept.get(`t${first}`)!.x).to.be.below(kept.get(`t${first + 1}`)!.x);
  });

  it('draws lines round the cards between their ends [S.web.canvas-first-layout]', async () => {
    const { page, rest, project } = await app({
      path,
      prepare: (client, id) =>
        client.put(`/projects/${id}/canvas`, {
          nodes: [
            { id: 'a', label: 'A', x: 40, y: 200 },
            { id: 'b', label: 'B', x: 400, y: 200 },
            { id: 'c', label: 'C', x: 760, y: 200 },
            { id: 'd', label: 'D', x: 40, y: 400 },
            { id: 'e', label: 'E', x: 40, y: 600 },
          ],
          edges: [
            { id: 'row', from_id: 'a', to_id: 'c' },
            { id: 'column', from_id: 'a', to_id: 'e' },
          ],
        }),
    });
    await page.locator('.react-flow__edge').nth(1).waitFor();
    await untilEqual(() => covered(page), []);
    // Another person moves a card into the way.
    const line = (): Promise<string | null> =>
      page.locator('.react-flow__edge[data-id="row"] .react-flow__edge-path').getAttribute('d');
    const before = await line();
    await rest.put(`/projects/${project}/canvas`, { nodes: [{ id: 'b', x: 400, y: 170 }] });
    await until(async () => (await line()) !== before);
    await untilEqual(() => covered(page), []);
  });
});

/** Chains of four tasks without positions: the first of each is listed first, then the second of each. */
async function chains(rest: RestClient, project: string, count: number): Promise<void> {
  const ids = Array.from({ length: count * 4 }, (_, at) => `t${at}`);
  await rest.put(`/projects/${project}/canvas`, {
    nodes: ids.map((id) => ({ id, label: `Task ${id}`, x: 0, y: 0 })),
    edges: ids.slice(count).map((id, at) => ({ from_id: ids[at]!, to_id: id })),
  });
}

/** Returns whether each chain is in order and apart from the others. */
function areApart(placed: readonly Placed[], count: number, width: number, height: number): boolean {
  const at = new Map(placed.map((card) => [card.id, card]));
  const boxes = Array.from({ length: count }, (_, chain) => {
    const of = [0, 1, 2, 3].map((step) => at.get(`t${chain + step * count}`)!);
    const [xs, ys] = [of.map(({ x }) => x), of.map(({ y }) => y)];
    const isInOrder = xs.every((x, step) => step === 0 || x > xs[step - 1]!);
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    return { isInOrder, left, top, right: Math.max(...xs) + width, bottom: Math.max(...ys) + height };
  });
  return boxes.every(
    (a, index) =>
      a.isInOrder &&
      boxes
        .slice(index + 1)
        .every((b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top),
  );
}

browserTestsInOneTab('The first layout of many tasks', ({ app }) => {
  rarely('shows columns by depth until the layout by dependencies is there [S.web.canvas-first-layout]', async () => {
    // The layout of up to 600 tasks is awaited.
    const count = 151;
    const { page } = await app({ path, prepare: (rest, project) => chains(rest, project, count) });
    await page.locator('.react-flow__node').first().waitFor();
    await page.getByRole('status').filter({ hasText: 'Arranging' }).waitFor({ state: 'detached' });
    // The arrangement may begin only now, and ends outside of the former view.
    await until(async () => {
      await page.getByRole('button', { name: 'Show everything' }).click();
      const placed = await cards(page);
      if (placed.length !== count * 4) return false;
      // Nodes outside of the view are removed while the view moves.
      const box = await page.locator('.react-flow__node').first().boundingBox();
      return box !== null && areApart(placed, count, box.width - 1, box.height - 1);
    });
  });

  rarely('retries code that does not load, and can be stopped [S.web.canvas-first-layout, S.web.code]', async () => {
    const count = 10;
    const { page, address, rest, project } = await app({
      prepare: (client, id) => chains(client, id, count),
    });
    let isThere = false;
    let requests = 0;
    await page.route('**/assets/layout-worker-*.js', (route) => {
      requests++;
      return isThere ? route.continue() : route.abort('connectionrefused');
    });
    const running = (nodes: number): Locator =>
      page.getByRole('status').filter({ hasText: `Arranging ${nodes} nodes` });
    await showOnly(page, address(path));
    await page.locator('.react-flow__node').first().waitFor();
    await running(count * 4).waitFor();
    await until(async () => requests > 1);
    const first = await cards(page);
    const loaded = page.waitForResponse('**/assets/layout-worker-*.js');
    isThere = true;
    await (await loaded).finished();
    await running(count * 4).waitFor({ state: 'detached' });
    await until(async () => JSON.stringify(await cards(page)) !== JSON.stringify(first));
    isThere = false;
    // With further tasks without positions all are laid out again.
    await rest.put(`/projects/${project}/canvas`, {
      nodes: ['u', 'v'].map((id) => ({ id, label: `Task ${id}`, x: 0, y: 0 })),
    });
    await running(count * 4 + 2)
      .getByRole('button', { name: 'Stop' })
      .click();
    await running(count * 4 + 2).waitFor({ state: 'detached' });
  });
});

type Place = (at: number) => { readonly x: number; readonly y: number };

/** Makes 40 tasks. */
const place = (rest: RestClient, project: string, placeOf: Place, edges: readonly object[] = []): Promise<unknown> =>
  rest.put(`/projects/${project}/canvas`, {
    nodes: Array.from({ length: 40 }, (_, at) => ({ id: `t${at}`, label: `Task ${at}`, ...placeOf(at) })),
    edges,
  });

browserTestsInOneTab('The view of everything', ({ app }) => {
  for (const [define, what, placeOf] of [
    [it, 'a tall plan', (at: number) => ({ x: 40 + (at % 2) * 300, y: 40 + Math.floor(at / 2) * 90 })],
    [rarely, 'a wide plan', (at: number) => ({ x: 40 + Math.floor(at / 8) * 300, y: 40 + (at % 8) * 90 })],
  ] as const)
    define(`has no card of ${what} under a bar, the legend or the map [S.web.canvas-fit]`, async () => {
      const edges = [
        { from_id: 't0', to_id: 't8', label: 'relates_to' },
        { from_id: 't0', to_id: 't9' },
      ];
      const { page } = await app({ path, prepare: (rest, id) => place(rest, id, placeOf, edges) });
      await page.locator('.react-flow__node').nth(39).waitFor();
      // The legend has its last line once the order of work is there.
      await page.getByRole('list', { name: 'Legend' }).getByText('the longest chain').waitFor();
      const covered = (): Promise<string[]> =>
        page.evaluate(`(() => {
          const boxes = (what) => [...document.querySelectorAll(what)].map((one) => [one.textContent, one.getBoundingClientRect()]);
          return boxes('.react-flow__node').flatMap(([card, a]) =>
            boxes('.react-flow__panel > *').flatMap(([bar, b]) =>
              a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom ? [card + ' under ' + bar] : []));
        })()`);
      await until(async () => (await covered()).length === 0);
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await until(async () => (await covered()).length > 0);
      await page.getByRole('button', { name: 'Show everything' }).click();
      await until(async () => (await covered()).length === 0);
    });
});

browserTestsInOneTab('The text of the canvas', ({ app }) => {
  for (const [what, placeOf] of [
    ['in a block', (at: number) => ({ x: 40 + (at % 8) * 330, y: 40 + Math.floor(at / 8) * 160 })],
    ['in one row', (at: number) => ({ x: 40 + at * 296, y: 40 })],
  ] as const)
    it(`can be read when all of 40 tasks ${what} are shown [S.web.canvas-legible]`, async () => {
      const { page } = await app({ path, prepare: (rest, id) => place(rest, id, placeOf) });
      await page.locator('.react-flow__node').nth(39).waitFor();
      const texts = (): Promise<{ text: string; size: number }[]> =>
        page.evaluate(`(() => {
          const zoom = new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a;
          return [...document.querySelectorAll('.react-flow__viewport span')]
            .filter((each) => /^Task \\d+$/.test(each.textContent) && each.getClientRects().length > 0)
            .map((each) => ({ text: each.textContent, size: parseFloat(getComputedStyle(each).fontSize) * zoom }));
        })()`);
      await until(async () => {
        const now = await texts();
        return now.length >= 6 && now.every(({ size }) => size >= 10);
      });
    });
});

/** A module of the page that needs no browser. Its types belong to the page's own program. */
// oxlint-disable-next-line typescript/no-explicit-any
const ofCanvas = async (file: string): Promise<any> =>
  await import(new URL(`../../src/web/views/canvas/model/${file}`, import.meta.url).href);

describe('The shape of a layout', () => {
  for (const [what, count, edgesOf] of [
    ['one task before 399 others', 400, (at: number) => [{ first: 'n0', then: `n${at}` }]],
    ['100 chains of four', 400, (at: number) => (at % 4 === 0 ? [] : [{ first: `n${at - 1}`, then: `n${at}` }])],
    ['400 tasks without edges', 400, () => []],
  ] as const)
    it(`fills a window with ${what} [S.web.canvas-first-layout]`, async () => {
      const { layOut } = await ofCanvas('lay-out.ts');
      const nodes = Array.from({ length: count }, (_, at) => ({ id: `n${at}`, width: 224, height: 66 }));
      const edges = nodes.slice(1).flatMap((_, at) => edgesOf(at + 1));
      const places: Placed[] = layOut({ nodes, edges, ratio: 1.6 });
      const [width, height] = [
        Math.max(...places.map(({ x }) => x)) + 224 - Math.min(...places.map(({ x }) => x)),
        Math.max(...places.map(({ y }) => y)) + 66 - Math.min(...places.map(({ y }) => y)),
      ];
      expect(width / height).to.be.within(0.8, 3.2);
      const at = new Map(places.map((place) => [place.id, place]));
      for (const { first, then } of edges) expect(at.get(first)!.x).to.be.below(at.get(then)!.x);
      const overlapping = places.flatMap((a, index) =>
        places
          .slice(index + 1)
          .filter((b) => Math.abs(a.x - b.x) < 224 && Math.abs(a.y - b.y) < 66)
          .map((b) => `${a.id} over ${b.id}`),
      );
      expect(overlapping).to.deep.equal([]);
    });
});
