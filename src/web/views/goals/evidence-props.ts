import type { Input } from '../../api/client.ts';
import type { GoalDetail } from '../../api/goals.ts';

export type Evidence = NonNullable<Input<'complete_goal'>['evidence']>;

/** Hands evidence in; answers whether it was taken, green or red. */
export type HandIn = (evidence?: Evidence) => Promise<boolean>;

export interface EvidenceProps {
  readonly goal: GoalDetail;
  /** Whether evidence is taken in the state that the goal is in. */
  readonly may: boolean;
  readonly busy: boolean;
  readonly handIn: HandIn;
}
