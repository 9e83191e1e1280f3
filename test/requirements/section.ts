/** Requirements by id: what must hold, in one sentence. */
export type Rules = Readonly<Record<string, string>>;

/**
 * A part of what Planner promises. Ids begin with `S.` (the interface specification), `D<n>.` (the decisions on its gaps, by section)
 * or `A.` (the architecture), and are cited in the titles of the tests that hold them: `claims atomically [D3.claim]`.
 */
export interface Section {
  readonly title: string;
  /** Built: each is cited by at least one test. */
  readonly now?: Rules;
  /** Not built yet: a test may cite it, but need not. */
  readonly later?: Rules;
  /** Figures, which `npm run bench` measures: a test that asserts a duration fails on a busy machine. */
  readonly measured?: Rules;
}

/** The scopes of requirements. */
export const scopes = ['now', 'later', 'measured'] as const;
export type Scope = (typeof scopes)[number];
