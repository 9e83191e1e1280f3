/** The meaning of each kind of line. */
export const lineMeanings = {
  plain: 'from the prerequisite to the task that waits for it',
  onPath: 'the longest chain',
  unordered: 'no order of work',
} as const;
