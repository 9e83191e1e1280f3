import { expect } from 'chai';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import { pathMembers, schemaOf, send } from '../support/catalogue-calls.ts';
import { fullProject } from '../support/full-project.ts';
import { nastyJson, nastyText } from '../support/nasty-texts.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { Random } from '../support/random.ts';
import { RandomInput } from '../support/random-input.ts';
import { TestService } from '../support/service.ts';
import { populate } from '../support/world.ts';

/** Values that some rule or reader treats in a way of its own. */
const odd: readonly unknown[] = [
  ...[
    '',
    ' ',
    '\u200b',
    '<!-- only a remark -->',
    '<script>x</script>',
    'Vec<String>',
    '<p></p>',
    '<'.repeat(3000),
    'x'.repeat(501),
  ],
  ...[
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00+14:00',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999-23:59',
    '2026-02-30',
  ],
  ...[
    'own-node',
    'General',
    '/api/v1/files/own-node',
    'a/b',
    '..',
    'CON',
    null,
    true,
    0,
    -1,
    1e308,
    [],
    {},
    [null],
    ['a', 'A', 'ß', 'SS'],
    [{}],
  ],
];

/** Changes that people, merges and other programs make to files. */
class Edits {
  readonly #random: Random;
  readonly #files: Map<string, string>;

  constructor(random: Random, files: ReadonlyMap<string, string>) {
    this.#random = random;
    this.#files = new Map(files);
  }

  get files(): ReadonlyMap<string, string> {
    return this.#files;
  }

