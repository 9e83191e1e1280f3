import { expect } from 'chai';
import { initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Clone, type Held } from './clone.ts';

/** Each changes folders in a branch, together with a document in it. */
type Work = (clone: Clone, project: string, folder: string, side: string) => Promise<void>;

const make: Work = async (clone, project, _, side) => {
  const folder_id = await clone.post(project, 'folders', { name: `Made ${side}` });
  await clone.post(project, 'documents', { title: `In ${side}`, body: 'New.\n', folder_id });
};
const rename: Work = (clone, _, folder, side) => clone.patch(`/folders/${folder}`, { name: `Renamed ${side}` });
const move: Work = async (clone, project, folder, side) => {
  const parent_folder_id = await clone.post(project, 'folders', { name: `Above ${side}` });
  await clone.patch(`/folders/${folder}`, { parent_folder_id });
};

describe('Folders that two branches change, without a merge driver', function () {
  this.timeout(120_000);
  let clone: Clone;
  let project: string;
  let folders: readonly string[];
  afterEach(() => clone.service.stop());
  const scratch = scratchDirectory();

  beforeEach(async () => {
    initRepository(scratch.path);
    clone = new Clone(scratch.path, 'Ada');
    await clone.start();
    project = await clone.service.project('Plan');
    const made: string[] = [];
    for (const name of ['Beds', 'Beds beside', 'Paths']) {
      made.push(await clone.post(project, 'folders', { name }));
      await clone.post(project, 'documents', { title: `Page of ${name}`, body: 'Text.\n', folder_id: made.at(-1) });
    }
    folders = made;
  });

  /** The titles of the documents with the names of their folders. Every folder that is named is served. */
  async function served(): Promise<readonly string[]> {
    const state = await clone.state(project);
    const of = (collection: string): readonly Held[] =>
      [...state.values()].filter((one) => one.collection === collection);
    const parents = of('folder').map(({ record }) => record['parent_folder_id']);
    for (const id of parents) if (typeof id === 'string') expect(state.has(id), id).to.equal(true);
    return of('document').map(({ record }) => {
      const folder = state.get(String(record['folder_id']));
      expect(folder, String(record['title'])).not.to.equal(undefined);
      return `${String(record['title'])} in ${String(folder?.record['name'])}`;
    });
  }

  const works = { make, rename, move };
  for (const [there, theirs] of Object.entries(works))
    for (const [here, ours] of Object.entries(works))
      for (const isSame of here === 'make' || there === 'make' ? [false] : [false, true])
        it(`${there} and ${here} ${isSame ? 'the same folder' : 'folders'} and are served whole until resolve settles it [A.git.folders]`, async () => {
          await clone.apart(
            () => theirs(clone, project, folders[0]!, 'there'),
            () => ours(clone, project, folders[isSame ? 0 : 1]!, 'here'),
          );
          const made = [there, here].filter((one) => one === 'make').length;
          clone.merge('other');
          await clone.service.store.rescan();
          expect((await served()).length).to.be.at.least(3 + made);
          expect((await clone.resolvePaths()).left).to.deep.equal([]);
          expect(clone.unmerged()).to.deep.equal([]);
          clone.conclude();
          await clone.settle();
          expect(clone.problems()).to.deep.equal([]);
          const documents = await served();
          expect(documents).to.have.length(3 + made);
          expect(new Set(documents.map((one) => one.split(' in ')[0])).size).to.equal(3 + made);
          expect(clone.git('status', '--porcelain')).to.equal('');
        });
});
