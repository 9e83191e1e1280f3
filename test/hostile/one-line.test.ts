import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import { printable, printableLine } from '../../src/base/printable.ts';
import { inlinedForUs } from '../../src/schema/inline.ts';
import { validator } from '../../src/schema/validators.ts';
import type { InputSchema } from '../support/random-input.ts';
import { watched, TestService } from '../support/service.ts';
import { until } from '../web/support/until.ts';

const refused = ['\0', '\n', '\r', '\u001b', '\u007f', '\u009b', '\u2028', '\u2029', '\u202e', '\u2066'];
const taken = ['é', '日本語', '👨‍👩‍👧', 'می‌خواهم', 'שלום\u200f!', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'soft\u00adhyphen', 'a\tb'];

/** Short texts of inputs that have their own format, are compared with existing values (as all of a canvas), or are stored as the caller's key. */
const others =
  /(^|\.)(\w*_?id|\w*_ids|ids|since|cursor|token|expires|key|author|from|to|link_to|format|target_id|mime|id_or_name|query|q|folder_id|reparent_to|prototype_id|layout|resource|delete)(\[\])?$/;

/** Inputs whose other short texts are compared with existing values, too. */
const comparedInputs = ['PutCanvasInput', 'FindRecordInput'];

/** Every text member of an input with its path: `tasks[].label`. */
function* texts(schema: InputSchema, path = ''): Generator<readonly [path: string, schema: InputSchema]> {
  const types = [schema.type ?? []].flat();
  if (types.includes('string') && schema.enum === undefined) yield [path, schema];
  if (schema.items !== undefined) yield* texts(schema.items, `${path}[]`);
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    yield* texts(member, path === '' ? name : `${path}.${name}`);
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* texts(choice, path);
}

describe('One-line texts', function () {
  this.timeout(60_000);

  it('are declared as such in the input of every operation [A.hostile.one-line]', () => {
    let count = 0;
    const undeclared = new Set<string>();
    for (const { input } of catalogue) {
      for (const [path, schema] of texts(inlinedForUs(input))) {
        if ((schema as { oneLine?: boolean }).oneLine === true) count++;
        else if ((schema.maxLength ?? Infinity) <= 500 && schema.pattern === undefined && schema.format === undefined)
          if (!others.test(path) && !comparedInputs.includes(input)) undeclared.add(`${input}: ${path}`);
      }
    }
    expect([...undeclared]).to.deep.equal([]);
    expect(count).to.be.greaterThan(60);
  });

  it('are rejected with a control character, with the member and the character in the error [A.hostile.one-line]', () => {
    for (const character of refused) {
      const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
      const [violation] = validator('CreateTaskInput')({ label: `a${character}b` });
      expect(violation, code).to.deep.equal({
        field: 'label',
        message: `label must be one line of text without control characters; it contains ${code}.`,
      });
    }
    for (const label of taken) expect(validator('CreateTaskInput')({ label }), label).to.deep.equal([]);
  });
});

describe('Control characters from callers and files', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start(watched);
    project = await service.project('Plan');
  });
  after(() => service.stop());

  it('are rejected in one-line texts over REST, MCP and from guests, and kept in bodies [A.hostile.one-line]', async () => {
    const { rest } = service;
    const error = { error: 'invalid_argument', field: 'label' };
    const created = await rest.post(`/projects/${project}/tasks`, { label: 'a\u001b]52;c;eA==\u0007' });
    expect(created.status).to.equal(400);
    expect(created.body).to.include(error);
    expect(created.body.message).to.include('U+001B');
    const mcp = await service.mcp();
    const called = await mcp.call('create_task', { project_id: project, label: 'a\u202eb' });
    expect(called.value).to.include(error);
    const { body: link } = await rest.post(`/projects/${project}/participant-links`, {});
    const guest = `/participate/${new URL(link.url).pathname.split('/').at(-1)}/submissions`;
    const submitted = await rest.post(guest, { participant_name: 'g\u009b', title: 'x' });
    expect(submitted.body).to.include({ error: 'invalid_argument', field: 'participant_name' });
    const body = 'a\u001b[2J\u0000\u202e\r\nb';
    const { body: document } = await rest.post(`/projects/${project}/documents`, { title: 'Kept', body });
    expect((await rest.get(`/documents/${document.id}`)).body.body).to.equal(body);
  });

  it('are served from a file, exported, imported and sent back with the canvas [A.hostile.one-line]', async () => {
    const { rest } = service;
    const label = 'by\u001b]0;x\u0007 \u202ehand\nand two';
    const { body: made } = await rest.post(`/projects/${project}/tasks`, { label: 'by hand' });
    await service.store.flush();
    const directory = join(service.root, 'projects', readdirSync(join(service.root, 'projects'))[0]!, 'tasks');
    const file = join(directory, readdirSync(directory)[0]!);
    writeFileSync(file, readFileSync(file, 'utf8').replace('by hand', JSON.stringify(label)));
    await until(async () => (await rest.get(`/tasks/${made.id}`)).body.label === label);
    expect((await rest.get(`/projects/${project}/problems`)).body.problems).to.deep.equal([]);
    expect((await rest.patch(`/tasks/${made.id}`, { status: 'done' })).body.label).to.equal(label);
    const canvas = (await rest.get(`/projects/${project}/canvas`)).body;
    const put = await rest.put(`/projects/${project}/canvas`, { nodes: canvas.nodes, edges: canvas.edges });
    expect(put.status).to.equal(200);
    const unknown = await rest.put(`/projects/${project}/canvas`, { nodes: [{ id: 'n', label, x: 0, y: 0 }] });
    expect(unknown.body).to.include({ error: 'invalid_argument', field: 'nodes[0].label' });
    const exported = (await rest.get(`/projects/${project}/export`)).body;
    const imported = await rest.post('/projects/import', exported);
    expect(imported.status).to.equal(201);
    const { tasks } = (await rest.get(`/projects/${imported.body.id}/tasks`)).body;
    expect(tasks.map((task: { label: string }) => task.label)).to.include(label);
  });
});

describe('Printable text', () => {
  it('is the same text with characters that act on a terminal escaped as in JSON [A.hostile.terminal]', () => {
    expect(printable('a\u001b\u009b\u202e\u2028\rb\r\n\tc\u{e0041}\0')).to.equal(
      'a\\u001b\\u009b\\u202e\\u2028\\u000db\r\n\tc\\udb40\\udc41\\u0000',
    );
    for (const text of taken) expect(printable(text)).to.equal(text);
    expect(printableLine('a\nb\r\nc')).to.equal('a\\u000ab\\u000d\\u000ac');
    const value = { [`\u009b`]: ['\u001b\u202e', '\u{e0041}', 'é'] };
    expect(JSON.parse(printableLine(JSON.stringify(value)))).to.deep.equal(value);
  });
});
