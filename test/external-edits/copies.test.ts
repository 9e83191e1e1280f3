import { expect } from 'chai';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { FileEditor } from './external-edits.ts';
import { rarely } from '../support/rarely.ts';

interface Kind {
  readonly name: string;
  /** Creates a record with the word `original` in it; returns its id. */
  readonly create: (editor: FileEditor, target: string) => Promise<string>;
  /** Its address below the project's, or of all projects. */
  readonly address: (id: string, editor: FileEditor) => string;
  /** Changes it over REST. */
  readonly change?: { readonly address: (id: string) => string; readonly body: object } | undefined;
  /** A person gives the file another name. */
  readonly isRenamed?: boolean;
}

/** A kind whose records are made, read and changed at the usual addresses. */
function usual(name: string, fields: object, field: string, options: Partial<Kind> = {}): Kind {
  return {
    name,
    create: async (editor) => {
      const { status, body } = await editor.service.rest.post(`/projects/${editor.project}/${name}`, fields);
      expect(status, JSON.stringify(body)).to.equal(201);
      return body.id as string;
    },
    address: (id) => `/${name}/${id}`,
    change: { address: (id) => `/${name}/${id}`, body: { [field]: 'original, changed' } },
    isRenamed: true,
    ...options,
  };
}

const kinds: readonly Kind[] = [
  usual('tasks', { label: 'Dig', description: 'original' }, 'description'),
  usual('goals', { name: 'Spring', objective: 'original' }, 'objective'),
  usual('documents', { title: 'Guide', body: 'original' }, 'body'),
  usual('notes', { title: 'Note', body: 'original' }, 'body'),
  usual('artifacts', { title: 'Report', content: 'original' }, 'content'),
  usual('artifacts', { title: 'Page', kind: 'html', content: '<p>original</p>' }, 'content'),
  usual('prototypes', { name: 'original', viewport: { width: 10, height: 10 } }, 'name'),
  usual('views', { name: 'original', config: {} }, 'name'),
  usual('agent-runs', { label: 'original' }, 'label', { change: undefined }),
  usual('submissions', { participant_name: 'Grace', title: 'original' }, 'title', {
    address: (_, { project }) => `/projects/${project}/submissions`,
    change: undefined,
  }),
  usual('files', { filename: 'original.txt', mime: 'text/plain', content_base64: 'YQ==' }, 'filename', {
    address: (_, { project }) => `/projects/${project}/files`,
    change: undefined,
    // The bytes are in the same directory, with the same name.
    isRenamed: false,
  }),
  {
    name: 'comments',
    create: async (editor, target) => {
      const { status, body } = await editor.service.rest.post(`/tasks/${target}/comments`, { body: 'original' });
      expect(status, JSON.stringify(body)).to.equal(201);
      return body.id as string;
    },
    address: (_, { project }) => `/projects/${project}/comments`,
    change: { address: (id) => `/comments/${id}`, body: { body: 'original, changed' } },
  },
];

/** The endings that tools append to the name of a copy. */
const endings = [
  ' (1)',
  ' 2',
  '-HOST',
  '.sync-conflict-20260101-120000-ABCDEFG',
  " (Bob's conflicted copy 2026-01-01)",
];

describe('Copies of files of records of each kind', () => {
  let editor: FileEditor;
  before(async () => {
    editor = await FileEditor.start();
  });
  after(() => editor.stop());

  /** The only file of a record, relative to the project's directory. */
  function fileOf(id: string): string {
    const found = readdirSync(editor.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(editor.directory.length + 1))
      .filter((path) => !path.startsWith('history/') && new RegExp(`"?id"?: "?${id}`).test(editor.read(path)));
    expect(found, id).to.have.length(1);
    return found[0]!;
  }

  rarely(
    'are listed, and the original stays the served, changed and read file, also after a restart [A.hands.copies-keep, A.hands.copies]',
    async () => {
      const target = (await editor.task({ label: 'Commented' })).id;
      const records: { kind: Kind; id: string; path: string; copies: string[] }[] = [];
      for (const kind of kinds) records.push({ kind, id: await kind.create(editor, target), path: '', copies: [] });
      await editor.service.store.flush();
      for (const record of records) {
        const path = fileOf(record.id);
        record.path = record.kind.isRenamed ? `${dirname(path)}/sync ${record.id.slice(-3)}${extname(path)}` : path;
        renameSync(editor.path(path), editor.path(record.path));
      }
      await editor.settled();
      for (const record of records) {
        const { path } = record;
        const old = editor.read(path).replaceAll('original', 'OLD');
        for (const ending of endings) {
          const copy = `${path.slice(0, -extname(path).length)}${ending}${extname(path)}`;
          writeFileSync(editor.path(copy), old);
          record.copies.push(copy);
        }
      }
      const copies = records.flatMap((record) => record.copies).sort();
      const listed = async (): Promise<void> => {
        const problems = await editor.problems();
        const paths = problems.map(({ path }) => path.split('/').slice(3).join('/'));
        expect(paths.sort()).to.deep.equal(copies);
        expect(new Set(problems.map(({ kind }) => kind))).to.deep.equal(new Set(['duplicate_id']));
      };
      const serves = async (word: string, without = 'OLD'): Promise<void> => {
        for (const { kind, id } of records) {
          const { body } = await editor.service.rest.get(kind.address(id, editor));
          expect(JSON.stringify(body), kind.name).to.contain(word).and.not.to.contain(without);
        }
      };
      await editor.until(listed);
      await serves('original');
      for (const { kind, id, path } of records) {
        if (kind.change === undefined) continue;
        const { status, body } = await editor.service.rest.patch(kind.change.address(id), kind.change.body);
        expect(status, JSON.stringify(body)).to.equal(200);
        await editor.service.store.flush();
        expect(editor.read(path)).to.contain('original, changed');
      }
      await editor.service.restart();
      await listed();
      await serves('original');
      await editor.service.store.watching();
      for (const { path } of records)
        writeFileSync(editor.path(path), readFileSync(editor.path(path), 'utf8').replaceAll('original', 'by a person'));
      await editor.until(() => serves('by a person'));
      await listed();
      for (const copy of copies) expect(editor.read(copy)).to.contain('OLD').and.not.to.contain('original');
    },
  );
});
