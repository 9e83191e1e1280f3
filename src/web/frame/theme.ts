/** Light, dark, or the system's setting. */
export type Theme = 'system' | 'light' | 'dark';

const place = 'planner.theme';

export function keptTheme(): Theme {
  const kept = localStorage.getItem(place);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Applies a theme, and stores it for this browser. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  localStorage.setItem(place, theme);
}
