/** The reason for leaving a file that both sides changed in place to a person. */
export const conflictReason = 'both sides changed the same lines: choose between the markers, then git add it';
