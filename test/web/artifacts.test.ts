import { expect } from 'chai';
import { rarely } from '../support/rarely.ts';
import { expectAccessible } from './support/accessible.ts';
import { browserTestsInOneTab } from './support/browser.ts';
import { until, untilEqual } from './support/until.ts';
import { visit } from './support/visit.ts';

const hostile = `<!doctype html><h1>Beds</h1><p id="said"></p><script>
  const tries = {
    parent: () => parent.document.title,
    storage: () => localStorage.length,
    cookie: () => document.cookie,
  };
  const said = [];
  for (const [name, go] of Object.entries(tries)) try { go(); said.push(name); } catch { said.push('no ' + name); }
  document.getElementById('said').textContent = said.join(', ');
  parent.postMessage({ planner: 'go', id: '../../settings' }, '*');
  parent.postMessage({ planner: 'size', height: 1e9 }, '*');
</script><div style="height: 900px"></div>`;

/** A screen is replaced while a key is down, and its frame may end without confirming the key. */
function unawaited(press: Promise<void>): void {
  press.catch(() => undefined);
}

browserTestsInOneTab('Artifacts and prototypes', ({ app }) => {
  it('are shown in an isolated sandbox, and annotated by pins [S.web.artifacts]', async () => {
    let id = '';
    const { page, rest, project } = await app({
      prepare: async (client, at) => {
        const made = await client.post(`/projects/${at}/artifacts`, { title: 'Beds', kind: 'html', content: hostile });
        id = made.body.id as string;
      },
      path: '/projects/:project/artifacts',
    });
    await page.getByRole('link', { name: 'Beds HTML' }).click();
    const frame = page.locator('iframe[title=Beds]');
    expect(await frame.getAttribute('sandbox')).to.equal('allow-scripts');
    await page.frameLocator('iframe[title=Beds]').getByText('no parent, no storage, no cookie').waitFor();
    await page.waitForURL(`**/projects/${project}/artifacts/${id}`);
    expect((await frame.boundingBox())!.height).to.be.lessThan(20_001);
    await page.getByRole('button', { name: 'Place a pin' }).click();
    await page.getByRole('button', { name: 'Place a pin here' }).click({ position: { x: 60, y: 120 } });
    await page.getByRole('textbox', { name: 'Comment' }).click();
    await page.keyboard.type('Wider');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('button', { name: 'Annotation 1' }).waitFor();
    const { comments } = (await rest.get(`/projects/${project}/artifact-comments?artifact_id=${id}`)).body;
    expect(comments).to.have.length(1);
    expect(comments[0].anchor).to.include({
      type: 'FragmentSelector',
      conformsTo: 'http://www.w3.org/TR/media-frags/',
    });
    expect(comments[0].anchor.value).to.match(/^xywh=percent:[\d.]+,[\d.]+,0,0$/);
    await page.getByRole('button', { name: 'Annotation 1' }).click();
    await page.waitForURL((url) => url.searchParams.get('comment') === comments[0].id);
    await expectAccessible(page);
  });

  rarely('of HTML are shown at their own size, too [S.web.artifacts]', async () => {
    let id = '';
    const { page, address } = await app({
      path: '/',
      prepare: async (client, at) => {
        const made = await client.post(`/projects/${at}/artifacts`, { title: 'Beds', kind: 'html', content: hostile });
        id = made.body.id as string;
      },
    });
    await visit(page, address(`/projects/:project/artifacts/${id}`));
    const width = async (): Promise<number> => (await page.locator('iframe[title=Beds]').boundingBox())?.width ?? 0;
    await until(async () => (await width()) > 0 && (await width()) < 900);
    await page.getByRole('button', { name: '100 %' }).click();
    await until(async () => (await width()) === 960);
  });

  rarely(
    'of HTML are annotated on their text, too, and the passage is highlighted in the sandbox while it exists [S.web.artifacts, S.web.anchors]',
    async () => {
      let id = '';
      const content = (words: string): string =>
        `<!doctype html><style>p { color: teal }</style><h1>Slugs</h1><p>Copper <b>tape</b> ${words}, coffee does not.</p><script>let a = 'Copper tape';</script>`;
      const { page, rest, project } = await app({
        prepare: async (client, at) => {
          const made = { title: 'Slugs', kind: 'html', content: content('helps') };
          id = (await client.post(`/projects/${at}/artifacts`, made)).body.id as string;
        },
      });
      await visit(page, `/projects/${project}/artifacts/${id}`);
      const sandbox = page.frameLocator('iframe[title=Slugs]');
      const annotate = page.getByRole('button', { name: 'Annotate the selection' });
      expect(await annotate.isDisabled()).to.equal(true);
      await sandbox.locator('p').evaluate(`{
      const range = document.createRange();
      range.setStart(document.querySelector('p b').firstChild, 0);
      range.setEnd(document.querySelector('p').lastChild, ' helps'.length);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }`);
      await annotate.click();
      await page.getByRole('textbox', { name: 'Comment' }).click();
      await page.keyboard.type('Sure?');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByRole('button', { name: 'Show “tape helps” in the text' }).waitFor();
      const listed = (): Promise<{ body: { comments: { id: string; anchor: object; passage: string }[] } }> =>
        rest.get(`/projects/${project}/artifact-comments?artifact_id=${id}`);
      const [comment] = (await listed()).body.comments;
      expect(comment).to.deep.include({
        passage: 'tape helps',
        anchor: {
          type: 'TextQuoteSelector',
          exact: 'tape helps',
          prefix: 'SlugsCopper ',
          suffix: ', coffee does not.',
        },
      });
      const marked = (name: string): Promise<string[]> =>
        sandbox.locator('body').evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map(String)`);
      await until(async () => (await marked('planner-passage')).join() === 'tape helps');
      // The frame is scaled: the position of the word is in its own pixels.
      const box = (await page.locator('iframe[title=Slugs]').boundingBox())!;
      const at = await sandbox.locator('b').evaluate<{ x: number; y: number; width: number }, void>(`(() => {
      const { left, top, width, height } = document.querySelector('p b').getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2, width: innerWidth };
    })()`);
      const scale = box.width / at.width;
      await page.mouse.click(box.x + at.x * scale, box.y + at.y * scale);
      await page.waitForURL((url) => url.searchParams.get('comment') === comment!.id);
      await until(async () => (await marked('planner-passage-chosen')).join() === 'tape helps');
      // The comment is found again in a page that was rewritten around it.
      await rest.patch(`/artifacts/${id}`, { content: `<p>New on top.</p>${content('helps')}` });
      await sandbox.getByText('New on top.').waitFor();
      await until(async () => (await marked('planner-passage-chosen')).join() === 'tape helps');
      await rest.patch(`/artifacts/${id}`, { content: '<p>Nothing of it</p>' });
      await page.getByText('This text does not exist any more.').waitFor();
      await expectAccessible(page);
    },
  );

  rarely(
    'of Markdown are annotated on their text, and keep comments when rewritten [S.web.artifacts, S.web.anchors]',
    async () => {
      let id = '';
      const { page, rest, project } = await app({
        prepare: async (client, at) => {
          const content = '# Slugs\n\nCopper tape helps, **coffee** does not.\n';
          id = (await client.post(`/projects/${at}/artifacts`, { title: 'Slugs', content })).body.id as string;
          await client.post(`/projects/${at}/artifact-comments`, {
            artifact_id: id,
            body: 'Sure?',
            passage: 'coffee does not',
          });
        },
      });
      await visit(page, `/projects/${project}/artifacts/${id}`);
      const passage = page.getByRole('button', { name: 'Show “coffee does not” in the text' });
      await passage.click();
      await page.getByRole('button', { name: 'Source' }).click();
      await page.getByRole('textbox', { name: 'Source of the artifact' }).click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('Nor does salt.');
      await page.keyboard.press('Control+S');
      await page.getByRole('button', { name: 'Page' }).click();
      await page.getByText('Nor does salt.').waitFor();
      await passage.waitFor();
      await until(async () => (await rest.get(`/artifacts/${id}`)).body.content.endsWith('Nor does salt.'));
      await rest.patch(`/artifacts/${id}`, { content: '# Nothing of it\n' });
      await page.getByText('This text does not exist any more.').waitFor();
    },
  );

  it('become screens that link to each other, are presented by links and keys, moved and copied [S.web.prototypes]', async () => {
    const { page, rest, project } = await app({ path: '/projects/:project/prototypes' });
    await page.getByRole('button', { name: 'New prototype' }).last().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await page.getByLabel('Size of its screens').selectOption('Phone, 390 × 844');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Shop' }).waitFor();
    const { prototypes } = (await rest.get(`/projects/${project}/prototypes`)).body;
    expect(prototypes[0].viewport).to.deep.equal({ width: 390, height: 844 });
    const prototype_id = prototypes[0].id as string;
    const screen = (title: string, to: string): object => ({
      ...{ title, kind: 'html', prototype_id },
      content: `<h1>${title} screen</h1><a href="planner://artifact/${to}">Go on</a>`,
    });
    await rest.post(`/projects/${project}/artifacts`, screen('Start', 'End'));
    await rest.post(`/projects/${project}/artifacts`, screen('End', 'Start'));
    const stored = await rest.post(`/projects/${project}/prototypes`, { name: 'Other' });
    await page.getByRole('button', { name: 'Present Start' }).waitFor();
    await page.getByRole('button', { name: 'Present', exact: true }).click();
    const stage = page.getByRole('dialog');
    await stage.getByText('Start · 1 of 2').waitFor();
    // Keys work immediately, without a click.
    await page.keyboard.press('ArrowRight');
    await stage.getByText('End · 2 of 2').waitFor();
    await page.keyboard.press('ArrowLeft');
    await stage.getByText('Start · 1 of 2').waitFor();
    const shown = stage.locator('iframe');
    const link = shown.contentFrame().getByRole('link', { name: 'Go on' });
    await link.waitFor();
    unawaited(link.press('Enter'));
    await stage.getByText('End · 2 of 2').waitFor();
    await shown.contentFrame().getByRole('heading', { name: 'End screen' }).waitFor();
    await shown.contentFrame().getByRole('link', { name: 'Go on' }).focus();
    // The screen has the focus now, and forwards keys that it does not handle.
    unawaited(page.keyboard.press('ArrowLeft'));
    await stage.getByText('Start · 1 of 2').waitFor();
    expect(await shown.evaluate((frame) => frame.style.width)).to.equal('390px');
    await stage.getByRole('button', { name: 'The next screen' }).click();
    await stage.getByText('End · 2 of 2').waitFor();
    await page.keyboard.press('Escape');
    await stage.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More about End' }).click();
    await page.getByRole('menuitem', { name: 'Copy to…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Present End copy' }).waitFor();
    await page.getByRole('button', { name: 'More about Start' }).click();
    await page.getByRole('menuitem', { name: 'Move to…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByRole('button', { name: 'Present Start' }).waitFor({ state: 'detached' });
    const moved = async (): Promise<{ title: string }[]> =>
      (await rest.get(`/prototypes/${stored.body.id}`)).body.screens;
    await untilEqual(async () => (await moved()).map(({ title }) => title), ['Start']);
  });
});
