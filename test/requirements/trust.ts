import type { Section } from './section.ts';

/** What people may rely on when something goes wrong: crashes, two writers, hands and editors, git, hostile input, concurrency, age. */
export const trust: readonly Section[] = [
  { title: 'Trust: crashes', now: {} },
  { title: 'Trust: two services, one root', now: {} },
  { title: 'Trust: hands and editors', now: {} },
  { title: 'Trust: git', now: {} },
  { title: 'Trust: hostile repositories and callers', now: {} },
  { title: 'Trust: concurrency', now: {} },
  { title: 'Trust: upgrades', now: {} },
];
