import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitions, PgTables } from '../../src/store/hosted/postgres/pg-schema.ts';
import { fullProject } from '../support/full-project.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { fixtureSchema, rowsOf } from './database-fixture.ts';
import { readEverything } from './fixture.ts';

/*
 * Creates a fixture of the tables that this Planner makes: `node test/upgrades/make-database-fixture.ts test/upgrades/tables/version-<n>`.
 * A version's fixture is created once, when the next version is begun, and never again: it tests that its tables are migrated.
 */
const target = process.argv[2];
if (target === undefined) throw new Error('Say where: node test/upgrades/make-database-fixture.ts <directory>');

/** A file that keeps the fixture small, in more than one piece of base64. */
const fileBytes = Uint8Array.from({ length: 1_001 }, (_, at) => (at * 7 + (at >> 8)) & 255);
/** The tables in an order in which rows can be inserted. */
const tables = [
  'meta',
  'log',
  'answer',
  'revision',
  'snapshot',
  'blob',
  'blob_part',
  'blob_use',
  'foreign_id',
  'session',
  'title',
  'title_word',
  'titled',
];

const cluster = await PostgresCluster.startSingle();
const nodes = await HostedNodes.start(cluster, 1, { snapshots: { entries: 12, characters: 1e9, keepMs: 1e9 } });
const service = { rest: nodes.rest(0), store: nodes.nodes[0]!.store };
const { id, document, tasks } = await fullProject(service, fileBytes);
const { rest } = service;
await rest.post('/keys', { name: 'Night builds', kind: 'agent', project_id: id });
await rest.post(`/tasks/${tasks[0]}/share`, {});
await rest.post(`/projects/${id}/artifacts`, { title: 'Sketch', kind: 'markdown', content: '# Beds\n\nThree.\n' });
for (const title of ['Second', 'Third']) await rest.patch(`/documents/${document}`, { body: `# ${title}\n` });
await nodes.nodes[0]!.store.whenSnapshotsTaken();
await rest.post(`/projects/${id}/tasks`, { label: 'Behind the snapshots' }, { 'Idempotency-Key': 'once' });
const { body: orchard } = await rest.post('/projects', { name: 'Orchard' });
await rest.post(`/projects/${orchard.id}/notes`, { title: 'Without a snapshot', body: 'Five trees.\n' });
const { body: field } = await rest.post('/projects', { name: 'Field' });
await rest.post(`/projects/${field.id}/tasks`, { label: 'Gone' });
await rest.delete(`/projects/${field.id}`);
await nodes.end(0);
await nodes.add();
const shown = await readEverything({ rest: nodes.rest(0) });
await nodes.stop();

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const write = (name: string, text: string): void => writeFileSync(join(target, name), text);
write('tables.sql', `${definitions(new PgTables(fixtureSchema)).replaceAll(`"${fixtureSchema}"`, fixtureSchema)};\n`);
write('rows.json', `${JSON.stringify(await rowsOf(cluster.primary, nodes.schema, tables), undefined, 1)}\n`);
write('expected.json', `${JSON.stringify(shown, undefined, 1)}\n`);
await cluster.remove();
