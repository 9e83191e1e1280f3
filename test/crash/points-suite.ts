import { expect } from 'chai';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { type Course, courseOf, type Kind, kinds, type Point, pointsOf, survives } from './points.ts';
import type { Scenario, World } from './scenario.ts';
import { serviceScenarios } from './service-scenarios.ts';
import { storeScenarios } from './store-scenarios.ts';

/** Which calls of a scenario fail. */
export type Choice = (course: Course, random: Random) => readonly Point[];

/** A few of each scenario, of every kind in turn. */
export const sample =
  (count: number): Choice =>
  (course, random) =>
    Array.from({ length: count }, (_, index) => ({
      kind: kinds[(index + random.integer(0, kinds.length - 1)) % kinds.length]!,
      at: random.integer(1, course.calls),
      seed: random.integer(0, 2 ** 31),
    }));

/** Chooses every n-th call of each kind, beginning anywhere. */
export const everyNth =
  (every: number): Choice =>
  (course, random) =>
    kinds.flatMap((kind) => pointsOf(course, kind, random, every));

type AnyScenario = Scenario<World>;
const scenarios = [...storeScenarios, ...serviceScenarios] as unknown as readonly AnyScenario[];

/** The shared body of the sample and of the long run. */
export function describePoints(choice: Choice): void {
  describe('a failing disk call', function () {
    this.timeout(0);
    const passed = new Map<string, number>();
    const survive = async (scenario: AnyScenario, isMeant: (point: Point) => boolean = () => true): Promise<void> => {
      const random = Random.announced(scenario.title);
      const course = await courseOf(scenario);
      expect(course.calls).to.be.greaterThan(30);
      for (const point of choice(course, random).filter(isMeant)) {
        if (!(await survives(scenario, course, point))) continue;
        const group = groupOf(point.kind);
        passed.set(group, (passed.get(group) ?? 0) + 1);
      }
    };
    const [commit, checkpoint, recovery, adoption, merge, upload, imports, exports, records, deletions] = scenarios;
    after(() => {
      for (const [group, count] of passed) reached(`disk calls: ${group}`, count);
    });

    it('during commits leaves the state before or after, never between, with everything acknowledged [A.crash.points]', () =>
      survive(commit!));
    it('during checkpoints that move and remove files does the same [A.crash.points]', () => survive(checkpoint!));
    it('during recovery leaves all work to the next recovery [A.crash.points]', () => survive(recovery!));
    it("during adoption of a person's files keeps their text and the service's [A.crash.points]", () =>
      survive(adoption!));
    it('during merges of edits with pending changes keeps both [A.crash.points]', () => survive(merge!));
    it('during uploads leaves a file with all of its bytes or no file [A.crash.points]', () => survive(upload!));
    it('during imports and deletions leaves a complete project or no project [A.crash.points]', () =>
      survive(imports!));
    it('during exports leaves the former file or the new one, complete [A.crash.points]', () => survive(exports!));
    it("during changes of the service's own records keeps keys, links and stored responses [A.crash.points, A.crash.power-cut]", () =>
      survive(records!));
    // Without power cuts: one between a deletion and the sync of the restored file can lose that file.
    it('during deletions keeps each with its entry in the trash, or neither [A.crash.points, D3.trash-durable]', () =>
      survive(deletions!, ({ kind }) => kind.loss === undefined));
  });
}

function groupOf({ fault, loss }: Kind): string {
  if (loss !== undefined) return 'power cuts survived';
  return fault(1).kind === 'stop' ? 'deaths survived' : 'faults survived';
}
