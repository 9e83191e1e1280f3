import { expect } from 'chai';
import { hash } from 'node:crypto';
import { Html } from '../../src/http/markup.ts';
import { pageHeaders, pageText } from '../../src/pages/layout.ts';
import { participantPage } from '../../src/pages/participant-page.ts';
import { screenHeaders, screenText, sharePage } from '../../src/pages/share-page.ts';
import { timeText } from '../../src/pages/time-text.ts';

const expires = '2026-11-21T11:05:00.000Z';

describe('A page of the service [D8.mint]', () => {
  it('has one style, which its policy allows, and no script', () => {
    const text = pageText({ title: 'A <b>', body: new Html('<p>body</p>') });
    expect(text).to.include('<title>A &lt;b&gt;</title>').and.include('<main>\n<p>body</p>\n</main>');
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    const policy = [
      "default-src 'none'",
      `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
      "img-src 'self' https: data:",
      "frame-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    };
    expect(pageHeaders({})).to.deep.equal(headers);
    expect(pageHeaders({ takesForm: true })).to.deep.equal({
      ...headers,
      'Content-Security-Policy': policy.replace("form-action 'none'", "form-action 'self'"),
      'Referrer-Policy': 'same-origin',
    });
  });

  it('formats times for people', () => {
    expect(timeText(expires)).to.match(/^21 November 2026.* 11:05 UTC$/);
  });
});

describe('The page of a share link [D8.mint]', () => {
  const share = {
    type: 'task',
    title: 'Dig',
    status: 'in_progress',
    viewport: null,
    texts: [{ document: null, html: '<p>own</p>' }],
    screens: [],
    expires_at: expires,
  } as const;
  const bodyOf = (more: Partial<Parameters<typeof sharePage>[0]>): string =>
    sharePage({ ...share, ...more }, '/s/T', 'T').body.text;

  it('has its own text first, then the screens, then links to the linked documents', () => {
    const body = bodyOf({
      type: 'prototype',
      viewport: { width: 390.4, height: 843.6 },
      texts: [
        { document: null, html: '<p>own</p>' },
        { document: { id: 'doc_1', title: 'Linked <1>' }, html: '<p>linked</p>' },
        { document: { id: 'a b', title: 'Empty' }, html: '' },
      ],
      screens: [{ id: 'a/b', title: 'Start' }],
    });
    const sections = [...body.matchAll(/<section>([^]*?)<\/section>/g)].map(([, section]) => section);
    expect(sections).to.deep.equal([
      '<div class="body"><p>own</p></div>',
      '\n<h2>Start</h2>\n<iframe src="/s/T/screens/a%2Fb" title="Start" width="390" height="844" sandbox="allow-scripts" loading="lazy" ' +
        'referrerpolicy="no-referrer"></iframe>\n<p class="note"><a href="/s/T/screens/a%2Fb">Open this screen alone</a> (390.4 × 843.6)</p>\n',
      '<h2>Linked documents</h2><ul class="goals"><li><a href="/s/T?document=doc_1">Linked &lt;1&gt;</a></li>\n' +
        '<li><a href="/s/T?document=a%20b">Empty</a></li></ul>',
    ]);
    expect(body).to.include('<a href="/api/v1/share/T.md">');
    expect(bodyOf({ screens: [{ id: 'a', title: 'b' }] })).to.include('width="0" height="0"');
  });

  it('has no section for an empty text', () => {
    expect(bodyOf({ texts: [{ document: null, html: ' \n' }] })).not.to.include('<section>');
  });

  it("has a task's status in its colour, and a document's without", () => {
    const note = (more: object): string => /<p class="note">(.*)Shared until/.exec(bodyOf(more))![1]!;
    expect(note({})).to.equal('<span class="badge in_progress">In progress</span> ');
    expect(note({ type: 'document', status: 'in_review' })).to.equal('<span class="badge plain">in_review</span> ');
    expect(note({ type: 'document', status: null })).to.equal('');
    expect(sharePage(share, '/s/T', 'T').title).to.equal('Dig');
  });
});

describe('A screen of a shared prototype [D8.mint, A.trust.html]', () => {
  it('gets a head if it is not a complete document', () => {
    const screen = { title: 'A <b>', html: '<p>x</p>', isWhole: true };
    expect(screenText(screen)).to.equal('<p>x</p>');
    expect(screenText({ ...screen, isWhole: false }))
      .to.match(/^<!doctype html>\n<html lang="en"><head><meta charset="utf-8">/)
      .and.to.match(/<title>A &lt;b&gt;<\/title><\/head>\n<body>\n<p>x<\/p>\n<\/body><\/html>\n$/);
  });

  it('is in a sandbox that loads only images of the service', () => {
    const policy = [
      'sandbox allow-scripts',
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      "style-src 'unsafe-inline'",
      'img-src https://plan.example.org data: blob:',
      'font-src data:',
      'media-src data:',
      "form-action 'none'",
      "base-uri 'none'",
      'frame-ancestors https://plan.example.org',
    ];
    expect(screenHeaders('https://plan.example.org')).to.deep.equal({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'X-Frame-Options': 'SAMEORIGIN',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      Vary: 'Sec-Fetch-Dest',
    });
  });
});

describe('The page of a participant link [D8.participants]', () => {
  const shown = {
    project: { name: 'Garden & <pond>' },
    audience_name: null,
    expires_at: expires,
    goals: [],
    tasks: [],
    tasks_total: 0,
    tasks_done: 0,
  };
  type Page = typeof participantPage;
  const bodyOf = (
    more: Partial<Parameters<Page>[0]> = {},
    sent?: Parameters<Page>[2],
    fields?: Parameters<Page>[3],
  ): string => participantPage({ ...shown, ...more }, '/p/T', sent, fields).body.text;
  const dig = { label: 'Dig <deep>', status: 'in_progress' } as const;
  const done = { label: 'Done', status: 'done' } as const;

  it('names its audience, and may contain a form', () => {
    const page = participantPage(shown, '/p/T', undefined);
    expect([page.title, page.takesForm]).to.deep.equal(['Garden & <pond>', true]);
    const note = `Open until ${timeText(expires)}. <a href="#request">Submit a request</a></p>`;
    expect(bodyOf()).to.include('<h1>Garden &amp; &lt;pond&gt;</h1>').and.include(`<p class="note">${note}`);
    expect(bodyOf({ audience_name: 'B & C' })).to.include(`<p class="note">For B &amp; C. ${note}`);
  });

  it('shows the outcome of a submission', () => {
    expect(bodyOf()).not.to.match(/role="(?:status|alert)"/);
    expect(bodyOf({}, { taken: true })).to.match(/<section class="submitted" role="status">Thank you/);
    expect(bodyOf({}, { refused: 'a <b>' })).to.include('<section class="refused" role="alert">a &lt;b&gt;</section>');
  });

  it('shows the progress before its form, but for a submission that was refused', () => {
    const parts = (text: string): boolean => text.indexOf('<progress') < text.indexOf('<form');
    const all = { tasks: [dig, done], tasks_total: 2, tasks_done: 1 };
    expect(parts(bodyOf(all))).to.equal(true);
    expect(parts(bodyOf(all, { taken: true }))).to.equal(true);
    expect(parts(bodyOf(all, { refused: 'a' }))).to.equal(false);
  });

  it('has goals and tasks, and the number of done tasks', () => {
    expect(bodyOf()).to.include('There is no task yet.').and.not.include('Goals').and.not.include('<table>');
    const body = bodyOf({
      goals: [{ name: 'A' }, { name: 'B' }],
      tasks: [dig, done, done],
      tasks_total: 3,
      tasks_done: 2,
    });
    expect(body).to.include('<ul class="goals"><li>A</li>\n<li>B</li></ul>');
    expect(body).to.include(
      '<tr><td>Dig &lt;deep&gt;</td><td class="state"><span class="badge in_progress">In progress</span></td></tr>\n<tr><td>Done</td>',
    );
    expect(body).to.include('<p class="note">2 of 3 done</p>\n<progress value="2" max="3" aria-label="Tasks done">');
    expect(body).not.to.include('Further tasks');
    const part = bodyOf({ tasks: [dig, done], tasks_total: 3, tasks_done: 2, next_cursor: 'a/b' });
    expect(part).to.include('<p class="note">2 of 3 done</p>');
    expect(part).to.include('<p class="note"><a href="/p/T?cursor=a%2Fb">Further tasks</a></p>');
  });

  it('has a form with the submitted content', () => {
    const empty = bodyOf({ tasks: [dig], tasks_total: 1 });
    expect(empty).to.include('<form method="post" action="/p/T" accept-charset="utf-8">');
    expect(empty).to.include('<datalist id="tasks"><option value="Dig &lt;deep&gt;"></option></datalist>');
    expect(empty).to.include(
      '<option value="low">low</option>\n<option value="medium">medium</option>\n<option value="high">high</option>',
    );
    expect(empty.match(/value=""/g)).to.have.length(4);
    const fields = { participant_name: '"G"', title: 'T', body: '\n</textarea>', severity: 'medium', task_ref: 'R' };
    const filled = bodyOf({}, undefined, fields);
    for (const [name, value] of [
      ['participant_name', '&quot;G&quot;'],
      ['title', 'T'],
      ['task_ref', 'R'],
    ] as const)
      expect(filled).to.include(`<input name="${name}" value="${value}"`);
    expect(filled).to.include('maxlength="60000">\n\n&lt;/textarea&gt;</textarea>');
    expect(filled.match(/ selected>/g)).to.have.length(1);
    expect(filled).to.include('<option value="medium" selected>medium</option>');
  });
});
