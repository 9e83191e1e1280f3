/** A pause as long as this ends an editing session. */
const pauseMs = 15 * 60 * 1000;

/** The editing session of a record in this tab: changes saved in one session are one revision. It survives a reload. */
export function editingSession(id: string): string {
  const place = `planner.session.${id}`;
  const now = Date.now();
  const [kept = '', at = '0'] = (sessionStorage.getItem(place) ?? '').split(' ');
  const session = kept !== '' && now - Number(at) < pauseMs ? kept : crypto.randomUUID();
  sessionStorage.setItem(place, `${session} ${now}`);
  return session;
}