  one(): void {
    const random = this.#random;
    const path = random.pick([...this.#files.keys()]);
    const text = this.#files.get(path)!;
    const roll = random.integer(0, 9);
    if (roll <= 5) this.#files.set(path, this.#changed(path, text));
    else if (roll === 6) this.#files.set(this.#beside(path), random.chance(0.5) ? text : this.#changed(path, text));
    else if (roll === 7) this.#files.set(this.#beside(path), this.#asAnother(text));
    else if (roll === 8 && path !== 'project.json') this.#files.delete(path);
    else if (roll === 9 && random.chance(0.5))
      this.#files.set(join('documents', this.#folders(), `${random.integer(1, 9)}.md`), text);
    else if (roll === 9) this.#files.set(path, this.#asAnother(text));
  }

  /** The file with another id: of any record, or a new one. */
  #asAnother(text: string): string {
    const ids = [...this.#files.values()].flatMap((one) => one.match(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}\b/g) ?? []);
    return text.replace(/(?<=^id: |^ *"id": "|"id": ")[\w-]+/m, () =>
      this.#random.pick([...ids, 'own-node', 'a', 'b-1']),
    );
  }

  /** Directories that people made, some deeper than folders may be. */
  #folders(): string {
    const names = ['a', 'A', 'Plans', 'e\u0301', '\u00e9', 'ß', 'SS', 'CON', 'x.md', 'Old'];
    return Array.from({ length: this.#random.pick([1, 1, 2, 3, 25]) }, () => this.#random.pick(names)).join('/');
  }

  #beside(path: string): string {
    const name = this.#random.pick(['copy', 'Copy', 'x', 'x (1)', 'é', '🌱']);
    return join(dirname(path), name + /\.[^.]*$/.exec(path)![0]);
  }

  #changed(path: string, text: string): string {
    if (path.endsWith('.json')) return this.#changedJson(text);
    if (!text.startsWith('---\n'))
      return this.#random.pick([nastyText(this.#random), `${text}\n${nastyText(this.#random)}`]);
    const lines = text.split('\n');
    const end = lines.indexOf('---', 1);
    const at = this.#random.integer(1, Math.max(1, end));
    if (at >= end) lines.push(nastyText(this.#random));
    else if (this.#random.chance(0.2)) lines.splice(at, 1);
    else lines[at] = lines[at]!.replace(/(: ).*/, (_, colon: string) => colon + this.#scalar());
    return lines.join('\n');
  }

  #scalar(): string {
    const value = this.#value();
    return this.#random.chance(0.3) ? nastyText(this.#random).replaceAll('\n', ' ') : JSON.stringify(value);
  }

  #changedJson(text: string): string {
    let whole: unknown;
    try {
      whole = JSON.parse(text);
    } catch {
      return text;
    }
    let at = whole as Record<string, unknown>;
    for (;;) {
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      const key = this.#random.pick(keys);
      const below = at[key];
      if (typeof below === 'object' && below !== null && this.#random.chance(0.7)) {
        at = below as Record<string, unknown>;
        continue;
      }
      if (this.#random.chance(0.2)) delete at[key];
      else at[key] = this.#value();
      break;
    }
    return JSON.stringify(whole, undefined, 2);
  }

  #value(): unknown {
    const random = this.#random;
    return random.pick([() => random.pick(odd), () => nastyText(random), () => nastyJson(random, 2)])();
  }
}

/** Everything that is served can be exported, the export imported, and the import exported with as many records. */
async function expectRoundTrip(service: TestService, id: string, what: string): Promise<void> {
  const { status, body: document } = await service.rest.get(`/projects/${id}/export`);
  // Bytes that are missing are no export.
  if (status === 409) return;
  expect(status, what).to.equal(200);
  const made = await service.rest.post('/projects/import', document);
  expect(made.status, `${JSON.stringify(made.body).slice(0, 2000)}\n${what}`).to.equal(201);
  const again = await service.rest.get(`/projects/${made.body.id}/export`);
  expect(counts(again.body), what).to.deep.equal(counts(document));
  await service.rest.delete(`/projects/${made.body.id}`);
}

/** The number of records by list, but for goals: an import creates the goal that each project has. */
function counts(document: Record<string, unknown>): Record<string, number> {
  const lists = Object.entries(document).filter(([name, list]) => Array.isArray(list) && name !== 'goals');
  return Object.fromEntries(lists.map(([name, list]) => [name, (list as unknown[]).length]));
}

/** So many projects made by hand, and so many calls of the interface. */
export function describeExports({ projects, calls }: { readonly projects: number; readonly calls: number }): void {
  describe('The served state', () => {
    it('from files that were edited in any way is exported, and its export is imported [D9.total]', async function () {
      this.timeout(projects * 2000 + 60_000);
      const random = Random.announced('exports of files');
      const service = await TestService.start();
      try {
        const { id } = await fullProject(service);
        const files = await PlanFiles.of(service);
        const isText = (path: string): boolean => !/\.(png|jsonl)$/.test(path);
        const texts = new Map(
          files
            .paths()
            .filter(isText)
            .map((path) => [path, files.read(path)]),
        );
        const code = id.slice(4, 10);
        for (let round = 0; round < projects; round++) {
          const edits = new Edits(random, texts);
          for (let count = random.integer(1, 8); count > 0; count--) edits.one();
          const own = code.slice(0, 3) + String(round % 1000).padStart(3, '0');
          const directory = join(service.root, 'projects', `round-${round}`);
          cpSync(files.directory, directory, { recursive: true, filter: (path) => !/\.(md|json|html)$/.test(path) });
          for (const [path, text] of edits.files) {
            mkdirSync(dirname(join(directory, path)), { recursive: true });
            writeFileSync(join(directory, path), text.replaceAll(`_${code}`, `_${own}`));
          }
          const history = files.paths().filter((path) => path.endsWith('.jsonl'));
          for (const path of history)
            writeFileSync(join(directory, path), files.read(path).replaceAll(`_${code}`, `_${own}`));
          await service.store.rescan();
          const project = id.replace(`_${code}`, `_${own}`);
          const what = `round ${round} of seed ${random.seed}`;
          if ((await service.rest.get(`/projects/${project}`)).status === 200)
            await expectRoundTrip(service, project, what);
          rmSync(directory, { recursive: true, force: true });
        }
        expect(readFileSync(join(files.directory, 'project.json'), 'utf8')).to.contain(id);
      } finally {
        await service.stop();
      }
    });

    it('after any calls is exported, and its export is imported [D9.total]', async function () {
      this.timeout(calls * 100 + 60_000);
      const random = Random.announced('exports of calls');
      const service = await TestService.start();
      try {
        const world = await populate(service, random);
        const writes = catalogue.filter(
          ({ rest, effect, name }) =>
            rest !== undefined && effect === 'write' && !/import|delete_project|restore|move_/.test(name),
        );
        for (let call = 0; call < calls; call++) {
          const operation = random.pick(writes);
          const inputs = new RandomInput(random, world.for(operation), 0.7);
          const input = inputs.members(schemaOf(operation), 0.6, pathMembers(operation));
          for (const name of Object.keys(input))
            if (random.chance(0.1) && !pathMembers(operation).has(name)) input[name] = random.pick(odd);
          const { error, value } = await send(service, operation, 'REST', input);
          if (error === undefined) world.learn(value);
        }
        for (const { id } of (await service.rest.get('/projects')).body.projects as { id: string }[])
          await expectRoundTrip(service, id, `seed ${random.seed}`);
      } finally {
        await service.stop();
      }
    });
  });
}
