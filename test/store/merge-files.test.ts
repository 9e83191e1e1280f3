import { expect } from 'chai';
import { uncheckedCollections } from '../../src/domain/records/record-collections.ts';
import { mergeFiles } from '../../src/store/files/git/merge-files.ts';
import type { MergedFile } from '../../src/store/files/git/merge-files.ts';
import { textMerges } from '../support/text-merges.ts';

const collections = uncheckedCollections.map((collection) => ({ ...collection, validate: () => [] }));
const project = '.planner/projects/plan-abc123';
const taskPath = `${project}/tasks/pay.tsk_abc1230000000001.md`;

function merge(path: string, base: string | undefined, ours: string, theirs: string): MergedFile | undefined {
  return mergeFiles(collections, {
    path,
    base: base === undefined ? undefined : Buffer.from(base),
    ours: Buffer.from(ours),
    theirs: Buffer.from(theirs),
  });
}

/** Merges without a conflict, from both sides; answers what both give. */
function merged(path: string, base: string | undefined, ours: string, theirs: string): string {
  const [one, other] = [merge(path, base, ours, theirs), merge(path, base, theirs, ours)];
  expect(one?.conflicts, one?.bytes.toString()).to.equal(0);
  expect(one?.bytes.toString()).to.equal(other?.bytes.toString());
  return one!.bytes.toString();
}

const task = `---
status: todo
id: tsk_abc1230000000001
kind: build
created_at: 2026-01-01T00:00:00.000Z
label: Pay
goal: gol_abc1230000000001
tags:
  - api
links:
  - {to: tsk_abc1230000000002, label: depends_on}
---
First line

Second line
`;

