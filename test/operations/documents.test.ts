import { expect } from 'chai';
import { planner } from './planner.ts';
import { projectFiles } from './project-files.ts';

describe('Documents and folders', () => {
  const planned = planner();

  const folder = async (project_id: string, name: string, parent_folder_id: string | null = null): Promise<string> =>
    ((await planned.it.call('create_folder', { project_id, name, parent_folder_id })) as { folder: { id: string } })
      .folder.id;
  const write = async (project_id: string, title: string, fields: object = {}): Promise<string> =>
    (
      (await planned.it.call('create_document', { project_id, title, body: '', ...fields })) as {
        document: { id: string };
      }
    ).document.id;

  it('keep their bodies byte for byte, also after a restart [D6.body]', async () => {
    const project_id = await planned.it.project();
    const bodies = [
      '',
      '\n',
      '---\na: b\n---\n',
      'x\r\ny\r\n',
      ' end ',
      '\u{feff}bom',
      'tab\t\n\n\n',
      '---js\nx\n---',
      'é🌱\u2028',
    ];
    const ids: string[] = [];
    for (const [at, body] of bodies.entries()) ids.push(await write(project_id, `Page ${at}`, { body }));
    await planned.reopen();
    for (const [at, document_id] of ids.entries()) {
      const { document } = await planned.it.call('get_document', { document_id });
      expect(document.body, `Page ${at}`).to.equal(bodies[at]);
    }
  });

  it('show their links and backlinks, each with its edge [D6.document] [D6.link_to]', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: 'Dig' });
    const first = await write(project_id, 'Soil', { link_to: task.id, status_line: 'draft' });
    const second = await write(project_id, 'Beds', { link_to: [first, task.id] });
    const { document } = await planned.it.call('get_document', { document_id: second });
    expect(document.links.map(({ edge_id: _, ...link }: { edge_id: string }) => link)).to.have.deep.members([
      { type: 'document', id: first, title: 'Soil', label: 'references' },
      { type: 'task', id: task.id, title: 'Dig', label: 'documents' },
    ]);
    const { document: linked } = await planned.it.call('get_document', { document_id: first });
    expect(linked).to.include({ status: 'draft', folder_id: null, position: null });
    const [back] = linked.backlinks;
    expect(back).to.include({ type: 'document', id: second, title: 'Beds', label: 'references' });
    const { backlinks } = await planned.it.call('list_task_backlinks', { task_id: task.id });
    expect(backlinks.map(({ id }: { id: string }) => id)).to.have.members([first, second]);
    await planned.it.call('delete_edge', { edge_id: back.edge_id });
    expect((await planned.it.call('get_document', { document_id: first })).document.backlinks).to.deep.equal([]);
  });

  it('reject links to missing records or to themselves, without any change', async () => {
    const project_id = await planned.it.project();
    const input = { project_id, title: 'Soil', body: '', link_to: ['tsk_none'] };
    expect(await planned.it.refusal('create_document', input)).to.include({
      error: 'invalid_argument',
      field: 'link_to[0]',
    });
    expect((await planned.it.call('list_documents', { project_id })).documents).to.deep.equal([]);
    const document_id = await write(project_id, 'Soil');
    expect(await planned.it.refusal('update_document', { document_id, title: 'x', link_to: document_id })).to.include({
      field: 'link_to',
    });
    expect((await planned.it.call('get_document', { document_id })).document.title).to.equal('Soil');
  });

  it('are listed as a tree of folders by name, with bodies for programs and as rows for agents [D6.tree]', async () => {
    const project_id = await planned.it.project();
    const outer = await folder(project_id, 'b outer');
    const inner = await folder(project_id, 'inner', outer);
    const empty = await folder(project_id, 'A empty');
    const [unfiled, filed] = [
      await write(project_id, 'Free'),
      await write(project_id, 'Filed', { folder_id: inner, body: 'text' }),
    ];
    const tree = await planned.it.call('list_documents', { project_id });
    expect(tree.folders.map(({ id }: { id: string }) => id)).to.deep.equal([empty, outer]);
    expect(tree.folders[1].folders[0]).to.deep.include({
      id: inner,
      name: 'inner',
      parent_folder_id: outer,
      folders: [],
    });
    expect(tree.folders[1].folders[0].documents[0]).to.include({ id: filed, body: 'text', folder_id: inner });
    expect(tree.documents.map(({ id }: { id: string }) => id)).to.deep.equal([unfiled]);
    const rows = await planned.it.call('list_documents', { project_id }, { transport: 'mcp' });
    expect(rows).to.include({ documents_total: 2, folders_total: 3 });
    expect(rows.folders[1].folders[0].documents).to.deep.equal([{ id: filed, title: 'Filed', folder_id: inner }]);
    expect(rows.documents).to.deep.equal([{ id: unfiled, title: 'Free' }]);
    const part = await planned.it.call('list_documents', { project_id, folder_id: outer });
    expect([part.documents, part.folders[0].id]).to.deep.equal([[], inner]);
    const free = await planned.it.call('list_documents', { project_id, folder_id: null });
    expect([free.folders, free.documents.length]).to.deep.equal([[], 1]);
  });

  it('are in the directories of their folders, and move with them', async () => {
    const project_id = await planned.it.project();
    const outer = await folder(project_id, 'Outer');
    const inner = await folder(project_id, 'Inner', outer);
    const document_id = await write(project_id, 'Soil', { folder_id: inner });
    await planned.it.store.flush();
    const paths = (): string[] =>
      Object.keys(projectFiles(planned.root).files).filter(
        (path) => path.endsWith('.md') && path.startsWith('documents'),
      );
    expect(paths()).to.deep.equal([`documents/Outer/Inner/Soil.${document_id.slice(-4)}.md`]);
    await planned.it.call('update_folder', { folder_id: outer, name: 'Around' });
    await planned.it.call('update_folder', { folder_id: inner, parent_folder_id: null });
    await planned.reopen();
    expect(paths()).to.deep.equal([`documents/Inner/Soil.${document_id.slice(-4)}.md`]);
    const { document } = await planned.it.call('get_document', { document_id });
    expect(document.folder_id).to.equal(inner);
    const { folder: renamed } = await planned.it.call('get_folder', { folder_id: outer });
    expect(renamed).to.include({ name: 'Around', parent_folder_id: null });
  });

  it('reject cycles of folders and duplicate names among siblings [D6.folder-names]', async () => {
    const project_id = await planned.it.project();
    const outer = await folder(project_id, 'Outer');
    const inner = await folder(project_id, 'Inner', outer);
    for (const parent_folder_id of [outer, inner]) {
      const refusal = await planned.it.refusal('update_folder', { folder_id: outer, parent_folder_id });
      expect(refusal).to.include({ error: 'invalid_argument', field: 'parent_folder_id' });
    }
    expect(await planned.it.refusal('create_folder', { project_id, name: 'OUTER' })).to.include({
      error: 'invalid_argument',
      field: 'name',
    });
    await folder(project_id, 'Outer', outer);
    expect(await planned.it.refusal('update_folder', { folder_id: inner, name: 'outer' })).to.include({
      field: 'name',
    });
  });

  it('move to the parent of a deleted folder, or to the given folder [D6.delete_folder]', async () => {
    const project_id = await planned.it.project();
    const outer = await folder(project_id, 'Outer');
    const middle = await folder(project_id, 'Middle', outer);
    const inner = await folder(project_id, 'Inner', middle);
    const document_id = await write(project_id, 'Soil', { folder_id: middle });
    const folderOf = async (): Promise<string | null> =>
      (await planned.it.call('get_document', { document_id })).document.folder_id as string | null;
    expect(await planned.it.refusal('delete_folder', { folder_id: middle, reparent_to: inner })).to.include({
      field: 'reparent_to',
    });
    const deleted = await planned.it.call('delete_folder', { folder_id: middle });
    expect(deleted).to.deep.include({ deleted: middle, reparented_to: outer, documents: 1, folders: 1 });
    expect(await folderOf()).to.equal(outer);
    expect((await planned.it.call('get_folder', { folder_id: inner })).folder.parent_folder_id).to.equal(outer);
    await planned.it.call('delete_folder', { folder_id: outer, reparent_to: null });
    expect(await folderOf()).to.equal(null);
    await planned.reopen();
    expect(await folderOf()).to.equal(null);
    expect(
      (await planned.it.call('list_folders', { project_id })).folders.map(({ id }: { id: string }) => id),
    ).to.deep.equal([inner]);
  });

  it('are moved independently: failures are listed [D6.move_documents]', async () => {
    const project_id = await planned.it.project();
    const [target, first, second] = [
      await folder(project_id, 'Target'),
      await write(project_id, 'One'),
      await write(project_id, 'Two'),
    ];
    const answer = await planned.it.call('move_documents', {
      project_id,
      document_ids: [first, 'doc_none', second],
      folder_id: target,
    });
    expect(answer.moved).to.deep.equal([first, second]);
    expect(answer.failed).to.have.length(1);
    expect(answer.failed[0]).to.include({ document_id: 'doc_none', error: 'not_found' });
    const none = await planned.it.call('move_documents', { project_id, document_ids: ['doc_none'], folder_id: null });
    expect(none.moved).to.deep.equal([]);
  });
});
