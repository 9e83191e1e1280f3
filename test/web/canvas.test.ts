import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { rarely } from '../support/rarely.ts';
import type { RestClient } from '../support/rest-client.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { canvasPath as path, drag, node, viewAtRest } from './support/canvas.ts';
import { boxAtRest as boxOf, until, untilEqual, untilKeysWork } from './support/until.ts';

/** Three tasks in a row, each before the next, one next to them, and a document. */
async function garden(rest: RestClient, project: string): Promise<void> {
  const nodes = [
    { id: 'dig', label: 'Dig', x: 40, y: 40 },
    { id: 'sow', label: 'Sow', x: 400, y: 40 },
    { id: 'pick', label: 'Pick', x: 760, y: 40 },
    { id: 'paint', label: 'Paint', x: 40, y: 300 },
  ];
  const edges = [
    { id: 'one', from_id: 'dig', to_id: 'sow', label: 'blocks' },
    { id: 'two', from_id: 'pick', to_id: 'sow', label: 'depends_on' },
    { id: 'three', from_id: 'paint', to_id: 'pick', label: 'relates_to' },
  ];
  await rest.put(`/projects/${project}/canvas`, { nodes, edges });
  await rest.post(`/projects/${project}/documents`, { title: 'Soil', body: '', position: { x: 400, y: 300 } });
}

interface Canvas {
  nodes: { id: string; label: string; x: number; y: number; status?: string }[];
  edges: { id: string; from_id: string; to_id: string; label: string | null }[];
}

const canvasOf = async (rest: RestClient, project: string): Promise<Canvas> =>
  (await rest.get(`/projects/${project}/canvas`)).body as Canvas;

/** The nodes and edges of the page's PUT requests. */
function puts(page: Page): Record<string, unknown>[] {
  const bodies: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') bodies.push(request.postDataJSON() as Record<string, unknown>);
  });
  return bodies;
}

/** Tasks in rows, each before its right and its lower neighbour. */
async function grid(rest: RestClient, project: string): Promise<void> {
  const [wide, high] = [7, 6];
  const cells = Array.from({ length: wide * high }, (_, at) => ({ at, x: at % wide, y: Math.floor(at / wide) }));
  const nodes = cells.map(({ at, x, y }) => ({ id: `t${at}`, label: `Task ${at}`, x: 360 * x, y: 160 * y }));
  const edges = cells.flatMap(({ at, x, y }) => [
    ...(x === wide - 1 ? [] : [{ id: `r${at}`, from_id: `t${at}`, to_id: `t${at + 1}`, label: 'blocks' }]),
    ...(y === high - 1 ? [] : [{ id: `d${at}`, from_id: `t${at}`, to_id: `t${at + wide}`, label: 'blocks' }]),
  ]);
  await rest.put(`/projects/${project}/canvas`, { nodes, edges });
}

