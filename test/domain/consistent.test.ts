import { expect } from 'chai';
import { consistentFolders, consistentTags } from '../../src/domain/exchange/consistent.ts';
import type { FolderRecord, TagRecord } from '../../src/domain/records/collections.ts';

const folder = (id: string, name: string, parent: string | null): FolderRecord =>
  ({ id, name, parent_folder_id: parent }) as FolderRecord;
const tag = (id: string, name: string, aliases: readonly string[]): TagRecord => ({ id, name, aliases }) as TagRecord;

describe('Records that files contradict', () => {
  it('are exported with folders at the top whose parent is missing, or that are inside themselves [D9.total]', () => {
    const folders = [
      ...[folder('a', 'A', null), folder('b', 'a', 'none'), folder('c', 'C', 'a'), folder('d', 'D', 'e')],
      ...[folder('e', 'E', 'd')],
    ];
    expect(consistentFolders(folders).map(({ name, parent_folder_id }) => [name, parent_folder_id])).to.deep.equal([
      ...[
        ['A', null],
        ['a (2)', null],
        ['C', 'a'],
        ['D', null],
        ['E', null],
      ],
    ]);
  });

  it('are exported with one tag for each name [D9.total]', () => {
    const tags = [tag('2', 'Soil', ['x']), tag('3', 'bed', []), tag('1', 'soil', ['y'])];
    expect(consistentTags(tags)).to.deep.equal([tag('3', 'bed', []), tag('1', 'soil', ['y', 'x'])]);
  });
});
