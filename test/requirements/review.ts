import type { Section } from './section.ts';

/** The difference of two plans, and how a pull request shows it. */
export const review: Section = {
  title: 'Reviewing a plan',
  now: {
    'A.diff.records':
      'planner diff compares the plan of two revisions, or of one and the working tree, record by record and field by field, with names for ids, edges as order, and renames and moves as such.',
    'A.diff.revisions': 'Its arguments mean what they mean to git diff; a revision that does not exist is named.',
    'A.diff.unreadable':
      'A file that cannot be read is named with its reason, and its record is neither deleted nor created; what differs in no record is named, too.',
    'A.diff.git':
      'It reads a commit with one process of git and the contents of both with one, however many files there are, writes nothing, and runs no program of a repository.',
    'A.diff.markdown':
      'The form for a comment has at most 65,536 characters and says what it leaves out; no text of a plan becomes Markdown, HTML, a mention, a reference, a link or a command of a forge.',
    'A.diff.json': 'The form for programs is described by schemas/comparison.json.',
    'A.ci.comment':
      'The examples for GitHub and GitLab check the plan, post one comment with its difference, and update it at the next push.',
    'A.ci.proofs': 'They list proofs that are missing or stale; with PLANNER_REQUIRE_PROOFS these fail the check.',
    'A.ci.forks': 'No secret reaches code of a fork: without a token the difference is printed alone.',
  },
};
