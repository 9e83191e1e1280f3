import { expect } from 'chai';
import { judge } from '../../src/domain/plan/goal-evidence.ts';
import { parseSurface } from '../../src/domain/plan/verification-surface.ts';
import { errorOf } from './throws.ts';

const gate = parseSurface({ kind: 'gate_command', command: 'exit 7' }, null);
const signOff = parseSurface({ kind: 'human_sign_off' }, null);
const checklist = parseSurface(
  {
    kind: 'acceptance_checklist',
    items: [
      { id: 'fast', criterion: 'It is fast.' },
      { id: 'safe', criterion: 'It is safe.' },
    ],
  },
  null,
);

describe('Evidence', () => {
  it('of a gate command is green on exit code 0 and red on any other [D4.green]', () => {
    expect(judge(gate, { kind: 'gate_command', exit_code: 0 })).to.include({ green: true, kind: 'gate_command' });
    expect(judge(gate, { kind: 'gate_command', exit_code: 1 })).to.include({ green: false, kind: 'gate_command' });
    expect(judge(gate, { kind: 'gate_command', exit_code: -1 })).to.include({ green: false });
  });

  it('of a gate command is accepted as reported: the command is not run [D4.no-gate]', () => {
    expect(judge(gate, { kind: 'gate_command', exit_code: 0 })).to.include({ green: true });
  });

  it('of a gate command keeps its detail', () => {
    const { detail } = judge(gate, { kind: 'gate_command', exit_code: 2, command: ' exit  7', detail: 'No rule.' });
    expect(detail).to.equal('Exit code 2 of  exit  7.\n\nNo rule.');
  });

  it('of another command than the gate is rejected, naming the gate [D4.evidence-command]', () => {
    const error = errorOf(() => judge(gate, { kind: 'gate_command', exit_code: 0, command: 'true' }));
    expect(error).to.include({ error: 'invalid_argument', field: 'evidence.command' });
    expect(error.message).to.include('"exit 7"').and.include('"true"');
  });

  it('that is missing is asked for without an example that would pass [D4.evidence-command]', () => {
    for (const surface of [gate, signOff, checklist]) {
      const { message } = errorOf(() => judge(surface, undefined));
      const [example = ''] = /\{.*\}/s.exec(message) ?? [];
      expect(example, message).to.match(/[<>]/);
      expect(() => JSON.parse(example) as unknown).to.throw();
    }
  });

  it('of a checklist is green with every item, by id or by exact criterion [D4.green]', () => {
    expect(judge(checklist, { kind: 'acceptance_checklist', checked: ['It is safe.', 'fast'] })).to.include({
      green: true,
    });
    const red = judge(checklist, { kind: 'acceptance_checklist', checked: ['fast'] });
    expect(red.green).to.equal(false);
    expect(red.detail).to.include('It is safe.').and.not.include('It is fast.');
    expect(judge(checklist, { kind: 'acceptance_checklist', checked: [] })).to.include({ green: false });
  });

  it('of a checklist is rejected for an unknown entry, naming it and the unmet entries [D4.unmatched]', () => {
    const error = errorOf(() => judge(checklist, { kind: 'acceptance_checklist', checked: ['fast', 'it is safe'] }));
    expect(error).to.deep.include({
      error: 'invalid_argument',
      field: 'evidence.checked',
      unmatched: ['it is safe'],
      unmet: [{ id: 'safe', criterion: 'It is safe.' }],
    });
  });

  it('of a sign-off is green with an approver who is not blank [D4.green]', () => {
    expect(judge(signOff, { kind: 'human_sign_off', approved_by: 'Ann' })).to.deep.equal({
      green: true,
      kind: 'human_sign_off',
      detail: 'Approved by Ann.',
    });
    expect(judge(signOff, { kind: 'human_sign_off', approved_by: '  ' })).to.include({ green: false });
  });

  it("is required, and of the surface's kind [D4.evidence, D2.verification_required]", () => {
    expect(errorOf(() => judge(gate, undefined))).to.include({
      error: 'verification_required',
      required_kind: 'gate_command',
    });
    const other = errorOf(() => judge(checklist, { kind: 'human_sign_off', approved_by: 'Ann' }));
    expect(other).to.include({ error: 'verification_required', required_kind: 'acceptance_checklist' });
  });

  it('is not required without a surface; the verification is then of no kind [D4.green]', () => {
    expect(judge(null, undefined)).to.deep.equal({ green: true, kind: null });
    expect(judge(null, { kind: 'gate_command', exit_code: 0 })).to.include({ green: true, kind: null });
    expect(judge(null, { kind: 'gate_command', exit_code: 1 })).to.include({ green: false, kind: null });
  });
});