browserTestsInOneTab('The canvas', ({ app }) => {
  rarely('draws every edge, however small the cards are [S.web.canvas-large]', async () => {
    const { page, rest, project } = await app({ path, prepare: grid });
    const { edges } = await canvasOf(rest, project);
    const drawn = (): Promise<number> => page.locator('.react-flow__edge-path').count();
    const zoom = (): Promise<number> =>
      page.evaluate(`new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a`);
    await viewAtRest(page);
    expect(await zoom()).to.be.below(0.65);
    await untilEqual(drawn, edges.length);
    // The address has the view now.
    await page.reload();
    await viewAtRest(page);
    await untilEqual(drawn, edges.length);
    for (const width of [600, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('button', { name: /^Show everything/ }).click();
      await untilEqual(drawn, edges.length);
    }
  });

  it('saves the position of a moved node and nothing else, and undoes it [S.web.canvas-places, S.web.canvas-undo]', async () => {
    const { page, rest, project } = await app({ path, prepare: garden });
    const sent = puts(page);
    await viewAtRest(page);
    const { x, y } = await boxOf(node(page, 'Paint'));
    await drag(page, { x: x + 100, y: y + 50 }, { x: x + 180, y: y + 120 });
    const paint = async (): Promise<Canvas['nodes'][number]> =>
      (await canvasOf(rest, project)).nodes.find(({ id }) => id === 'paint')!;
    // The event of a request may come after its effect on the service.
    await until(async () => (await paint()).x !== 40 && sent.length > 0);
    const put = await paint();
    expect(sent).to.deep.equal([{ nodes: [{ id: 'paint', x: put.x, y: put.y }] }]);
    expect(put.y).to.be.above(300);
    await page.keyboard.press('Control+z');
    await until(async () => (await paint()).x === 40 && (await paint()).y === 300);
    await page.keyboard.press('Control+Shift+z');
    await until(async () => (await paint()).x === put.x && (await paint()).y === put.y);
  });

  rarely(
    'never moves a node that is being dragged, and shows moves by others [S.web.canvas-places, S.web.live]',
    async () => {
      const { page, rest, project } = await app({ path, prepare: garden });
      await viewAtRest(page);
      const { x, y } = await boxOf(node(page, 'Paint'));
      const sow = await boxOf(node(page, 'Sow'));
      await page.mouse.move(x + 100, y + 50);
      await page.mouse.down();
      await page.mouse.move(x + 200, y + 90, { steps: 5 });
      const held = await boxOf(node(page, 'Paint'));
      // Another user moves both while one of them is being dragged here.
      const moved = {
        nodes: [
          { id: 'paint', x: 900, y: 900 },
          { id: 'sow', x: 400, y: 120 },
        ],
      };
      await rest.put(`/projects/${project}/canvas`, moved);
      await until(async () => (await boxOf(node(page, 'Sow'))).y > sow.y + 20);
      expect(await boxOf(node(page, 'Paint'))).to.deep.equal(held);
      await page.mouse.up();
      await until(async () => {
        const place = (await canvasOf(rest, project)).nodes.find(({ id }) => id === 'paint')!;
        return place.x > 40 && place.x < 400;
      });
      expect(await boxOf(node(page, 'Paint'))).to.deep.equal(held);
    },
  );

  it('draws, reconnects and deletes edges by mouse, and undoes all of it [S.web.canvas, S.web.canvas-undo]', async () => {
    const { page, rest, project } = await app({ path, prepare: garden });
    const edges = async (): Promise<string[]> =>
      (await canvasOf(rest, project)).edges.map(({ from_id, label, to_id }) => `${from_id} ${label} ${to_id}`).sort();
    const started = ['dig blocks sow', 'paint relates_to pick', 'pick depends_on sow'];
    const are = (expected: string[]): Promise<void> =>
      until(async () => (await edges()).join() === [...expected].sort().join());
    await viewAtRest(page);
    const [dig, paint] = [await boxOf(node(page, 'Dig')), await boxOf(node(page, 'Paint'))];
    await node(page, 'Dig').hover();
    const foot = { x: dig.x + dig.width / 2, y: dig.y + dig.height };
    await drag(page, foot, { x: paint.x + paint.width / 2, y: paint.y });
    await are([...started, 'dig null paint']);
    // One end of the existing edge is reconnected: it stays the same edge.
    await page.locator('.react-flow__edge[data-id="three"]').focus();
    await page.keyboard.press('Space');
    const end = page.locator('.react-flow__edge[data-id="three"] .react-flow__edgeupdater-target');
    const sow = await boxOf(node(page, 'Sow'));
    const at = await boxOf(end);
    await drag(
      page,
      { x: at.x + at.width / 2, y: at.y + at.height / 2 },
      { x: sow.x + sow.width / 2, y: sow.y + sow.height },
    );
    await are(['dig blocks sow', 'paint relates_to sow', 'pick depends_on sow', 'dig null paint']);
    expect((await canvasOf(rest, project)).edges.find(({ id }) => id === 'three')).to.include({ to_id: 'sow' });
    await page.locator('.react-flow__edge[data-id="one"]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Delete');
    await are(['paint relates_to sow', 'pick depends_on sow', 'dig null paint']);
    for (const expected of [
      ['paint relates_to sow', ...started.filter((each) => !each.startsWith('paint')), 'dig null paint'],
      [...started, 'dig null paint'],
      started,
    ]) {
      await page.keyboard.press('Control+z');
      await are(expected);
    }
    await page.keyboard.press('Control+Shift+z');
    await are([...started, 'dig null paint']);
  });

  rarely(
    "highlights the tasks that can begin and the longest chain, by the service's order [S.web.canvas-order]",
    async () => {
      const { page, rest, project } = await app({ path, prepare: garden });
      await page.getByRole('button', { name: '2 ready' }).waitFor();
      const marked = (what: string): Promise<string[]> =>
        page
          .locator(`.react-flow__node:has([data-${what}])`)
          .evaluateAll((nodes) => nodes.map((one) => (one as { dataset: { id: string } }).dataset.id).sort());
      // Sow depends only on Dig; Pick depends on Sow, although its edge points the other way.
      await untilEqual(() => marked('critical'), ['dig', 'pick', 'sow']);
      await untilEqual(() => marked('frontier=next'), ['dig', 'paint']);
      await rest.patch(`/tasks/dig?project_id=${project}`, { status: 'done' });
      await untilEqual(() => marked('critical'), ['pick', 'sow']);
      await untilEqual(() => marked('frontier=next'), ['paint', 'sow']);
      await page.getByRole('button', { name: '2 ready' }).click();
      await page.getByRole('button', { name: '2 ready', pressed: false }).waitFor();
      expect(new URL(page.url()).searchParams.get('hide')).to.equal('frontier');
      await page.getByRole('button', { name: '2 ready' }).click();
      await page.getByRole('button', { name: '2 ready', pressed: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('hide')).to.equal(null);
      // The viewport is stored in the address together with a change that is not rendered yet.
      const at = (): string | null => new URL(page.url()).searchParams.get('at');
      const before = at();
      // Timers that end in the turn of the click, before anything is rendered.
      await page.evaluate(`(() => {
      const { setTimeout } = window;
      const waiting = [];
      window.setTimeout = (run, milliseconds) => {
        waiting.push(run);
        return setTimeout(run, milliseconds);
      };
      const wheel = { deltaX: 60, deltaY: 60, bubbles: true, cancelable: true };
      document.querySelector('.react-flow__pane').dispatchEvent(new WheelEvent('wheel', wheel));
      [...document.querySelectorAll('button')].find((each) => each.textContent.includes('2 ready')).click();
      for (const run of waiting) run();
      window.setTimeout = setTimeout;
    })()`);
      await until(() => Promise.resolve(at() !== before));
      expect(new URL(page.url()).searchParams.get('hide')).to.equal('frontier');
    },
  );

  rarely('confirms before it lays out, and undoes it [S.web.canvas-layout]', async () => {
    const { page, rest, project } = await app({ path, prepare: garden });
    const placed = async (): Promise<string> =>
      (await canvasOf(rest, project)).nodes.map(({ id, x, y }) => `${id} ${x} ${y}`).join();
    const before = await placed();
    await page.getByRole('button', { name: 'Arrange automatically' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Arrange automatically' }).click();
    await page.getByRole('dialog', { name: 'Arrange all 5 nodes?' }).getByRole('button', { name: 'Arrange' }).click();
    await until(async () => (await placed()) !== before);
    await untilKeysWork(page);
    const at = new Map((await canvasOf(rest, project)).nodes.map((each) => [each.id, each]));
    expect(at.get('dig')!.x).to.be.below(at.get('sow')!.x);
    expect(at.get('sow')!.x).to.be.below(at.get('pick')!.x);
    await page.keyboard.press('Control+z');
    await until(async () => (await placed()) === before);
  });

  it('can be used by keys only: select, move, edit, connect, create, delete, open [S.web.canvas-keys, S.web.canvas-edit]', async () => {
    const { page, rest, project } = await app({ path, prepare: garden });
    const found = async (label: string): Promise<Canvas['nodes'][number] | undefined> =>
      (await canvasOf(rest, project)).nodes.find((each) => each.label === label);
    const isAt = (label: string): Promise<void> =>
      until(() =>
        page.evaluate(
          `document.activeElement?.closest('.react-flow__node')?.textContent?.startsWith('${label}') === true`,
        ),
      );
    await node(page, 'Dig').focus();
    await page.keyboard.press('Alt+ArrowRight');
    await isAt('Sow');
    await page.keyboard.press('Alt+ArrowRight');
    await isAt('Pick');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await until(async () => (await found('Pick'))!.y > 40);
    await page.keyboard.press('F2');
    await page.keyboard.type('Eat');
    await page.keyboard.press('Enter');
    await until(async () => (await found('Eat')) !== undefined);
    await isAt('Eat');
    await page.keyboard.press('3');
    await until(async () => (await found('Eat'))!.status === 'in_progress');
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Connect' }).waitFor();
    await page.keyboard.type('soil');
    await page.keyboard.press('Enter');
    await page.getByLabel('Label').fill('documents');
    await page.keyboard.press('Enter');
    await until(async () =>
      (await canvasOf(rest, project)).edges.some(({ label, from_id }) => label === 'documents' && from_id === 'pick'),
    );
    // The service has the edge before the dialog is closed, which takes the keys until then.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await untilKeysWork(page);
    await page.keyboard.press('n');
    await page.getByLabel('What is to be done').fill('Rest');
    await page.keyboard.press('Enter');
    await node(page, 'Rest').and(page.locator('.selected')).waitFor();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete “Rest”?' }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await found('Rest')) === undefined);
    await node(page, 'Rest').waitFor({ state: 'detached' });
    await untilKeysWork(page);
    await page.keyboard.press('Control+z');
    await until(async () => (await found('Rest')) !== undefined);
    await page.keyboard.press('/');
    await page.getByRole('dialog', { name: 'Find a node' }).waitFor();
    await page.keyboard.type('paint');
    await page.keyboard.press('Enter');
    await isAt('Paint');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Paint' }).waitFor();
    await page.waitForURL(/[?&]task=paint/);
  });

  it('renders only the visible ones of a thousand nodes [S.web.canvas-large]', async () => {
    const { page } = await app({
      path: `${path}?at=0,0,1`,
      prepare: (rest, project) =>
        rest.put(`/projects/${project}/canvas`, {
          nodes: Array.from({ length: 1000 }, (_, at) => ({
            id: `t${at}`,
            label: `Node ${at}`,
            x: 20 + (at % 50) * 280,
            y: 80 + Math.floor(at / 50) * 110,
          })),
          edges: Array.from({ length: 950 }, (_, at) => ({ from_id: `t${at}`, to_id: `t${at + 50}` })),
        }),
    });
    await node(page, 'Node 51').waitFor();
    await page.locator('.react-flow__edge').nth(4).waitFor({ state: 'attached' });
    expect(await page.locator('.react-flow__node').count()).to.be.within(10, 120);
    expect(await page.locator('.react-flow__edge').count()).to.be.within(5, 200);
    // The map has all of them in a few shapes.
    const drawn = await page.getByRole('img', { name: 'Map of the whole canvas' }).locator('path').all();
    const shapes = await Promise.all(drawn.map(async (path) => (await path.getAttribute('d'))!.split('M').length - 1));
    expect(Math.max(...shapes)).to.be.above(500);
    expect(shapes.length).to.be.below(12);
  });
});

/** A module of the page that needs no browser. Its types belong to the page's own program. */
// oxlint-disable-next-line typescript/no-explicit-any
const ofCanvas = async (file: string): Promise<any> =>
  await import(new URL(`../../src/web/views/canvas/model/${file}`, import.meta.url).href);

describe('The computations of the canvas', () => {
  it('finds the longest chain of open tasks, and none through a cycle [S.web.canvas-order]', async () => {
    const { criticalPath } = await ofCanvas('critical-path.ts');
    const task = (id: string, prerequisites: string[] = [], status = 'todo'): object => ({ id, status, prerequisites });
    const fork = [task('a'), task('b', ['a']), task('c', ['a']), task('d', ['c']), task('e', ['b', 'd'])];
    expect(criticalPath(fork)).to.deep.equal(['a', 'c', 'd', 'e']);
    expect(criticalPath([task('a', [], 'done'), ...fork.slice(1)])).to.deep.equal(['c', 'd', 'e']);
    const circle = [task('x', ['z']), task('y', ['x']), task('z', ['y']), task('w', ['z'])];
    expect(criticalPath(circle)).to.deep.equal([]);
    expect(criticalPath([...circle, ...fork])).to.deep.equal(['a', 'c', 'd', 'e']);
    expect(criticalPath([task('a'), task('b')])).to.deep.equal([]);
  });

  it('arranges nodes in the order of work without overlaps, also cycles and isolated ones [S.web.canvas-layout]', async () => {
    const { layOut } = await ofCanvas('lay-out.ts');
    const nodes = Array.from({ length: 40 }, (_, at) => ({ id: `n${at}`, width: 224, height: 66 }));
    const chain = Array.from({ length: 9 }, (_, at) => ({ first: `n${at}`, then: `n${at + 1}` }));
    const circle = [10, 11, 12].map((at) => ({ first: `n${at}`, then: `n${at === 12 ? 10 : at + 1}` }));
    const places: { id: string; x: number; y: number }[] = layOut({ nodes, edges: [...chain, ...circle] });
    expect(places.map(({ id }) => id)).to.have.members(nodes.map(({ id }) => id));
    const at = new Map(places.map((place) => [place.id, place]));
    for (const { first, then } of chain) expect(at.get(first)!.x).to.be.below(at.get(then)!.x);
    for (const [index, a] of places.entries())
      for (const b of places.slice(index + 1))
        expect(Math.abs(a.x - b.x) >= 224 || Math.abs(a.y - b.y) >= 66, `${a.id} over ${b.id}`).to.be.true;
  });

  it("moves a node back to the service's position if its move is rejected [S.web.canvas-places, S.web.refused]", async () => {
    const { Places } = await ofCanvas('places.ts');
    const sent: unknown[] = [];
    let refuse = true;
    const places = new Places({
      save: async (moved: unknown) => {
        sent.push(moved);
        if (refuse) throw new Error('The disk is full.');
      },
      onReleased: () => undefined,
      restMs: 60_000,
    });
    places.drop('dig', { x: 10.4, y: 20 });
    expect(places.heldAt('dig')).to.deep.equal({ x: 10, y: 20 });
    await places.flush();
    expect(places.heldAt('dig')).to.equal(undefined);
    refuse = false;
    places.drop('dig', { x: 1, y: 2 });
    const saving = places.flush();
    // Dragged again before the response arrived: it stays with the pointer.
    places.drag('dig', { x: 5, y: 6 });
    await saving;
    expect(places.heldAt('dig')).to.deep.equal({ x: 5, y: 6 });
    expect(sent).to.deep.equal([[{ id: 'dig', x: 10, y: 20 }], [{ id: 'dig', x: 1, y: 2 }]]);
  });

  it('undoes in order, also changes without a response yet [S.web.canvas-undo]', async () => {
    const { History } = await ofCanvas('../../../undo/history.ts');
    interface Step {
      readonly changes: () => Promise<readonly string[]>;
    }
    const log: string[] = [];
    // The service takes one change set back after the other, and answers with another one for each.
    const history = new History(async ({ changes }: Step, way: string) => {
      const cursors = await changes();
      for (const cursor of cursors.toReversed()) log.push(`${way} ${cursor}`);
      return { made: cursors.toReversed().map((cursor) => `${cursor}'`), left: [] };
    });
    const [a, b, c] = ['a', 'b', 'c'].map((what) => history.begin(what, undefined));
    const back = history.go('undo');
    c.ready([]);
    b.ready(['b1', 'b2']);
    a.ready(['a']);
    expect(await back, 'the last one failed').to.equal('b');
    expect(await history.takeBack(b.step), 'it is taken back').to.equal(undefined);
    expect(await history.go('undo')).to.equal('a');
    expect(await history.go('undo')).to.equal(undefined);
    expect(await history.go('redo')).to.equal('a');
    expect(await history.go('redo')).to.equal('b');
    expect(await history.go('undo')).to.equal('b');
    expect(log).to.deep.equal([
      ...['undo b2', 'undo b1', 'undo a', "redo a'", "redo b1'", "redo b2'", "undo b2''", "undo b1''"],
    ]);
    expect(history.state).to.deep.equal({ undo: 'a', redo: 'b' });
  });
});
