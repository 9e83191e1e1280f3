import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fullProject } from '../support/full-project.ts';
import { TestService } from '../support/service.ts';
import { layOut, readEverything } from './fixture.ts';

/*
 * Creates a fixture of the format that this Planner writes: `node test/upgrades/make-fixture.ts test/upgrades/fixtures/format-<n>`. A
 * format's fixture is created once, when the format is new, and never again: it tests that old files still open.
 */
const target = process.argv[2];
if (target === undefined) throw new Error('Say where: node test/upgrades/make-fixture.ts <directory>');

/** Files written by people, in every form that the format permits; `created_at` is given if it would come from the file's time. */
const byHand: Readonly<Record<string, string>> = {
  'tasks/by-hand.md':
    '---\nlabel: Written by hand\n# A comment of a person\nstatus: "done"\ntags: [soil, Spring work]\n---\nWithout an id.\n',
  'tasks/windows.md':
    '\ufeff---\r\nid: tsk_windows\r\nlabel: From an editor on Windows\r\nstatus: todo\r\n---\r\nLines end in CRLF.\r\n',
  'tasks/linked.md':
    '---\nid: tsk_linked\nlabel: >-\n  A label\n  in two lines\nstatus: todo\ndue_date: 2030-01-02\nlinks:\n  - to: tsk_windows\n    label: depends_on\n---\n\nA line before.\n',
  'documents/Dropped/Deep/plain.md': '# A heading is the title\n\nNo front matter at all.\n',
  'notes/Just a name.md': 'Neither front matter nor heading.\n',
};

const directory = mkdtempSync(join(tmpdir(), 'planner-fixture-'));
const service = await TestService.start({ directory });
const project = await fullProject(service);
const { rest } = service;
await rest.post('/keys', { name: 'Night builds', kind: 'agent', project_id: project.id });
await rest.post(`/projects/${project.id}/artifacts`, {
  title: 'Sketch',
  kind: 'markdown',
  content: '# Beds\n\nThree.\n',
});
await rest.post(`/projects/${project.id}/artifact-comments`, { artifact_id: 'src/beds.ts', body: 'Too **narrow**.' });
await rest.patch(`/documents/${project.document}`, {
  body: `# Second\n\n${'A long text, kept as a patch. '.repeat(300)}\n`,
});
await rest.patch(`/documents/${project.document}`, {
  body: `# Third\n\n${'A long text, kept as a patch. '.repeat(300)}!\n`,
});
await service.stop();

const planner = join(directory, '.planner');
const plan = join(planner, 'projects', readdirSync(join(planner, 'projects'))[0]!);
for (const [path, text] of Object.entries(byHand)) {
  mkdirSync(join(plan, path, '..'), { recursive: true });
  writeFileSync(join(plan, path), text);
}
rmSync(target, { recursive: true, force: true });
// The keys in local/ belong to the format; they are stored separately, because git ignores local/.
cpSync(planner, join(target, 'planner'), { recursive: true, filter: (source) => !source.endsWith('/local') });
cpSync(join(planner, 'local', 'service'), join(target, 'service'));
rmSync(directory, { recursive: true, force: true });

const again = mkdtempSync(join(tmpdir(), 'planner-fixture-'));
layOut(target, again);
const reopened = await TestService.start({ directory: again });
// The position in the feed is that of one opening.
const withoutCursor = (key: string, value: unknown): unknown => (key === 'events_cursor' ? undefined : value);
writeFileSync(join(target, 'expected.json'), `${JSON.stringify(await readEverything(reopened), withoutCursor, 1)}\n`);
await reopened.stop();
rmSync(again, { recursive: true, force: true });
