import { expect } from 'chai';
import type { ImportReport } from '../../src/domain/records/collections.ts';
import { treeInMemory } from '../../src/exchange/plan-files.ts';
import { findPlan, readPlan } from '../../src/exchange/read-plan.ts';
import { decodeText } from '../../src/exchange/text-encoding.ts';

const options = { name: 'Plan', withDeleted: false };
const csv = 'Summary;Issue key;Issue id;Issue Type;Status\r\nTüren ölen – 5 €;GDN-1;1;Task;To Do\r\n';
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const windows = (text: string): Buffer => Buffer.from(text.replaceAll('–', '\x96').replaceAll('€', '\x80'), 'latin1');

/** The label of the only task, and the report. */
function imported(path: string, bytes: Uint8Array): { readonly label: unknown; readonly report: ImportReport } {
  const tree = treeInMemory(new Map([[path, bytes]]));
  const plan = readPlan(tree, findPlan(tree, path.includes('/') ? '' : path), options);
  if (plan.kind === 'export') throw new Error('It is no export.');
  return { label: plan.draft.lists.get('tasks')![0]!['label'], report: plan.report };
}

describe('Texts of plans', () => {
  it('are decoded as what their bytes are, and the report says what was assumed [D9.moving.encodings]', () => {
    const forms: Readonly<Record<string, Buffer>> = {
      'UTF-8': Buffer.from(csv),
      'UTF-8 with a mark': Buffer.from(`\ufeff${csv}`),
      'UTF-16LE with a mark': utf16(`\ufeff${csv}`),
      'UTF-16BE with a mark': utf16(`\ufeff${csv}`).swap16(),
      'UTF-16LE': utf16(csv),
      'UTF-16BE': utf16(csv).swap16(),
      'Windows-1252': windows(csv),
    };
    for (const [name, bytes] of Object.entries(forms)) {
      const { label, report } = imported('jira.csv', bytes);
      expect(label, name).to.equal('Türen ölen – 5 €');
      expect(report.remarks, name).to.deep.equal(
        name === 'Windows-1252'
          ? [{ what: 'A text that is not UTF-8: it was read as Windows-1252.', count: 1, examples: ['jira.csv'] }]
          : [],
      );
    }
    const json = JSON.stringify([{ number: 1, title: 'Türen', state: 'OPEN', labels: [] }]);
    expect(imported('issues.json', utf16(`\ufeff${json}`)).label).to.equal('Türen');
    const page = windows('---\nid: TASK-1\ntitle: Türen\nstatus: To Do\n---\n');
    const { label, report } = imported('backlog/tasks/task-1 - T.md', page);
    expect(label).to.equal('Türen');
    expect(report.remarks[0]!.examples).to.deep.equal(['tasks/task-1 - T.md']);
  });

  it('are refused with the line and the byte if they are in no encoding [D9.moving.encodings]', () => {
    const bytes = Buffer.concat([Buffer.from('Summary;Issue key;Status\nTüren ölen;A-1;'), Buffer.from([0xfc])]);
    expect(() => imported('jira.csv', bytes)).to.throw(
      /^jira\.csv: Line 2 has the byte 0xFC \(at \d+\), which is not UTF-8/,
    );
    expect(decodeText(Buffer.from([0x41, 0x81, 0x0a])).problem).to.match(/^Line 1 has the byte 0x81/);
    expect(decodeText(Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8])).problem).to.match(/^Line 1 is not UTF-16LE/);
    const tree = treeInMemory(
      new Map([
        ['backlog/tasks/task-1 - A.md', Buffer.from('---\nid: TASK-1\ntitle: A\nstatus: To Do\n---\n')],
        ['backlog/tasks/task-2 - B.md', Buffer.from([0xc3, 0xbc, 0x0a, 0xfc, 0x0a])],
      ]),
    );
    const plan = readPlan(tree, findPlan(tree, ''), options);
    if (plan.kind === 'export') throw new Error('It is no export.');
    expect(plan.report.left_out[0]!.reason).to.match(/^Line 2 has the byte 0xFC/);
  });

  it('of tables name their delimiter, or have the one that is in their header [D9.moving.encodings]', () => {
    const rows = (delimiter: string): string =>
      `${['Summary', 'Issue key', 'Status'].join(delimiter)}\r\n${['Dig', 'A-1', 'Done'].join(delimiter)}\r\n`;
    const texts = [`sep=;\r\n${rows(';')}`, `"sep=|"\r\n${rows('|')}`, `sep=,\n${rows(',')}`, rows('\t'), rows('|')];
    for (const text of texts) expect(imported('jira.csv', Buffer.from(text)).label, text).to.equal('Dig');
  });
});
