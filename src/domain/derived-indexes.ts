import type { DeriveIndex, ReadTransaction } from '../store/index.ts';
import type { PlannerCollections } from './records/collections.ts';
import { DanglingReferences } from './links/dangling-references.ts';
import { Frontier } from './graph/frontier.ts';
import { GoalProblems } from './plan/goal-problems.ts';
import { SubmissionEffects } from './records/guest-texts.ts';
import { TagEffects } from './plan/tag-effects.ts';
import { BodyIndex } from './search/body-index.ts';
import { TitleIndexes } from './search/title-index.ts';

/** The domain's derived indexes, by the names under which a read transaction provides them. */
export const derivedIndexes: Readonly<Record<string, DeriveIndex>> = {
  frontier: (view, touch, transition) =>
    new Frontier(view as unknown as ReadTransaction<PlannerCollections>, touch, transition),
  dangling_references: (view) => new DanglingReferences(view as unknown as ReadTransaction<PlannerCollections>),
  goal_problems: (view) => new GoalProblems(view as unknown as ReadTransaction<PlannerCollections>),
  titles: (view) => new TitleIndexes(view as unknown as ReadTransaction<PlannerCollections>),
  bodies: (view) => new BodyIndex(view as unknown as ReadTransaction<PlannerCollections>),
  submission_effects: (_, touch) => new SubmissionEffects(touch),
  tag_effects: (view, touch) => new TagEffects(view as unknown as ReadTransaction<PlannerCollections>, touch),
};
