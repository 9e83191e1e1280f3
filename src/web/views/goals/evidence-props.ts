import type { Input } from '../../api/client.ts';
import type { GoalDetail } from '../../api/goals.ts';

export type Evidence = NonNullable<Input<'complete_goal'>['evidence']>;

/** Submits evidence; returns whether it was accepted, green or red. */
export type HandIn = (evidence?: Evidence) => Promise<boolean>;

export interface EvidenceProps {
  readonly goal: GoalDetail;
  /** Whether the goal's status permits evidence. */
  readonly may: boolean;
  readonly busy: boolean;
  readonly handIn: HandIn;
}
