import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import type { ImportedPlan } from '../../src/exchange/imported-plan.ts';
import { documentOf } from '../support/draft-document.ts';
import { fullProject } from '../support/full-project.ts';
import { Random } from '../support/random.ts';
import { TestService } from '../support/service.ts';
import { foreignPlans } from './foreign-plans.ts';

// A broken export holds anything.
// oxlint-disable-next-line typescript/no-explicit-any
type Anything = any;

const odd: readonly Anything[] = [
  ...[
    null,
    '',
    ' ',
    'x',
    0,
    -1,
    1.5,
    true,
    [],
    {},
    [null],
    ['a'],
    { a: 1 },
    '2030-01-01',
    '../x',
    'x'.repeat(300),
    'a\0b',
  ],
  ...['\ud800', 'CON', '.', { toString: 1 }, `tsk_${'0'.repeat(16)}`, 'own-node', { to: 'own-node' }],
];

/** Every place in a document, as the members that lead to it. */
function placesIn(value: Anything, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.keys(value as object).flatMap((key) => placesIn(value[key], [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

/** Removes one part, replaces it, doubles it or adds one. */
function breakOne(document: Anything, place: readonly (string | number)[], random: Random): void {
  let at = document;
  for (const key of place.slice(0, -1)) at = at?.[key];
  const key = place.at(-1)!;
  if (typeof at !== 'object' || at === null) return;
  const way = random.integer(0, 3);
  if (way === 0 && Array.isArray(at)) at.splice(Number(key), 1);
  else if (way === 0) delete at[key];
  else if (way === 1 && Array.isArray(at)) at.push(structuredClone(at[0]));
  else if (way === 2 && !Array.isArray(at)) at['more'] = structuredClone(random.pick(odd));
  else at[key] = structuredClone(random.pick(odd));
}

/** Broken plans of other tools: an import takes everything that their readers return. */
export function describeForeignImports(rounds: number): void {
  describe('Broken plans of other tools', () => {
    it('are rejected by their readers, or imported whole [D9.moving.found, D9.moving.kept]', async function () {
      this.timeout(rounds * 400 + 60_000);
      const random = Random.announced('plans of other tools');
      const service = await TestService.start();
      try {
        for (let round = rounds; round > 0; round--) {
          const { name, document, read } = random.pick(foreignPlans);
          const broken = structuredClone(document);
          for (let count = random.integer(1, 3); count > 0; count--) {
            const places = placesIn(broken);
            if (places.length > 0) breakOne(broken, random.pick(places), random);
          }
          let plan: ImportedPlan;
          try {
            plan = read(broken);
          } catch (error) {
            expect(error, `${name} ${JSON.stringify(broken)}`).to.be.instanceOf(PlannerError);
            continue;
          }
          const { status, body } = await service.rest.post('/projects/import', documentOf(plan.draft));
          expect(status, `${JSON.stringify(body)} ${name} ${JSON.stringify(broken)}`).to.equal(201);
        }
      } finally {
        await service.stop();
      }
    });
  });
}

/** So many broken exports, imported into one service. */
export function describeImports(rounds: number): void {
  describe('Broken exports', () => {
    it('are rejected, or imported as a project that can be exported again, and never cause an internal error [D9.import]', async function () {
      this.timeout(rounds * 400 + 60_000);
      const random = Random.announced('imports');
      const service = await TestService.start();
      try {
        const { id } = await fullProject(service);
        const document = (await service.rest.get(`/projects/${id}/export`)).body;
        const places = placesIn(document);
        for (let round = rounds; round > 0; round--) {
          const broken = structuredClone(document);
          breakOne(broken, random.pick(places), random);
          if (random.chance(0.3)) breakOne(broken, random.pick(places), random);
          const { status, body } = await service.rest.post('/projects/import', broken);
          expect([201, 400, 409, 413], JSON.stringify(body)).to.include(status);
          if (status !== 201) continue;
          const again = await service.rest.get(`/projects/${body.id}/export`);
          expect((await service.rest.post('/projects/import', again.body)).status).to.equal(201);
        }
        await service.store.flush();
        // Dangling references are listed; unreadable or duplicate records would be a fault of the import.
        const kinds = new Set(service.store.check().map(({ kind }) => kind));
        for (const kind of ['unreadable', 'duplicate_id']) expect([...kinds]).not.to.include(kind);
      } finally {
        await service.stop();
      }
    });
  });
}
