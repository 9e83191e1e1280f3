import type { Section } from './section.ts';

/** Verification by planner verify, and what it leaves on goals and tasks. */
export const runner: Section = {
  title: 'The runner: verification with a proof',
  now: {
    'A.verify.covers': 'Goals and tasks have covers, paths or globs within the repository; [] is all of it.',
    'A.verify.gate': 'A task may have a gate of its own.',
    'A.verify.proof':
      'Evidence may carry a proof, which the last verification keeps; a proof of a commit makes the state current.',
    'A.verify.state':
      'A caller that compared a proof with the repository sets it to stale, or to current again; without a proof of a commit there is no state.',
    'A.verify.stale': 'A goal or task that becomes stale is an event.',
    'A.verify.ready': 'A goal whose last open task is done is an event; its own remediation task does not count.',
  },
};
