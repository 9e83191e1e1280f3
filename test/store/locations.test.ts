import { expect } from 'chai';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { collections as checkedCollections } from '../../src/domain/records/collections.ts';
import { uncheckedCollections } from '../../src/domain/records/record-collections.ts';
import { derivedId } from '../../src/base/ids.ts';
import type { Collection } from '../../src/store/record/collection.ts';
import {
  LocationMap,
  directoryOf,
  fileKey,
  folderMember,
  idByPath,
  idOfFolder,
  idOfKey,
  isServiceName,
  keyOfFile,
  nameOf,
  rowKey,
  rowOf,
  serviceName,
  stemOf,
} from '../../src/store/record/locations.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { fullProject } from '../support/full-project.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { TestService, watched } from '../support/service.ts';
import { until } from '../web/support/until.ts';

const collections: readonly Collection[] = uncheckedCollections.map((one) => ({ ...one, validate: () => [] }));
const named = (name: string): Collection => collections.find((one) => one.name === name)!;
const code = 'abc123';
const id = (kind: string): string => `${kind}_${code}0000007890`;
const record = (fields: object): StoredRecord => fields as StoredRecord;

describe('The location of a file in a project', () => {
  it('determines its collection, by directory, depth and extension', () => {
    const places = new LocationMap(collections);
    const collectionAt = (path: string): string | undefined => places.at(path)?.name;
    for (const [path, collection] of [
      ['project.json', 'project'],
      ['canvas.json', 'canvas'],
      ['tags/api.json', 'tag'],
      ['tasks/dig.tsk_x.md', 'task'],
      ['notes/A.1234.md', 'note'],
      ['comments/tsk_x/cmt_y.json', 'comment'],
      ['documents/A.md', 'document'],
      ['documents/Folder/Deeper/A.md', 'document'],
      ['documents/Folder/', 'folder'],
      ['documents/Folder/Deeper/', 'folder'],
    ] as const)
      expect(collectionAt(path), path).to.equal(collection);
    for (const path of [
      ...['', 'tasks', 'other.json', 'other/a.json', 'tasks/project.json', 'tasks/dig.json', 'tags/api.md'],
      ...[
        'tasks/deeper/dig.md',
        'comments/cmt_y.json',
        'comments/a/b/cmt_y.json',
        'documents/.folders.json',
        'documents/',
      ],
      ...['tasks/deeper/', 'documents/.A.md', 'documents/.hidden/A.md', '.documents/A.md', '.git/a/b.md'],
      ...['documents/.hidden/', 'documents/Folder/.folders.json', 'documents/A.txt'],
    ])
      expect(collectionAt(path), path).to.equal(undefined);
    expect(places.foldersOf('documents')?.name).to.equal('folder');
    expect(places.foldersOf('tasks')).to.equal(undefined);
  });

  it('has a directory and a name', () => {
    expect(['a/b/c.md', 'c.md', ''].map(directoryOf)).to.deep.equal(['a/b', '', '']);
    expect(['a/b/c.md', 'c.md', 'a/'].map(nameOf)).to.deep.equal(['c.md', 'c.md', '']);
    const folder = (name: string): StoredRecord => record({ id: 'fld_x', name });
    expect(rowOf(folder('Folder'), 'documents/Folder/')).to.deep.equal({ id: 'fld_x' });
    expect(rowOf(folder('Folder: b'), 'documents/Folder_ b/')).to.deep.equal({ id: 'fld_x', name: 'Folder: b' });
    expect(['documents/A', 'documents/a\u0308/B'].map(rowKey)).to.deep.equal(['A', '\u00e4/B']);
  });

  it('determines the id of a record without one, the same on every clone', () => {
    const idAt = (collection: string, path: string): string => idByPath(named(collection), code, 'prj_x', path);
    const task = id('tsk');
    expect(idAt('project', 'project.json')).to.equal('prj_x');
    expect(idAt('canvas', 'canvas.json')).to.equal('canvas');
    expect(idAt('tag', 'tags/api.json')).to.equal(derivedId('tag', code, 'api'));
    expect(idAt('tag', `tags/${id('tag')}.json`)).to.equal(derivedId('tag', code, id('tag')));
    expect(idAt('task', `tasks/dig.${task}.md`)).to.equal(task);
    expect(idAt('task', 'tasks/dig.md')).to.equal(derivedId('task', code, 'tasks/dig.md'));
    const [composed, decomposed] = ['tasks/\u00e4.md', 'tasks/a\u0308.md'];
    expect(idAt('task', decomposed)).to.equal(derivedId('task', code, composed));
    // A title may look like an id.
    for (const [collection, path] of [
      ['document', `documents/${id('doc')}.md`],
      ['note', `notes/a.${id('not')}.md`],
    ] as const)
      expect(idAt(collection, path)).to.equal(derivedId(named(collection).id, code, path));
    expect(idAt('folder', 'documents/A/')).to.equal(derivedId('folder', code, 'documents/A'));
    expect(idOfFolder(code, 'documents', ['A', 'B'])).to.equal(derivedId('folder', code, 'documents/A/B'));
    expect(idOfFolder(code, 'documents', ['A/B'])).not.to.equal(derivedId('folder', code, 'documents/A/B'));
  });

  it('has a key that is safe as a name, and distinct keys stay distinct', () => {
    expect(keyOfFile('tags/api.json')).to.equal('api');
    expect(keyOfFile('tags/api.json.json')).to.equal('api.json');
    expect(keyOfFile('tags/a.jsonx')).to.equal('a.jsonx');
    expect(fileKey('API')).to.equal('api');
    const keys = ['a/b', 'a:b', 'a-b'].map(fileKey);
    expect(new Set(keys)).to.have.lengthOf(3);
    expect(keys[0]).to.match(/^[^/]+~[0-9a-f]{6}$/);
    expect(idOfKey('tag', code, 'API')).to.equal(derivedId('tag', code, 'api'));
  });
});

