import type { Input } from '../../rest/client.ts';
import type { GoalDetail } from '../../api/goals.ts';

export type Evidence = NonNullable<Input<'complete_goal'>['evidence']>;

/** Submits evidence; returns whether it was accepted, green or red. */
export type HandIn = (evidence?: Evidence) => Promise<boolean>;

export interface EvidenceProps {
  readonly goal: GoalDetail;
  /** True if the goal's status permits evidence. */
  readonly may: boolean;
  readonly busy: boolean;
  readonly handIn: HandIn;
}

/** The effect of red evidence, shown before it is submitted. */
export const redEffect =
  'The goal becomes Blocked: agents get none of its tasks until you resume work. A remediation task is created in Scope unless one is open.';
