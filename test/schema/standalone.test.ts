import { expect } from 'chai';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { recordName } from '../../src/reference/records.ts';
import { declared } from '../../src/domain/records/record-collections.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { compiled } from '../../src/schema/compiled.ts';
import { inlinedForUs } from '../../src/schema/inline.ts';
import type { Extent, Origin } from '../../src/schema/new-ajv.ts';
import type { Schema } from '../../src/schema/schemas.ts';
import { standaloneModule } from '../../src/schema/standalone.ts';
import { builtProgram } from '../support/build.ts';
import { rarely } from '../support/rarely.ts';

type Made = Readonly<Record<Origin, Readonly<Record<string, () => ValidateFunction>>>>;

/** Values of every type, and texts that each of the rules for texts refuses. */
const values: readonly unknown[] = [
  ...[undefined, null, true, -1, 0, 1.5, 1e9, '', ' ', 'a', 'a\nb', '2026-02-30', 'é'.repeat(501), 'x'.repeat(1e5)],
  ...[[], [1], ['a', 'a'], [{}], {}, { kind: 'text' }, { x: 1, y: '2', z: 3 }, { type: 'task', id: 'a' }],
];

/**
 * An input with each of these values in all of its members. The first violation of such an input always concerns the
 * same member: to find the others, each member is alone, too.
 */
function* tried(schema: Schema, extent: Extent): IterableIterator<unknown> {
  yield* values;
  const members = [...Object.keys(schema['properties'] ?? {}), 'unknown_member'];
  for (const value of values) {
    if (extent === 'first') for (const name of members) yield { [name]: value };
    for (const all of [members, members.slice(0, -1)]) yield Object.fromEntries(all.map((name) => [name, value]));
  }
}

const texts = new WeakMap<object, string | undefined>();

/** A part of a schema as text. The violations of many values have the same one. */
function textOf(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return JSON.stringify(part);
  if (!texts.has(part)) texts.set(part, JSON.stringify(part));
  return texts.get(part);
}

/** A violation without the value that it is about. */
function shown({ data: _, schema, parentSchema, ...rest }: ErrorObject): unknown {
  return [rest, textOf(schema), textOf(parentSchema)];
}

describe('The validators of the build', () => {
  const repository = fileURLToPath(new URL('../..', import.meta.url));
  const keywords = join(repository, 'src/schema/keywords.ts');
  const names: Readonly<Record<Origin, readonly string[]>> = {
    caller: catalogue.map(({ input }) => input),
    record: declared.map(({ name }) => recordName(name)),
  };
  // Below the repository: the module imports ajv's helpers.
  const directory = mkdtempSync(join(repository, 'node_modules/.cache/standalone-'));
  after(() => rmSync(directory, { recursive: true }));

  const areEqual = (extent: Extent) => async (): Promise<void> => {
    const path = extent === 'first' ? join(directory, 'first.js') : join(repository, 'dist/validators-of-all.js');
    if (extent === 'first') writeFileSync(path, standaloneModule(extent, names, keywords));
    else builtProgram();
    const { validators } = (await import(pathToFileURL(path).href)) as { readonly validators: Made };
    let wrong = 0;
    for (const origin of ['caller', 'record'] as const) {
      for (const name of new Set(names[origin])) {
        const made = validators[origin][name]!();
        const known = compiled(origin, extent, name);
        for (const value of tried(inlinedForUs(name), extent)) {
          expect(made(value), name).to.equal(known(value));
          if (made.errors !== null) wrong++;
          const [found, expected] = [made.errors ?? [], known.errors ?? []];
          expect(JSON.stringify(found.map(shown)), name).to.equal(JSON.stringify(expected.map(shown)));
          expect(
            found.every(({ data }, at) => Object.is(data, expected[at]!.data)),
            name,
          ).to.equal(true);
        }
      }
    }
    expect(wrong).to.be.above(extent === 'first' ? 5_000 : 2_000);
  };

  it('find the same violations as those compiled from the schemas [D2.violations]', areEqual('all')).timeout(120_000);

  rarely('find the same first violation [D2.violations]', areEqual('first'));
});