describe('The file name of a record', () => {
  const nameFor = (collection: string, fields: object): string => serviceName(named(collection), record(fields));

  it('consists of its title and its id', () => {
    expect(nameFor('project', { id: 'prj_x' })).to.equal('project.json');
    expect(nameFor('task', { id: id('tsk'), label: 'Dig deep' })).to.equal(`dig-deep.${id('tsk')}.md`);
    for (const label of ['', '///', undefined, 5])
      expect(nameFor('task', { id: id('tsk'), label }), String(label)).to.equal(`${id('tsk')}.md`);
    expect(nameFor('run', { id: id('run'), title: 'Dig' })).to.equal(`${id('run')}.json`);
    expect(nameFor('note', { id: id('not'), title: 'Dig deep' })).to.equal('Dig deep.7890.md');
    expect(nameFor('document', { id: id('doc'), title: 'Dig deep' })).to.equal('Dig deep.7890.md');
    expect(nameFor('comment', { id: id('cmt') })).to.equal(`${id('cmt')}.json`);
    expect(nameFor('folder', { id: id('fld'), name: 'A' })).to.equal('');
    expect(nameFor('artifact', { id: id('art'), title: 'A', kind: 'html' })).to.equal(`a.${id('art')}.html`);
  });

  it('is, for a tag, the name that its id was derived from, also a former one', () => {
    const tag = (name: string): string => idOfKey('tag', code, name);
    expect(nameFor('tag', { id: tag('API'), name: 'API' })).to.equal('api.json');
    expect(nameFor('tag', { id: tag('old'), name: 'new', aliases: ['older', 'old'] })).to.equal('old.json');
    expect(nameFor('tag', { id: tag('gone'), name: 'new', aliases: ['older'] })).to.equal('new.json');
    expect(nameFor('tag', { id: tag('old'), name: 5, aliases: [null, 'old'] })).to.equal('old.json');
    expect(nameFor('tag', { id: tag('old'), name: 'new', aliases: 'old' })).to.equal('new.json');
    expect(nameFor('tag', { id: 'no id', name: 'new' })).to.equal('new.json');
    const { former: _, ...location } = named('tag').location as { former?: string };
    const without = { ...named('tag'), location } as Collection;
    const former = record({ id: tag('old'), name: 'new', aliases: ['old'], undefined: ['old'] });
    expect(serviceName(without, former)).to.equal('new.json');
  });

  it('is distinguished from one that a person gave, also with more of the id', () => {
    for (const [name, made, is] of [
      ['Dig.7890.md', 'Dig.7890.md', true],
      ['Dig.0000007890.md', 'Dig.7890.md', false],
      ['Dig.7890.1.md', 'Dig.7890.md', true],
      ['Digging.7890.md', 'Dig.7890.md', false],
      ['Dig.7890.json', 'Dig.7890.md', false],
      ['Dig.md', 'Dig.7890.md', false],
      ['Dig.7890.md', undefined, false],
    ] as const)
      expect(isServiceName(name, made), `${name} of ${made}`).to.equal(is);
  });

  it('has a stem without the extension of its format', () => {
    expect(stemOf(named('task'), 'dig.md')).to.equal('dig');
    expect(stemOf(named('task'), 'dig.json')).to.equal('dig.json');
    expect(stemOf(named('artifact'), 'page.html')).to.equal('page');
    expect(stemOf(named('tag'), 'api.json')).to.equal('api');
  });

  it('is in the folder that a member of the record names', () => {
    expect(folderMember(named('document'))).to.equal('folder_id');
    expect(folderMember(named('folder'))).to.equal('parent_folder_id');
    expect([named('task'), named('comment'), undefined].map(folderMember)).to.deep.equal(Array(3).fill(undefined));
  });
});

