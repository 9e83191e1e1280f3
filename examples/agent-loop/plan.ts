import { readFileSync } from 'node:fs';

/** A sample plan: `plan.json`. Keys are the plan's own and become ids when the plan is created. */
export interface Plan {
  readonly name: string;
  readonly description: string;
  readonly goals: readonly PlannedGoal[];
}

export interface PlannedGoal {
  readonly name: string;
  /** The tools that create this goal, so that the example shows more than one way. */
  readonly made_by: string;
  readonly objective: string;
  readonly verification_surface: Surface;
  readonly constraints?: string;
  readonly stop_condition?: string;
  readonly budget?: string;
  readonly tasks: readonly PlannedTask[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label?: string }[];
  readonly documents: readonly PlannedDocument[];
}

export interface PlannedTask {
  readonly key: string;
  readonly label: string;
  readonly kind?: string;
  readonly priority?: string;
  readonly due_date?: string;
  readonly description?: string;
  readonly tags: readonly string[];
}

export interface PlannedDocument {
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly status_line?: string;
  readonly link_to: string | readonly string[];
}

/** How a goal is verified, as in the plan and in the service's responses. */
export type Surface =
  | { readonly kind: 'gate_command'; readonly command: string }
  | {
      readonly kind: 'acceptance_checklist';
      readonly items: readonly { readonly id?: string; readonly criterion: string }[];
    }
  | { readonly kind: 'human_sign_off' };

export function readPlan(): Plan {
  return JSON.parse(readFileSync(new URL('plan.json', import.meta.url), 'utf8')) as Plan;
}
