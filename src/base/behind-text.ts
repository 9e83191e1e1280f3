/** How far a stale verification is behind: `3 commits ago, 2 touch it`. */
export function behindText({ commits, touching }: { readonly commits: number; readonly touching: number }): string {
  return `${commits} ${commits === 1 ? 'commit' : 'commits'} ago, ${touching} ${touching === 1 ? 'touches' : 'touch'} it`;
}