describe('Merging two versions of a record file', () => {
  it('merges neighbouring fields, tags, links and the body, the same from both sides [A.git.driver, A.git.driver-order]', () => {
    const ours = task
      .replace('status: todo', 'status: done')
      .replace('kind: build', 'kind: decision')
      .replace('  - api', '  - api\n  - web')
      .replace('First line', 'First line, ours');
    const theirs = task
      .replace('id: tsk_abc1230000000001\n', 'id: tsk_abc1230000000001\nassignee: ada\n')
      .replace('label: Pay', 'label: Pay the bill')
      .replace('  - api', '  - ui')
      .replace('links:\n', 'links:\n  - {to: tsk_abc1230000000000, label: relates}\n')
      .replace('Second line', 'Second line, theirs');
    expect(merged(taskPath, task, ours, theirs)).to.equal(`---
status: done
id: tsk_abc1230000000001
assignee: ada
kind: decision
created_at: 2026-01-01T00:00:00.000Z
label: Pay the bill
goal: gol_abc1230000000001
tags:
  - ui
  - web
links:
  - {to: tsk_abc1230000000000, label: relates}
  - {to: tsk_abc1230000000002, label: depends_on}
---
First line, ours

Second line, theirs
`);
  });

  it('puts markers only around conflicts [A.git.markers]', () => {
    const ours = task.replace('status: todo', 'status: done').replace('Second', 'Our').replace('Pay', 'Pay now');
    const theirs = task
      .replace('status: todo', 'status: backlog')
      .replace('Second', 'Their')
      .replace('  - api', '  - x');
    const { bytes, conflicts } = merge(taskPath, task, ours, theirs)!;
    expect(conflicts).to.equal(2);
    expect(bytes.toString()).to.equal(
      task
        .replace('status: todo', '<<<<<<< ours\nstatus: done\n=======\nstatus: backlog\n>>>>>>> theirs')
        .replace('Second line', '<<<<<<< ours\nOur line\n=======\nTheir line\n>>>>>>> theirs')
        .replace('Pay', 'Pay now')
        .replace('  - api', '  - x'),
    );
  });

  it('merges bodies as the service does, words included [A.git.driver, A.git.driver-order]', () => {
    const file = (body: string): string => task.replace(/(?<=\n---\n)[^]*$/, `${body}\nThe end.\n`);
    for (const { what, base, ours, theirs, merged: body } of textMerges) {
      if (typeof body === 'string') {
        expect(merged(taskPath, file(base), file(ours), file(theirs)), what).to.equal(file(body));
        continue;
      }
      const { bytes, conflicts } = merge(taskPath, file(base), file(ours), file(theirs))!;
      expect(conflicts, what).to.equal(1);
      const resolved = (side: '$1' | '$2'): string =>
        bytes.toString().replace(/<{7} ours\n([^]*?)={7}\n([^]*?)>{7} theirs\n/, side);
      expect([resolved('$1'), resolved('$2')], what).to.deep.equal([file(body.ours), file(body.theirs)]);
    }
  });

  it('merges no words of values of one line', () => {
    const [ours, theirs] = ['Pay the bill today', 'Do pay the bill'].map((label) => task.replace('Pay', label));
    expect(merge(taskPath, task.replace('Pay', 'Pay the bill'), ours!, theirs!)!.conflicts).to.equal(1);
  });

  it('marks only the link that one side changed and the other removed', () => {
    const more = task.replace('links:\n', 'links:\n  - {to: tsk_abc1230000000000, label: relates}\n');
    const ours = more.replace('label: depends_on', 'label: depends_on, style: dashed');
    const theirs = more
      .replace('  - {to: tsk_abc1230000000002, label: depends_on}\n', '')
      .replace(', label: relates', ', label: supports');
    expect(merge(taskPath, more, ours, theirs)!.bytes.toString()).to.contain(`links:
  - {to: tsk_abc1230000000000, label: supports}
<<<<<<< ours
  - {to: tsk_abc1230000000002, label: depends_on, style: dashed}
=======
>>>>>>> theirs
---`);
  });

  it('keeps what people wrote: comments of both, their order and quotes, keys of their own [A.git.bytes]', () => {
    const base = `---
# what matters
label: "Pay"   # the name
id: tsk_abc1230000000001
mine: {a: one}
status: todo
---
Body`;
    const ours = base
      .replace('# what matters', '# what matters most')
      .replace('mine: {a: one}', 'mine: {a: one, b: two}');
    const theirs = base
      .replace('status: todo', 'status: done # at last')
      .replace('"Pay"', '"Pay it"')
      .replace('{a: one}', '{a: three}');
    expect(merged(taskPath, base, ours, theirs)).to.equal(`---
# what matters most
label: "Pay it"   # the name
id: tsk_abc1230000000001
mine: {a: three, b: two}
status: done # at last
---
Body`);
  });

  it('marks a comment that both rewrote, but not a difference of formatting only', () => {
    const base = '---\n# one\nlabel: Pay\nstatus: todo\n---\n';
    expect(merge(taskPath, base, base.replace('one', 'two'), base.replace('one', 'three'))!.bytes.toString()).to.equal(
      '---\n<<<<<<< ours\n# two\n=======\n# three\n>>>>>>> theirs\nlabel: Pay\nstatus: todo\n---\n',
    );
    const [ours, theirs] = [
      base.replace('label: Pay', "label: 'Pay it'"),
      base.replace('label: Pay', 'label: "Pay it"'),
    ];
    expect(merged(taskPath, base, ours, theirs)).to.match(/^label: ['"]Pay it['"]$/m);
  });

  it('keeps line endings and the byte order mark, also if one side converted them [A.git.bytes]', () => {
    const windows = (text: string): string => text.replaceAll('\n', '\r\n');
    const ours = task.replace('status: todo', 'status: done');
    const theirs = task.replace('First line', 'First line, theirs');
    const both = ours.replace('First line', 'First line, theirs');
    expect(merged(taskPath, windows(task), windows(ours), windows(theirs))).to.equal(windows(both));
    expect(merged(taskPath, task, windows(ours), theirs)).to.equal(windows(both));
    expect(merged(taskPath, task, `\ufeff${ours}`, theirs)).to.equal(`\ufeff${both}`);
    const conflict = merge(taskPath, windows(task), windows(ours), windows(task.replace('todo', 'scope')))!;
    expect(conflict.bytes.toString()).to.contain(
      '<<<<<<< ours\r\nstatus: done\r\n=======\r\nstatus: scope\r\n>>>>>>> theirs\r\n',
    );
  });

  it('merges a file that both added: what only one of them contains is kept', () => {
    const path = `${project}/tags/api.json`;
    const plain = '{\n  "name": "api"\n}\n';
    const coloured = '{\n  "name": "api",\n  "color": "#ff0000"\n}\n';
    expect(merged(path, undefined, plain, coloured)).to.equal(coloured);
    const blue = coloured.replace('ff0000', '0000ff');
    expect(merge(path, undefined, coloured, blue)!.bytes.toString()).to.equal(
      '{\n  "name": "api",\n<<<<<<< ours\n  "color": "#ff0000"\n=======\n  "color": "#0000ff"\n>>>>>>> theirs\n}\n',
    );
  });

  it('merges JSON records: the later updated_at, members of a layout, events by their ids [A.git.json]', () => {
    const comment = (changes: object): string =>
      `${JSON.stringify({ id: 'cmt_1', target_type: 'task', target_id: 'tsk_1', author: 'human:a', created_at: '2026-01-01', body: '<p>a</p>', updated_at: '2026-01-01', ...changes }, null, 2)}\n`;
    const path = `${project}/comments/tsk_1/cmt_1.json`;
    const both = JSON.parse(
      merged(
        path,
        comment({}),
        comment({ resolved: true, updated_at: '2026-02-01' }),
        comment({ body: '<p>b</p>', updated_at: '2026-03-01' }),
      ),
    ) as object;
    expect(both).to.deep.include({ resolved: true, body: '<p>b</p>', updated_at: '2026-03-01' });
    const canvas = (layout: object): string => `${JSON.stringify({ layout }, null, 2)}\n`;
    const [from, left, right] = [
      { zoom: 1, nodes: { a: { x: 1, y: 1 }, b: { x: 2, y: 2 } } },
      { zoom: 2, nodes: { a: { x: 5, y: 6 }, b: { x: 2, y: 2 } } },
      { zoom: 1, nodes: { b: { x: 7, y: 8 }, a: { x: 1, y: 1 }, c: { x: 0, y: 0 } } },
    ];
    expect(JSON.parse(merged(`${project}/canvas.json`, canvas(from), canvas(left), canvas(right)))).to.deep.equal({
      layout: { zoom: 2, nodes: { a: { x: 5, y: 6 }, b: { x: 7, y: 8 }, c: { x: 0, y: 0 } } },
    });
    // A point is one value: the merge never mixes two.
    expect(
      merge(
        `${project}/canvas.json`,
        canvas(from),
        canvas(left),
        canvas({ ...from, nodes: { ...from.nodes, a: { x: 9, y: 1 } } }),
      )!.conflicts,
    ).to.be.greaterThan(0);
    const lines = (...ids: string[]): object[] => ids.map((id) => ({ id, message: id }));
    const runWith = (fields: object): string =>
      `${JSON.stringify({ id: 'run_1', status: 'running', started_at: 'x', ...fields, created_at: 'x', updated_at: 'x' }, null, 2)}\n`;
    const run = (...ids: string[]): string => runWith({ events: lines(...ids) });
    const events = JSON.parse(merged(`${project}/runs/run_1.json`, run('1'), run('1', '2'), run('1', '3'))) as {
      events: { id: string }[];
    };
    expect(events.events.map(({ id }) => id)).to.have.members(['1', '2', '3']);
    // A person answers, while the agent reports in another branch.
    const asks = { awaiting: { question: 'Which', asked_at: 'x' }, events: lines('1') };
    const answered = { events: [...lines('1'), { id: '2', message: 'This', author: 'human:a', question: 'Which' }] };
    const reported = { ...asks, commits: ['1234567'], tokens: 5, events: lines('1', '3') };
    const answer = JSON.parse(
      merged(`${project}/runs/run_1.json`, runWith(asks), runWith(answered), runWith(reported)),
    ) as { events: { id: string }[] };
    expect(answer)
      .to.deep.include({ commits: ['1234567'], tokens: 5 })
      .and.not.have.property('awaiting');
    expect(answer.events.map(({ id }) => id)).to.have.members(['1', '2', '3']);
  });

  it('merges a move in the order by hand with other changes of the task, and with another move [A.rank.merge]', () => {
    const ranked = (rank: string): string => task.replace('label: Pay\n', `label: Pay\nrank: ${rank}\n`);
    const verified = task.replace('status: todo', 'status: done').replace('tags:', 'severity: high\ntags:');
    expect(merged(taskPath, task, ranked('2026V'), verified)).to.equal(
      verified.replace('label: Pay\n', 'label: Pay\nrank: 2026V\n'),
    );
    expect(merged(taskPath, task, ranked('2026V'), ranked('2026V'))).to.equal(ranked('2026V'));
    expect(merge(taskPath, task, ranked('2026V'), ranked('2026b'))!.conflicts).to.equal(1);
  });

  it('merges the settings of a root member by member', () => {
    const config = (members: object): string => `${JSON.stringify({ format: 1, ...members }, null, 2)}\n`;
    expect(
      JSON.parse(
        merged(
          'sub/.planner/config.json',
          config({ private: ['runs'] }),
          config({ private: ['runs', 'history'] }),
          config({ private: ['runs', 'comments'], project_id: 'prj_1' }),
        ),
      ),
    ).to.deep.equal({ format: 1, private: ['runs', 'history', 'comments'], project_id: 'prj_1' });
  });

  it('merges HTML artifacts: the record in its line, the content line by line [A.git.html]', () => {
    const path = `${project}/artifacts/page.art_abc1230000000001.html`;
    const page =
      '<!-- planner {"id": "art_abc1230000000001", "created_at": "2026-01-01", "title": "Page"} -->\n<h1>One</h1>\n<p>two</p>\n<p>three</p>\n';
    const [ours, theirs] = [page.replace('"Page"', '"Our page"').replace('One', 'ONE'), page.replace('three', 'THREE')];
    expect(merged(path, page, ours, theirs)).to.equal(ours.replace('three', 'THREE'));
    expect(merge(path, page, ours, page.replace('One', 'Eins'))!.bytes.toString()).to.contain(
      '\n<<<<<<< ours\n<h1>ONE</h1>\n=======\n<h1>Eins</h1>\n>>>>>>> theirs\n<p>two</p>',
    );
  });

  it('follows an artifact that changed its format on one side', () => {
    const markdown = '---\nid: art_abc1230000000001\ncreated_at: 2026-01-01\ntitle: Page\n---\n<p>a</p>\n<p>b</p>\n';
    const html =
      '<!-- planner {"id": "art_abc1230000000001", "created_at": "2026-01-01", "title": "Page"} -->\n<p>a</p>\n<p>b</p>\n';
    const path = `${project}/artifacts/page.art_abc1230000000001.html`;
    expect(
      merged(path, markdown, html, markdown.replace('title: Page', 'title: New').replace('<p>b', '<p>B')),
    ).to.equal(html.replace('"Page"', '"New"').replace('<p>b', '<p>B'));
  });

  it('unites the lines of a segment of history', () => {
    const path = `${project}/history/2026-01/abcdefgh.jsonl`;
    expect(merged(path, '{"at":"1"}\n', '{"at":"1"}\n{"at":"3"}\n', '{"at":"1"}\n{"at":"2"}\n')).to.equal(
      '{"at":"1"}\n{"at":"2"}\n{"at":"3"}\n',
    );
  });

  it('takes the resolution if the base contains a conflict that both branches have resolved alike', () => {
    const base = task.replace(
      'status: todo',
      '<<<<<<< Temporary merge branch 1\nstatus: done\n=======\nstatus: scope\n>>>>>>> Temporary merge branch 2',
    );
    const settled = task.replace('status: todo', 'status: scope');
    expect(
      merged(taskPath, base, settled.replace('Pay', 'Pay it'), settled.replace('kind: build', 'kind: decision')),
    ).to.equal(settled.replace('Pay', 'Pay it').replace('kind: build', 'kind: decision'));
  });

  it('leaves two records at one path, and unreadable files, to git', () => {
    const other = task.replace('id: tsk_abc1230000000001', 'id: tsk_abc1230000000009');
    expect(merge(taskPath, undefined, task, other)).to.equal(undefined);
    expect(merge(taskPath, task, task.replace('status: todo', 'status: [todo'), task.replace('Pay', 'x'))).to.equal(
      undefined,
    );
    expect(merge('README.md', 'a', 'b', 'c')).to.equal(undefined);
    expect(merge(`${project}/notes.txt`, 'a', 'b', 'c')).to.equal(undefined);
  });
});
