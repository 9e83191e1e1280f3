/** Parses an author: `agent:builder` is an agent named builder. */
export function authorOf(author: string): {
  readonly kind: 'human' | 'agent' | 'file' | 'system';
  readonly name: string;
} {
  const [kind, ...name] = author.split(':');
  if (kind === 'human' || kind === 'agent') return { kind, name: name.join(':') };
  return kind === 'file' ? { kind, name: 'An edited file' } : { kind: 'system', name: 'Planner' };
}