describe('The directories of a project', function () {
  this.timeout(60_000);
  let service: TestService;
  const listed: string[] = [];

  beforeEach(async () => {
    service = await TestService.start({ ...watched, disk: hookedDisk({ entries: (path) => void listed.push(path) }) });
  });
  afterEach(() => service.stop());

  async function projectDirectory(): Promise<string> {
    await service.store.flush();
    const projects = join(service.root, 'projects');
    return join(projects, readdirSync(projects)[0]!);
  }

  it('may contain records where the service writes any, and nowhere else except in trees [A.hostile.junk]', async () => {
    await fullProject(service);
    const top = await projectDirectory();
    const files = readdirSync(top, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const directories = new Set(files.map(({ parentPath }) => relative(top, parentPath)));
    directories.delete('');
    expect(directories.size).to.be.above(10);
    const places = new LocationMap(checkedCollections);
    for (const directory of directories)
      for (let at = directory; at !== '.'; at = dirname(at)) expect(places.mayHold(at), at).to.equal(true);
    expect(places.mayHold('documents/any/depth/of/folders')).to.equal(true);
    const never = [
      'junk',
      'junk/tasks',
      'tasks/junk',
      'tasks/tasks',
      'comments/tsk_1/junk',
      'history/2026-11/junk',
      '',
    ];
    expect(never.filter((directory) => places.mayHold(directory))).to.deep.equal([]);
  });

  it('are not scanned if none of them can contain records, and files moved from there are read [A.hostile.junk]', async () => {
    const { body: project } = await service.rest.post('/projects', { name: 'P' });
    await service.rest.post(`/projects/${project.id}/tasks`, { label: 'There' });
    const top = await projectDirectory();
    const tasks = async (): Promise<string[]> =>
      (await service.rest.get(`/projects/${project.id}/tasks`)).body.tasks.map(({ label }: { label: string }) => label);
    for (const place of ['junk', 'tasks/junk', 'tasks/junk.md']) {
      mkdirSync(join(top, place, 'deep'), { recursive: true });
      writeFileSync(join(top, place, 'deep', 'moved.md'), '---\nlabel: Moved\n---\n');
    }
    writeFileSync(join(top, 'tasks', 'made.md'), '---\nlabel: Made\n---\n');
    await until(async () => (await tasks()).includes('Made'));
    await service.restart();
    expect(await tasks()).to.have.members(['There', 'Made']);
    expect(listed).to.include(join(top, 'tasks'));
    expect(listed.filter((path) => path.includes('junk'))).to.deep.equal([]);
    renameSync(join(top, 'tasks', 'junk', 'deep', 'moved.md'), join(top, 'tasks', 'moved.md'));
    await until(async () => (await tasks()).includes('Moved'));
    mkdirSync(join(top, 'documents'));
    renameSync(join(top, 'junk'), join(top, 'documents', 'junk'));
    const documents = async (): Promise<string> =>
      JSON.stringify((await service.rest.get(`/projects/${project.id}/documents`)).body);
    await until(async () => (await documents()).includes('moved'));
  });
});
