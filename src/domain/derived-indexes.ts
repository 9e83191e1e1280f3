import type { DeriveIndex } from '../store/index.ts';
import { planOf } from './records/declared.ts';
import { DanglingReferences } from './links/dangling-references.ts';
import { Frontier } from './graph/frontier.ts';
import { GoalProblems } from './plan/goal-problems.ts';
import { SubmissionEffects } from './records/guest-texts.ts';
import { TagEffects } from './plan/tag-effects.ts';
import { BodyIndex } from './search/body-index.ts';
import { TitleIndexes } from './search/title-index.ts';

/** The domain's derived indexes, by the names under which a read transaction provides them. */
export const derivedIndexes: Readonly<Record<string, DeriveIndex>> = {
  frontier: (view, touch, transition) => new Frontier(planOf(view), touch, transition),
  dangling_references: (view) => new DanglingReferences(planOf(view)),
  goal_problems: (view) => new GoalProblems(planOf(view)),
  titles: (view) => new TitleIndexes(planOf(view)),
  bodies: (view) => new BodyIndex(planOf(view)),
  submission_effects: (_, touch) => new SubmissionEffects(touch),
  tag_effects: (view, touch) => new TagEffects(planOf(view), touch),
};
