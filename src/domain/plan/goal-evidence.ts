import { PlannerError, invalid } from '../../base/errors.ts';
import type { Evidence, LastVerification, VerificationSurface } from '../../schema/types.ts';
import { itemsOf } from './verification-surface.ts';

/** The result of evaluating evidence; the caller that stores it adds `at`. */
export type Judgement = Omit<LastVerification, 'at'>;

/** The number of unmet criteria that a detail names; the rest is counted. */
const unmetNamedMax = 20;

/**
 * Evaluates evidence against a goal's verification surface without running or reading anything. Green is exit code 0, every item of the
 * checklist, or a non-blank approver. Throws `verification_required` for missing evidence or a kind other than the surface's,
 * `invalid_argument` for a checked entry that the checklist does not have. Without a surface no evidence is needed; evidence that is given
 * is evaluated.
 */
export function judge(surface: VerificationSurface | null, evidence: Evidence | undefined): Judgement {
  if (surface === null) {
    if (evidence === undefined) return { green: true, kind: null };
    return { ...judged(evidence, null), kind: null };
  }
  if (evidence?.kind !== surface.kind) throw required(surface, evidence);
  return { ...judged(evidence, surface), kind: surface.kind };
}

function judged(evidence: Evidence, surface: VerificationSurface | null): Pick<Judgement, 'green' | 'detail'> {
  switch (evidence.kind) {
    case 'gate_command': {
      if (surface?.kind === 'gate_command') requireGate(surface.command, evidence.command);
      const ran = evidence.command === undefined ? '' : ` of ${evidence.command}`;
      const detail = evidence.detail === undefined ? '' : `\n\n${evidence.detail}`;
      return { green: evidence.exit_code === 0, detail: `Exit code ${evidence.exit_code}${ran}.${detail}` };
    }
    case 'acceptance_checklist':
      return judgeChecklist(evidence.checked, surface);
    case 'human_sign_off': {
      const approver = evidence.approved_by.trim();
      return approver === ''
        ? { green: false, detail: 'The approver is missing.' }
        : { green: true, detail: `${approval}${approver}.` };
    }
  }
}

/** The result of another command is no evidence. Blanks count as they do in a shell. */
function requireGate(gate: string, command: string | undefined): void {
  const words = (text: string): string => text.trim().replace(/\s+/g, ' ');
  if (command === undefined || words(command) === words(gate)) return;
  throw invalid(
    'evidence.command',
    `evidence.command must be the gate of the goal, ${JSON.stringify(gate)}, not ${JSON.stringify(command)}: run the gate, or change it first.`,
  );
}

const approval = 'Approved by ';

/** The person whose approval a verification is; undefined if it is something else. */
export function approverIn({ green, detail }: Pick<LastVerification, 'green' | 'detail'>): string | undefined {
  return green && detail?.startsWith(approval) === true ? detail.slice(approval.length, -1) : undefined;
}

function judgeChecklist(
  checked: readonly string[],
  surface: VerificationSurface | null,
): Pick<Judgement, 'green' | 'detail'> {
  const items = surface?.kind === 'acceptance_checklist' ? itemsOf(surface.items) : [];
  const entries = new Set(checked);
  const unmet = items.filter(({ id, criterion }) => !entries.has(id) && !entries.has(criterion));
  const known = new Set(items.flatMap(({ id, criterion }) => [id, criterion]));
  const unmatched = checked.filter((entry) => !known.has(entry));
  if (unmatched.length > 0) {
    throw invalid(
      'evidence.checked',
      `The checklist has no item ${unmatched.map((entry) => JSON.stringify(entry)).join(', ')}. Refer to items by id or by their exact criterion.`,
      {
        unmatched,
        unmet,
      },
    );
  }
  if (unmet.length === 0) return { green: true, detail: `All ${items.length} items are checked.` };
  const named = unmet.slice(0, unmetNamedMax).map(({ criterion }) => `\n- ${criterion}`);
  return { green: false, detail: `Not checked (${unmet.length} of ${items.length}):${named.join('')}` };
}

/** No example is evidence that would pass. */
const examples = {
  gate_command: '{"kind": "gate_command", "exit_code": <the exit code>}',
  acceptance_checklist:
    '{"kind": "acceptance_checklist", "checked": [<ids or exact criteria of the items that are met>]}',
  human_sign_off: '{"kind": "human_sign_off", "approved_by": <the name of who approved>}',
} as const;

function required(surface: VerificationSurface, evidence: Evidence | undefined): PlannerError {
  const given = evidence === undefined ? 'none was given' : `${evidence.kind} was given`;
  const run = surface.kind === 'gate_command' ? ` Run ${surface.command} yourself and report its exit code.` : '';
  return new PlannerError(
    'verification_required',
    `This goal is completed on evidence of the kind ${surface.kind}; ${given}.${run} Send evidence ${examples[surface.kind]}.`,
    {
      field: 'evidence',
      required_kind: surface.kind,
    },
  );
}
